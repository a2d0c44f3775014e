import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, sourceType: "module" },
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      // Text enters the page by textContent only.
      "no-restricted-properties": [
        "error",
        { property: "innerHTML" },
        { property: "outerHTML" },
        { property: "insertAdjacentHTML" },
        { object: "document", property: "write" },
      ],
      "no-eval": "error",
      "no-implied-eval": "error",
      "max-lines": ["error", 300],
    },
  },
  { files: ["src/**"], languageOptions: { globals: globals.browser } },
  { files: ["*.mjs"], languageOptions: { globals: globals.node } },
];
