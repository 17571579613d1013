import type { RawAnswer } from "./raw-http.js";

const compared = ["content-type", "warning", "retry-after", "location", "allow", "content-encoding", "vary", "www-authenticate", "cache-control", "x-content-type-options", "connection", "upgrade"];
const present = ["audit-id", "x-kubernetes-pf-flowschema-uid", "x-kubernetes-pf-prioritylevel-uid"];

/** What is another each time. */
function plain(text: string): string {
  return text.replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>").replace(/20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>").replace(/(resourceVersion[\\"]*: ?[\\"]+)\d+/g, "$1<rv>").replace(/127\.0\.0\.1:\d+/g, "<host>").replace(/\b[0-9A-F]{128}\b/g, "<hash>");
}

/** A failure as clients read it, whatever the text of its JSON. */
function failureOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The kind of a document, or of the first event of a watch. */
function kindOf(text: string): string | undefined {
  const parsed = failureOf(text.startsWith('{"type":') ? text.slice(0, text.indexOf("\n")) : text) as { kind?: string; object?: { kind?: string } } | string;
  return typeof parsed === "string" ? undefined : (parsed.kind ?? parsed.object?.kind);
}

/** What two servers are to have in common in an answer: all that a client can go by. */
export function shortRaw({ interim, status, headers, body }: RawAnswer): Readonly<Record<string, unknown>> {
  const shown = Object.fromEntries(compared.flatMap((name) => (headers.has(name) ? [[name, plain(headers.get(name)!.join("\n"))]] : [])));
  const there = Object.fromEntries(present.flatMap((name) => (headers.has(name) ? [[name, "present"]] : [])));
  const text = plain(new TextDecoder().decode(body));
  const failed = status >= 400 || status < 200;
  return { interim, status, headers: { ...shown, ...there }, body: failed ? failureOf(text) : { empty: text.length === 0, kind: kindOf(text) } };
}
