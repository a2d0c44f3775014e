import { el } from "../dom.js";

/**
 * What a picture shows, as a table on demand.
 * @param {string[]} heads of the columns
 * @param {string[][]} rows the first of each is what the row is of
 */
export function asTable(heads, rows) {
  return el(
    "details",
    { class: "as-table" },
    el("summary", {}, "As a table"),
    el(
      "table",
      { class: "plain" },
      el(
        "thead",
        {},
        el("tr", {}, heads.map((text) => (text ? el("th", { scope: "col" }, text) : el("td", {})))),
      ),
      el(
        "tbody",
        {},
        rows.map(([name, ...values]) =>
          el(
            "tr",
            {},
            el("th", { scope: "row", dir: "auto" }, name),
            values.map((value) => el("td", {}, value)),
          ),
        ),
      ),
    ),
  );
}
