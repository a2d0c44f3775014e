/** @import {App} from "../types.js" */
import { el, notify } from "../dom.js";
import { downloadJson } from "../download.js";
import { several } from "../format.js";

/**
 * Buttons that save labels to a file, and take them from one.
 * @param {App} app
 */
export function labelTools({ labels }) {
  const file = el("input", {
    type: "file",
    accept: ".json,application/json",
    hidden: true,
    "aria-label": "File of labels",
    onchange: async () => {
      const [chosen] = file.files ?? [];
      file.value = "";
      if (!chosen) return;
      try {
        const n = labels.import(JSON.parse(await chosen.text()));
        notify(`${several(n, "label")} taken from ${chosen.name}. ${labels.warning()}`.trim());
      } catch {
        notify(`${chosen.name} is not a file of labels of these topics.`);
      }
    },
  });
  return [
    el(
      "button",
      {
        type: "button",
        title: "A file for set_labels in Python, or for a newer report",
        onclick: () => {
          downloadJson("labels.json", labels.export());
          notify(labels.warning());
        },
      },
      "Save labels",
    ),
    el("button", { type: "button", onclick: () => file.click() }, "Load labels"),
    file,
  ];
}
