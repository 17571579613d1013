import { words } from "../../internal/words.js";

/** Words that can't be identifiers. */
export const reservedWords: ReadonlySet<string> = new Set(
  words(
    "true false null in as break const continue else for function if import let loop package namespace return var void",
    "while",
  ),
);
