import type { ResponseInfo } from "./response-info.js";

/** Replaces credentials in a text. */
export type Redact = (text: string) => string;

/** Nesting of fields beyond which an untrusted value is replaced as a whole. */
const maxDepth = 100;

/** A JSON Web Token without content, `eyJa.a.`. Errors have many texts that are shorter. */
const shortestToken = 7;

/** Replaces credentials without knowing them: what follows `Bearer` or `Basic`, and JSON Web Tokens. */
export function redactTokens(text: string): string {
  if (text.length < shortestToken) return text;
  return text
    .replace(/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, "$1 [redacted]")
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, "[redacted]");
}

/**
 * Replaces credentials in an error and its causes: in messages, stacks and all fields, such as the Status of a server that
 * repeats the request's token. Changes the error in place and returns it.
 */
export function redactError<E>(error: E, redact: Redact): E {
  cleanError(error, redact, new Set());
  return error;
}

function cleanError(error: unknown, redact: Redact, seen: Set<unknown>): void {
  if (!(error instanceof Error) || seen.has(error)) return;
  seen.add(error);
  let changed = false;
  for (const name of Object.getOwnPropertyNames(error)) {
    // Reading the stack of an error is expensive.
    if (name === "stack") continue;
    const value: unknown = (error as unknown as Record<string, unknown>)[name];
    if (value instanceof Error) {
      cleanError(value, redact, seen);
      continue;
    }
    if (Array.isArray(value)) for (const each of value) cleanError(each, redact, seen);
    const clean = cleanValue(value, redact, 0);
    if (clean === value) continue;
    changed = true;
    Reflect.defineProperty(error, name, { value: clean });
  }
  if (changed && error.stack !== undefined) Reflect.defineProperty(error, "stack", { value: redact(error.stack) });
}

/** Returns the value without credentials: the same value if it contains none. */
function cleanValue(value: unknown, redact: Redact, depth: number): unknown {
  if (typeof value === "string") return redact(value);
  if (typeof value !== "object" || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  if (depth === maxDepth) return "[redacted]";
  if (Array.isArray(value)) {
    const clean = value.map((each) => cleanValue(each, redact, depth + 1));
    return clean.some((each, index) => each !== value[index]) ? clean : value;
  }
  const members = value as Record<string, unknown>;
  const names = Object.keys(members);
  // Set by the first member that contains a credential. Most errors have none.
  let clean: [string, unknown][] | undefined;
  for (let at = 0; at < names.length; at++) {
    const name = names[at]!;
    const before = members[name];
    const after = cleanValue(before, redact, depth + 1);
    const cleanName = redact(name);
    if (after !== before || cleanName !== name) clean ??= names.slice(0, at).map((each) => [each, members[each]]);
    clean?.push([cleanName, after]);
  }
  return clean === undefined ? value : Object.fromEntries(clean);
}

/** Replaces credentials in the headers and warnings of a response. */
export function redactInfo(info: ResponseInfo, redact: Redact): ResponseInfo {
  const { headers, warnings, ...rest } = info;
  return {
    ...(cleanValue(rest, redact, 0) as typeof rest),
    headers: {
      get(name) {
        const value = headers.get(name);
        return value === null ? null : redact(value);
      },
    },
    warnings: cleanValue(warnings, redact, 0) as typeof warnings,
  };
}
