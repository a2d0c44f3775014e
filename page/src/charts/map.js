/** @import {App} from "../types.js" */
import { el, show, svg } from "../dom.js";
import { percent } from "../format.js";
import { largestFirst } from "../order.js";
import { topWords } from "../relevance.js";
import { topicLink } from "../router.js";
import { mapTexts } from "./map_texts.js";

const SIDE = 1000;
const PAD = 12;
// Size of names, in units of the map.
const LETTERS = { narrow: 36, wide: 26 };

/**
 * @typedef {object} TopicMap
 * @property {HTMLElement} element
 * @property {(topic: number | null) => void} highlight
 */

/**
 * The map of topics: circles whose area is their share. One of them is in the order of the Tab key;
 * the arrow keys go to the others.
 * @param {App} app
 * @param {(topic: number | null) => void} onPoint what else to do when a topic is pointed at
 * @returns {TopicMap}
 */
export function topicMap({ content, labels }, onPoint) {
  const scale = SIDE - 2 * PAD;
  const place = content.map.map(([x, y]) => [PAD + x * scale, PAD + y * scale]);
  const circles = place.map(([x, y], k) => ({ x, y, r: Math.max(content.radius[k] * scale, 3) }));
  const height = Math.max(...circles.map(({ y, r }) => y + r)) + PAD;
  const caption = el("figcaption", { class: "map-caption", "aria-hidden": "true" });
  const hint = "Each circle is a topic; its area is its share. Topics with similar words are close.";
  /** @param {number | null} topic */
  const highlight = (topic) => {
    links.forEach((link, k) => link.classList.toggle("on", k === topic));
    if (topic === null) caption.textContent = hint;
    else {
      const name = el("bdi", {}, labels.name(topic));
      show(caption, `${topic} · `, name, ` · ${percent(content.share[topic])}`);
    }
  };
  /** @param {number | null} topic */
  const point = (topic) => {
    highlight(topic);
    onPoint(topic);
  };
  const letters = LETTERS[matchMedia("(min-width: 30rem)").matches ? "wide" : "narrow"];
  const order = largestFirst(content.share);
  // A label says nothing in part; of words one does, and best the one that other topics have least.
  /** @param {number} k */
  const names = (k) => {
    if (labels.of(k)) return [labels.of(k)];
    const typical = topWords(content, k, 0, Infinity);
    return [labels.usual(k), ...typical.filter((word) => labels.words[k].includes(word))];
  };
  const whole = { x: SIDE / 2, y: height / 2, width: SIDE, height };
  const texts = mapTexts(circles, order, names, letters, whole);
  const links = circles.map(({ x, y, r }, topic) =>
    svg(
      "a",
      {
        href: topicLink(topic),
        tabindex: topic === 0 ? 0 : -1,
        onpointerenter: () => point(topic),
        onpointerleave: () => point(null),
        onfocus: () => point(topic),
        onblur: () => point(null),
      },
      svg("title", {}, `Topic ${topic}: ${labels.name(topic)}, ${percent(content.share[topic])}`),
      svg("circle", { cx: x, cy: y, r }),
    ),
  );
  highlight(null);
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${SIDE} ${height}`,
      role: "group",
      "aria-label": "Map of topics. The arrow keys move from topic to topic.",
      onkeydown: (event) => {
        const from = links.indexOf(event.target);
        const to = neighbor(place, from, event.key);
        if (to === null) return;
        event.preventDefault();
        links[from].setAttribute("tabindex", "-1");
        links[to].setAttribute("tabindex", "0");
        links[to].focus();
      },
    },
    // Small circles last, so that no large one covers them.
    order.map((topic) => links[topic]),
    svg(
      "g",
      { "aria-hidden": "true", "font-size": letters },
      texts.map(({ text, x, y, isNumber }) =>
        svg("text", { x, y, dy: "0.35em", class: isNumber && "number" }, text),
      ),
    ),
  );
  return { element: el("figure", { class: "map" }, picture, caption), highlight };
}

/** @type {Record<string, [number, number]>} */
const DIRECTIONS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * The nearest place in the direction of an arrow key.
 * @param {number[][]} place
 * @param {number} from
 * @param {string} key
 */
function neighbor(place, from, key) {
  const direction = DIRECTIONS[key];
  if (!direction || from < 0) return null;
  let best = null;
  let least = Infinity;
  place.forEach(([x, y], to) => {
    const [dx, dy] = [x - place[from][0], y - place[from][1]];
    const along = dx * direction[0] + dy * direction[1];
    const across = Math.abs(dx * direction[1]) + Math.abs(dy * direction[0]);
    // Within 60 degrees of the direction; sideways counts double.
    if (along <= 0 || across > 1.75 * along || along + 2 * across >= least) return;
    [best, least] = [to, along + 2 * across];
  });
  return best;
}
