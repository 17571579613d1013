import { cbor } from "../../src/codec/cbor/cbor.js";
import { decodeCbor } from "../../src/codec/cbor/decode.js";
import { protobuf } from "../../src/codec/protobuf/protobuf.js";
import { warningCount, withoutWording } from "../support/outcome.js";
import type { Step } from "./probe.js";
import type { Answer } from "./servers.js";

/** Difference between two answers at one path. */
export interface Difference {
  readonly at: string;
  readonly real: unknown;
  readonly own: unknown;
}

type Json = Record<string, unknown>;

/** Headers whose values are compared. */
const compared = [
  "content-type",
  "warning",
  "retry-after",
  "location",
  "allow",
  "content-encoding",
  "vary",
  "www-authenticate",
  "cache-control",
  "x-content-type-options",
];
/** Headers that must be present on both sides. */
const present = [
  "etag",
  "audit-id",
  "x-kubernetes-pf-flowschema-uid",
  "x-kubernetes-pf-prioritylevel-uid",
  "strict-transport-security",
];
const uid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const time = /20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/** Returns the parts of an answer that must match: everything a client can rely on, without wording. */
export function comparable(answer: Answer, step: Step): Json {
  const wrong = step.ignore?.find((pointer) => pointer.startsWith("/body/"));
  if (wrong !== undefined) throw new Error(`${step.path}: ignore ${wrong}: pointers begin in the body`);
  const headers = headersOf(answer, [...compared, ...(step.compareHeaders ?? [])]);
  for (const [name, value] of Object.entries(headers)) if (typeof value === "string") headers[name] = plain(value);
  return { status: answer.status, headers, body: normalise(bodyOf(answer), [], step) };
}

/** Returns the compared headers; warnings only as their number. */
export function headersOf(answer: Answer, names: readonly string[] = compared): Json {
  const headers: Json = {};
  for (const name of names) if (answer.headers[name] !== undefined) headers[name] = answer.headers[name];
  for (const name of present) if (answer.headers[name] !== undefined) headers[name] = "present";
  if (answer.headers["warning"] !== undefined) headers["warning"] = warningCount(answer.headers["warning"]);
  return headers;
}

/** Returns the decoded body without its wording. */
export function bodyOf(answer: Answer): unknown {
  const body = decoded(answer);
  const failed = answer.status >= 400 && typeof (body as Json | null)?.["$text"] === "string";
  return failed ? { $text: "<text>" } : withoutWording(body);
}

function decoded(answer: Answer): unknown {
  if (answer.body.length === 0) return null;
  const type = answer.headers["content-type"] ?? "";
  if (type.includes("cbor")) return decodedCbor(answer.body, type);
  if (type.includes("protobuf")) return decodeProtobuf(answer.body, type);
  const text = new TextDecoder().decode(answer.body);
  if (!/json/.test(type)) return { $text: text };
  try {
    if (type.includes("stream=watch") || text.startsWith('{"type":'))
      return text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown);
    return JSON.parse(text) as unknown;
  } catch {
    return { $text: text };
  }
}

function decodedCbor(bytes: Uint8Array, type: string): unknown {
  try {
    return type.includes("cbor-seq")
      ? [...cbor().createWatchDecoder().push(bytes)]
      : { $cbor: decodeCbor(bytes, 0, bytes.length) };
  } catch (error) {
    return { $bytes: String(error) };
  }
}

function decodeProtobuf(bytes: Uint8Array, type: string): unknown {
  try {
    return {
      $protobuf: type.includes("stream=watch")
        ? [...protobuf().createWatchDecoder().push(bytes)]
        : protobuf().decode(bytes),
    };
  } catch (error) {
    return { $bytes: String(error) };
  }
}

