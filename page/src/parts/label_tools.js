/** @import {App} from "../types.js" */
import { el, notify } from "../dom.js";
import { downloadJson } from "../download.js";
import { several } from "../format.js";

/**
 * Save all labels to a file, if there are any.
 * @param {App["labels"]} labels
 */
export function saveLabels(labels) {
  const saved = labels.export();
  if (!Object.keys(saved).length) {
    notify("There are no labels to save: no topic has a label.");
    return;
  }
  downloadJson("labels.json", saved);
  notify(labels.warning());
}

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
        notify(`${several(n, "label")} loaded from ${chosen.name}. ${labels.warning()}`.trim());
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
        title: "As a file, for set_labels in Python or for a newer report",
        onclick: () => saveLabels(labels),
      },
      "Save labels",
    ),
    el("button", { type: "button", onclick: () => file.click() }, "Load labels"),
    file,
  ];
}
