import { headerText } from "../../internal/header-text.js";
import type { Warning } from "../../meta/options.js";

/**
 * Reads `Warning` headers, several joined by commas: `299 - "text", 299 - "text"`. What is no warning is skipped.
 * @see https://www.rfc-editor.org/rfc/rfc7234#section-5.5
 */
export function parseWarnings(header: string): Warning[] {
  const warnings: Warning[] = [];
  const pattern = /(\d{3}) ([^ ",]+) "((?:[^"\\]|\\.)*)"(?: "[^"]*")?/gy;
  let at = 0;
  while (at < header.length) {
    pattern.lastIndex = at;
    const match = pattern.exec(header);
    if (match) {
      warnings.push({ code: Number(match[1]), agent: match[2]!, text: headerText(match[3]!).replace(/\\(.)/g, "$1") });
      at = pattern.lastIndex;
    } else at += 1;
    while (header[at] === "," || header[at] === " ") at += 1;
  }
  return warnings;
}

const maxRemembered = 1000;

/** A handler that hands each text on once, as far as it remembers: the last 1,000 texts. */
export function onceEach(handler: (warning: Warning) => void): (warning: Warning) => void {
  const seen = new Set<string>();
  return (warning) => {
    if (seen.has(warning.text)) return;
    if (seen.size >= maxRemembered) seen.delete(seen.values().next().value!);
    seen.add(warning.text);
    handler(warning);
  };
}

/** What a client does with warnings unless told otherwise: it logs each text once. */
export function logWarnings(): (warning: Warning) => void {
  return onceEach((warning) => {
    console.warn(`kubernetes warning: ${warning.text}`);
  });
}