/** Random suffix that a server appends to a generated name, with the unusual prefixes that the topics use. */
const generated = /\b(G-|a\.b\.|a\.b-|UPPER|__proto__|x{40,}|(?<=[" ])-)[bcdfghjklmnpqrstvwxz2456789]{5}(?=["\\]|$)/g;

/** Replaces the parts of a text that each server chooses itself. */
export function plain(text: string): string {
  return (
    text
      .replace(uid, "<uid>")
      .replace(generated, "$1<generated>")
      .replace(/\bkube-api-access-[a-z0-9]{5}\b/g, "kube-api-access-<generated>")
      .replace(time, "<time>")
      .replace(/[A-Za-z]+ \d+, \d{4}/g, "<date>")
      .replace(/resourceVersion\\?":\\?"\d+/g, 'resourceVersion":"<rv>')
      .replace(/ResourceVersion: \d+/g, "<rv>")
      .replace(/current: \d+/g, "current: <rv>")
      .replace(/\bselfType\d+/g, "selfType")
      .replace(/in (record|the precondition) \(\d+\)/g, "in $1 (<rv>)")
      .replace(/10\.0\.[01]\.\d+/g, "<ip>")
      .replace(/0x[0-9a-f]{6,}/g, "<address>")
      .replace(/^(#\/parameters\/\w+)-[\w-]+$/, "$1")
      .replace(/:3[0-2]\d{3}\//g, ":<port>/")
      .replace(/((?:healthCheckN|n)odePort:|nodePort: \{[A-Z]+ )3[0-2]\d{3}\b/g, "$1<port>")
      // Descriptions of columns have another wording.
      .replace(/- description: [\s\S]*?\n {2}format:/g, "- format:")
      .replace(/resourceVersion: "\d+"/g, 'resourceVersion: "<rv>"')
      .replace(/\b\d+\.\d+\.\d+\.\d+:\d{5}\b/g, "<host>")
      .replace(/\b[0-9A-F]{128}\b/g, "<hash>")
  );
}

function normalise(value: unknown, path: readonly string[], step: Step): unknown {
  if (step.ignore?.some((pointer) => matches(pointer, path)) === true) return "<ignored>";
  if (typeof value === "string") return plain(value);
  if (Array.isArray(value)) {
    const items = value.map((each, at) => normalise(each, [...path, String(at)], step));
    const last = path.at(-1);
    if (last === "causes" || last === "managedFields" || last === "resourceRules" || last === "nonResourceRules")
      items.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
    return items;
  }
  if (typeof value !== "object" || value === null) return value;
  const out: Json = {};
  for (const [key, each] of Object.entries(value)) {
    if ((key === "resourceVersion" || key === "continue") && typeof each === "string" && each !== "")
      out[key] = `<${key}>`;
    else if ((key === "nodePort" || key === "healthCheckNodePort") && typeof each === "number") out[key] = "<port>";
    else if (key === "description") continue;
    // Keys of managed fields may contain UIDs.
    else out[key.replace(uid, "<uid>")] = normalise(each, [...path, key], step);
  }
  return out;
}

const orderOf = (value: unknown): string => {
  const one = value as Json;
  return JSON.stringify([
    one["field"],
    one["reason"],
    one["message"],
    one["operation"],
    one["time"],
    one["manager"],
    one["apiVersion"],
    one["subresource"],
    one["apiGroups"],
    one["resources"],
    one["nonResourceURLs"],
  ]);
};

function matches(pointer: string, path: readonly string[]): boolean {
  const parts = pointer.split("/").slice(1);
  return parts.length === path.length && parts.every((part, at) => part === "*" || part === path[at]);
}

/** Returns a short form of an answer that has an entirely different type. */
function brief(body: unknown): unknown {
  const { kind, message } = (body ?? {}) as Json;
  return kind === "Status" ? `Status: ${String(message)}` : (kind ?? body);
}

/** Returns the differences between two normalized answers. */
export function differences(real: unknown, own: unknown, at = ""): Difference[] {
  if (Object.is(real, own)) return [];
  if (at === "/body" && (real as Json | null)?.["kind"] !== (own as Json | null)?.["kind"])
    return [{ at, real: brief(real), own: brief(own) }];
  if (
    typeof real !== "object" ||
    typeof own !== "object" ||
    real === null ||
    own === null ||
    Array.isArray(real) !== Array.isArray(own)
  )
    return [{ at, real, own }];
  const found: Difference[] = [];
  for (const key of new Set([...Object.keys(real), ...Object.keys(own)]))
    found.push(...differences((real as Json)[key], (own as Json)[key], `${at}/${key}`));
  return found;
}
