import { announce, el } from "../dom.js";
import { several } from "../format.js";

/**
 * A list of which some items are shown, and more on demand. Nobody is asked for the last few.
 * @template Item
 * @param {Item[]} items
 * @param {number} step
 * @param {string} noun of one item
 * @param {(item: Item) => HTMLElement} make
 * @param {HTMLElement} list
 * @param {HTMLElement} [holder] what holds the list, if it does not stand alone
 */
export function moreOf(items, step, noun, make, list, holder = list) {
  let shown = 0;
  const button = el("button", { type: "button", class: "more", onclick: () => grow(true) });
  /** @param {boolean} asked */
  const grow = (asked) => {
    const left = items.length - shown;
    const added = items.slice(shown, shown + (left <= 1.25 * step ? left : step)).map(make);
    list.append(...added);
    shown += added.length;
    button.hidden = shown >= items.length;
    holder.dataset.left = button.hidden ? "" : several(items.length - shown, `more ${noun}`); // for print
    button.textContent = `Show ${several(Math.min(step, items.length - shown), `more ${noun}`)}`;
    if (!asked) return;
    announce(`${shown} of ${several(items.length, noun)}`);
    const first = added[0]?.querySelector("a, button") ?? added[0];
    if (first instanceof HTMLElement) first.focus();
  };
  grow(false);
  return el("div", { class: "more-of" }, holder, button);
}
