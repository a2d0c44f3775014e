/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes
 */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. Text becomes text nodes, never markup. An attribute "on..." is a listener, "--..." a
 * custom property; false, null and undefined leave an attribute out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * An element of SVG, as `el`.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes, ...children) {
  return fill(
    /** @type {SVGElementTagNameMap[Tag]} */ (document.createElementNS(SVG, tag)),
    attributes,
    children,
  );
}

/**
 * @template {HTMLElement | SVGElement} E
 * @param {E} element
 * @param {Attributes | undefined} attributes
 * @param {(Child | Child[])[]} children
 * @returns {E}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, String(value));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  // Text of the corpus, which may have any direction, has any language too: it is not to be read
  // aloud as English.
  if (element.matches("bdi, [dir=auto]")) element.setAttribute("lang", "");
  add(element, children);
  return element;
}

/**
 * @param {Element} parent
 * @param {(Child | Child[])[]} children
 */
function add(parent, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Replace what an element holds.
 * @param {Element} parent
 * @param {...(Child | Child[])} children
 */
export function show(parent, ...children) {
  parent.replaceChildren();
  add(parent, children);
}

/**
 * Tell screen readers something that has changed.
 * @param {string} text
 */
export function announce(text) {
  const region = document.getElementById("live");
  if (region) region.textContent = text;
}

/** @type {AbortController | undefined} */
let lasting;

/**
 * Tell everyone what has happened. It stays for some seconds, and until the reader does something:
 * those who see a part of the page only, or read slowly, have the time.
 * @param {string} text
 */
export function notify(text) {
  const notice = document.getElementById("notice");
  if (!notice) return;
  notice.textContent = text;
  lasting?.abort();
  lasting = new AbortController();
  const { signal } = lasting;
  const end = () => {
    notice.textContent = "";
    lasting?.abort();
  };
  const timer = setTimeout(() => {
    for (const event of ["pointerdown", "keydown", "wheel"]) addEventListener(event, end, { signal });
  }, 8000);
  signal.addEventListener("abort", () => clearTimeout(timer));
}
