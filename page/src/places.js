/**
 * Where the reader was on each page of the history. Going back returns to the same line, and to the
 * same link for those who use the keyboard.
 */
export class Places {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.main = main;
    history.scrollRestoration = "manual"; // a browser restores it before the view is drawn
    this.entry = entryOfHistory();
    /** @type {Map<number, {y: number, link: number, href: string | undefined}>} */
    this.left = new Map();
  }

  /** Remember the place; call this in a new entry, before its view is drawn. */
  leave() {
    const link = this.#links().findIndex((each) => each === document.activeElement);
    this.left.set(this.entry, { y: scrollY, link, href: this.#links()[link]?.hash });
    this.entry = entryOfHistory();
  }

  /**
   * Go where the reader was, if this entry has been shown before.
   * @returns {boolean} whether a link has the focus again
   */
  restore() {
    const place = this.left.get(this.entry);
    scrollTo(0, place?.y ?? 0);
    const link = place && this.#links()[place.link];
    if (!link || link.hash !== place.href) return false;
    link.focus({ preventScroll: true });
    return true;
  }

  #links() {
    return [...this.main.querySelectorAll("a")];
  }
}

/** A number that tells entries of the history apart. @returns {number} */
function entryOfHistory() {
  if (history.state?.entry === undefined) history.replaceState({ entry: Math.random() }, "");
  return history.state.entry;
}

/**
 * Write the state of a view into the address, without a new entry in the history.
 * @param {string} hash
 */
export function rename(hash) {
  // The whole address, for the reason that `follow` gives.
  const address = new URL(location.href);
  address.hash = hash;
  history.replaceState(history.state, "", address);
}

/**
 * Follow a link to a view where the page is the `srcdoc` of a frame, as in a notebook. There, links
 * lead to the page around it, whose address they complete.
 * @param {MouseEvent} event
 */
export function follow(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target instanceof Element && event.target.closest("a[href^='#']");
  if (!link || !location.href.startsWith("about:srcdoc")) return;
  event.preventDefault();
  location.hash = link.getAttribute("href") ?? "";
}
