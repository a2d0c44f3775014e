/** @import {App} from "../types.js" */
import { el, show, svg } from "../dom.js";
import { percent } from "../format.js";
import { topicLink } from "../router.js";

const SIDE = 1000;
const PAD = 12;
// Size of names on a narrow map and on others, in units of the map; the width of a letter in parts of
// it.
const LETTERS = [36, 26];
const LETTER = 0.58;
const LONGEST = 16;
const MOST_NAMES = 80;

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
  const caption = el("figcaption", { class: "map-caption", "aria-hidden": "true" });
  const hint = "Each circle is a topic; its area is its share. Topics that share words are close.";
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
  /** @param {number} topic */
  const short = (topic) => {
    const name = labels.of(topic) || labels.words[topic][0] || "";
    if (name.length <= LONGEST) return name;
    const start = name.slice(0, LONGEST - 1);
    return `${start.slice(0, start.lastIndexOf(" ")) || start}…`;
  };
  const letters = LETTERS[Number(matchMedia("(min-width: 30rem)").matches)];
  const order = content.share.map((_, k) => k).sort((a, b) => content.share[b] - content.share[a]);
  const named = roomForNames(order, place, short, letters);
  const links = place.map(([x, y], topic) => {
    const radius = Math.max(content.radius[topic] * scale, 3);
    return svg(
      "a",
      {
        href: topicLink(topic),
        tabindex: topic === 0 ? 0 : -1,
        "aria-label": `Topic ${topic}: ${labels.name(topic)}, ${percent(content.share[topic])}`,
        onpointerenter: () => point(topic),
        onpointerleave: () => point(null),
        onfocus: () => point(topic),
        onblur: () => point(null),
      },
      svg("circle", { cx: x, cy: y, r: radius }),
    );
  });
  highlight(null);
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${SIDE} ${Math.max(...place.map(([, y], k) => y + content.radius[k] * scale)) + PAD}`,
      role: "group",
      "aria-label": "Map of topics. The arrow keys go from topic to topic.",
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
      [...named].map((topic) =>
        svg("text", { x: place[topic][0], y: place[topic][1], dy: "0.35em" }, short(topic)),
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

/**
 * The topics whose names fit on the map, the first ones first: a name touches no other, and covers the
 * center of no larger circle.
 * @param {number[]} order
 * @param {number[][]} place
 * @param {(topic: number) => string} name
 * @param {number} letters
 */
function roomForNames(order, place, name, letters) {
  /** @type {Map<number, number>} */
  const half = new Map(); // of the width
  order.forEach((topic, rank) => {
    const [x, y] = place[topic];
    const width = 0.5 * LETTER * letters * name(topic).length;
    if (half.size >= MOST_NAMES || x < width || x > SIDE - width) return;
    const free = order.slice(0, rank).every((other) => {
      const [dx, dy] = [Math.abs(place[other][0] - x), Math.abs(place[other][1] - y)];
      const taken = half.get(other);
      if (taken !== undefined) return dy > 1.1 * letters || dx > taken + width;
      return dy > 0.5 * letters || dx > width;
    });
    if (free) half.set(topic, width + 4);
  });
  return new Set(half.keys());
}
