import { headerText } from "../../internal/header-text.js";
import type { Warning } from "../../meta/options.js";

/**
 * Parses a `Warning` header, which may contain several warnings: `299 - "text", 299 - "text"`. Skips anything
 * malformed.
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

/**
 * Wraps a warning handler so that it sees each text once. Remembers the last 1,000 texts.
 *
 * @example
 * ```ts
 * import { dedupeWarnings } from "kubestream";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({ onWarning: dedupeWarnings(({ text }) => console.error("API warning:", text)) });
 * await client.close();
 * ```
 */
export function dedupeWarnings(handler: (warning: Warning) => void): (warning: Warning) => void {
  const seen = new Set<string>();
  return (warning) => {
    if (seen.has(warning.text)) return;
    if (seen.size >= maxRemembered) seen.delete(seen.values().next().value!);
    seen.add(warning.text);
    // A promise that rejects is dealt with by the caller.
    return handler(warning);
  };
}

/**
 * Returns the default warning handler, which logs each text once with `console.warn`, without control characters, which
 * could manipulate a terminal.
 */
export function logWarnings(): (warning: Warning) => void {
  return dedupeWarnings((warning) => {
    console.warn(`kubernetes warning: ${warning.text.replace(/\p{Cc}/gu, "")}`);
  });
}
