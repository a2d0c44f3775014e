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

const root = /** @type {HTMLElement} */ (document.getElementById("app"));
start().catch((error) => {
  root.removeAttribute("aria-busy");
  root.textContent = `This report cannot be opened: ${error.message}. It needs a browser from 2023 or later.`;
});

async function start() {
  const content = await readContent();
  /** @type {App} */
  const app = { content, labels: new Labels(content), settings: { lambda: 0.6, list: { column: 1, direction: -1, lambda: 0.6, find: "" } } };
  /** @type {[view: string, name: string, shown: boolean][]} */
  const views = [
    ["topics", "Topics", true],
    ["documents", "Documents", content.documents !== null],
    ["time", "Over time", content.periods !== null],
    ["groups", "Groups", content.groups !== null],
    ["check", "To check", true],
    ["about", "How it was made", true],
  ];
  const links = views
    .filter(([, , shown]) => shown)
    .map(([view, name]) => el("a", { href: `#/${view}`, "data-view": view }, name));
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
    const { view, argument, query } = route(location.hash);
    // A topic, and whatever this report does not have, is shown under "Topics".
    const current = links.some((link) => link.dataset.view === view) ? view : "topics";
    for (const link of links) {
      if (link.dataset.view === current) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    show(main, ...contentOf(app, view, argument, query));
    main.className = `view-${view}`;
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

/**
 * @param {App} app
 * @param {string} view
 * @param {string} argument
 * @param {URLSearchParams} query
 */
function contentOf(app, view, argument, query) {
  const { content } = app;
  const topic = Number(argument);
  if (view === "topic" && argument !== "" && topic in content.share) return topicView(app, topic);
  if (view === "documents") return documentsView(app, argument, query);
  if (view === "time" && content.periods) return timeView(app, content.periods);
  if (view === "groups" && content.groups) return groupsView(app, content.groups);
  if (view === "check") return checkView(app);
  if (view === "about") return aboutView(app);
  return topicsView(app);
}
