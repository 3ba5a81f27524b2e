"use strict";

const js = require("@eslint/js");
const globals = require("globals");

const scripts = ["ttt_lib/board/static/**/*.js", "book/site/static/*.js"];

module.exports = [
  { ignores: ["book/site/static/minisearch/"] }, // not ours
  {
    files: scripts,
    languageOptions: { sourceType: "script", globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      ...js.configs.recommended.rules,
      "no-nested-ternary": "error",
      "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }]
    }
  },
  {
    files: scripts,
    ignores: ["ttt_lib/board/static/format.js"], // it declares what the others add to
    languageOptions: { globals: { ttt: "writable", bookStore: "readonly" } }
  }
];
