/** @import {Child} from "./dom.js" */
/** @import {Route} from "./router.js" */
/** @import {App} from "./types.js" */
import "../styles/main.css";
import { readContent } from "./data.js";
import { el, notify, show } from "./dom.js";
import { Labels } from "./labels.js";
import { follow, Places } from "./places.js";
import { route } from "./router.js";
import { aboutView } from "./views/about.js";
import { checkView } from "./views/check.js";
import { documentsView } from "./views/documents.js";
import { groupsView } from "./views/groups.js";
import { timeView } from "./views/time.js";
import { topicView } from "./views/topic.js";
import { topicsView } from "./views/topics.js";

/**
 * @typedef {object} View
 * @property {string} name in the address
 * @property {string} title
 * @property {(at: Route) => (Child | Child[])[]} draw
 */

const root = /** @type {HTMLElement} */ (document.getElementById("app"));
start().catch((error) => {
  root.removeAttribute("aria-busy");
  root.textContent = `This report cannot be opened: ${error.message}. It needs a browser from 2023 or later.`;
});

async function start() {
  const content = await readContent();
  /** @type {App} */
  const app = { content, labels: new Labels(content), settings: { lambda: 0.6, list: { column: 1, direction: -1, lambda: 0.6, find: "" } } };
  const { documents, periods, groups } = content;
  /** @type {(View | null)[]} */
  const all = [
    { name: "topics", title: "Topics", draw: () => topicsView(app) },
    documents && { name: "documents", title: "Documents", draw: (at) => documentsView(app, documents, at) },
    periods && { name: "time", title: "Over time", draw: () => timeView(app, periods) },
    groups && { name: "groups", title: "Groups", draw: () => groupsView(app, groups) },
    { name: "check", title: "To check", draw: () => checkView(app) },
    { name: "about", title: "How it was made", draw: () => aboutView(app) },
  ];
  const views = all.filter((view) => view !== null);
  const links = views.map(({ name, title }) => el("a", { href: `#/${name}` }, title));
  const nav = el("nav", { "aria-label": "Report" }, links);
  const header = el("header", { class: "top" }, el("h1", { dir: "auto" }, content.title), nav);
  const main = el("main", { id: "main", tabindex: -1 });
  show(
    root,
    el("a", { class: "skip", href: "#main", onclick: skip }, "Skip to content"),
    header,
    main,
    el("footer", {}, `Made with topictemper ${content.version} on ${content.created}. This file works offline.`),
    el("div", { id: "notice", role: "status" }),
    el("div", { id: "live", class: "unseen", "aria-live": "polite" }),
  );
  root.removeAttribute("aria-busy");
  // What gets the focus does not stay under the header, which lies over the page.
  new ResizeObserver(() => {
    document.documentElement.style.scrollPaddingTop = `${header.offsetHeight}px`;
  }).observe(header);

  /** @param {Event} event */
  function skip(event) {
    event.preventDefault(); // the address names the view
    main.focus();
  }
  const places = new Places(main);
  const draw = () => {
    const at = route(location.hash);
    // A topic, and whatever this report does not have, is shown under "Topics".
    const current = views.find(({ name }) => name === at.view) ?? views[0];
    links.forEach((link, i) => {
      if (views[i] === current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    });
    const topic = Number(at.argument);
    const isTopic = at.view === "topic" && at.argument !== "" && topic in content.share;
    show(main, ...(isTopic ? topicView(app, topic) : current.draw(at)));
    main.className = `view-${at.view}`;
    const heading = main.querySelector("h2[tabindex]")?.textContent;
    document.title = heading ? `${heading} – ${content.title}` : content.title;
  };
  const move = () => {
    places.leave();
    draw();
    if (places.restore()) return;
    const heading = main.querySelector("h2[tabindex]");
    (heading instanceof HTMLElement ? heading : main).focus({ preventScroll: true });
  };
  addEventListener("hashchange", move);
  addEventListener("click", follow);
  app.labels.onImport = move;
  app.labels.onEdit = (topic) => {
    for (const name of main.querySelectorAll(`[data-names="${topic}"]`)) {
      name.textContent = app.labels.name(topic);
    }
    notify(app.labels.warning([topic]));
  };
  draw();
}
