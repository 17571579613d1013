import { warningCount, withoutWording } from "./outcome.js";
import type { RawAnswer } from "./raw-http.js";

const compared = [
  "content-type",
  "retry-after",
  "location",
  "allow",
  "content-encoding",
  "vary",
  "www-authenticate",
  "cache-control",
  "x-content-type-options",
  "upgrade",
];
const present = ["audit-id", "x-kubernetes-pf-flowschema-uid", "x-kubernetes-pf-prioritylevel-uid"];

/** Replaces text that differs between runs. */
function plain(text: string): string {
  return (
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
      .replace(/20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
      .replace(/(resourceVersion[\\"]*: ?[\\"]+)\d+/g, "$1<rv>")
      .replace(/127\.0\.0\.1:\d+/g, "<host>")
      .replace(/\b[0-9A-F]{128}\b/g, "<hash>")
      // Ages, and descriptions of columns, which have another wording.
      .replace(/"\d+[smh](?:\d+[sm])?"/g, '"<age>"')
      .replace(/"description":"(?:[^"\\]|\\.)*"/g, '"description":""')
  );
}

/** Returns a failure as clients read it, without its wording. */
function failureOf(text: string): unknown {
  try {
    return withoutWording(JSON.parse(text));
  } catch {
    return text === "" ? "" : "<text>";
  }
}

const isWatch = (text: string): boolean => text.startsWith('{"type":');

/** Returns the kind of a document. */
function kindOf(text: string): string | undefined {
  const parsed = failureOf(text) as { kind?: string } | string;
  return typeof parsed === "string" ? undefined : parsed.kind;
}

/** Returns the parts of an answer that two servers must have in common: everything that a client can rely on. */
export function shortRaw({ interim, status, headers, body }: RawAnswer): Readonly<Record<string, unknown>> {
  const shown = Object.fromEntries(
    compared.flatMap((name) => (headers.has(name) ? [[name, plain(headers.get(name)!.join("\n"))]] : [])),
  );
  const there = Object.fromEntries(present.flatMap((name) => (headers.has(name) ? [[name, "present"]] : [])));
  const text = plain(new TextDecoder().decode(body));
  const failed = status >= 400 || status < 200;
  // CBOR keys may have any order.
  const binary = /cbor|protobuf/.test(headers.get("content-type")?.[0] ?? "");
  return {
    interim,
    status,
    headers: { ...shown, ...there, warnings: warningCount(headers.get("warning")?.join("\n") ?? "") },
    body: binary
      ? { empty: text.length === 0 }
      : failed
        ? failureOf(text)
        : isWatch(text)
          ? text.trim().split("\n").map(failureOf)
          : { empty: text.length === 0, kind: kindOf(text) },
  };
}
