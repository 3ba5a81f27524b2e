"use strict";

const js = require("@eslint/js");
const globals = require("globals");

const recommended = { ...js.configs.recommended.rules, "no-nested-ternary": "error" };

module.exports = [
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["ttt_lib/board/static/**/*.js", "book/site/static/*.js"],
    languageOptions: { sourceType: "script", globals: { ...globals.browser, ttt: "writable" } },
    rules: recommended
  }
];
