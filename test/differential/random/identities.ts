import { parseYaml } from "../../../src/internal/yaml/yaml.js";
import type { Difference } from "../compare.js";
import { bodyOf, headersOf, plain } from "../compare.js";
import type { Answer } from "../servers.js";
import type { Json } from "./kinds.js";

const uidText = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const addressText = /\b10\.0\.[01]\.\d+\b/g;
const isTime = /^20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const timeMember = /\b(\w+)(\\*":\s*\\*")(20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/g;
const cellAge = /^(<invalid>|\d+[smhd]([\dsmhd]*))$/;

/** Comparable parts of an answer, with its body decoded. */
export interface ComparableAnswer {
  readonly status: number;
  readonly headers: Json;
  readonly body: unknown;
}

/** Returns the parts of an answer that are compared. */
export function comparableParts(answer: Answer): ComparableAnswer {
  return {
    status: answer.status,
    headers: headersOf(answer),
    body: dataOf(bodyOf(answer), answer.headers["content-type"] ?? ""),
  };
}

/** Parses YAML, because its formatting is compared elsewhere. */
function dataOf(body: unknown, type: string): unknown {
  const text = (body as Json | null)?.["$text"];
  return type.includes("yaml") && typeof text === "string" ? { $yaml: parseYaml(text) } : body;
}

/** Maps values of one server to those of the other: uids, versions, addresses, ports, tokens and generated names. */
export class Identities {
  /** Names that each server completed with its own random letters. */
  readonly #names = new Map<string, string>();
  readonly #values = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  readonly #versionsTaken = new Map<string, string>();
  readonly #listVersions = new Map<string, string>();
  /** Timestamps by each server's clock, by field. They may differ by a second. */
  readonly #times = new Map<string, string>();

  /** Translates a text with values of the real server to values of ours. */
  ours(text: string): string {
    let other = text
      .replace(uidText, (uid) => this.#values.get(uid) ?? uid)
      .replace(addressText, (address) => this.#values.get(address) ?? address);
    for (const [name, own] of this.#names) other = other.replaceAll(name, own);
    return other;
  }

  /** Translates a request, in which versions, ports and continue tokens are recognized by their position. */
  ourRequest(text: string): string {
    return this.ours(text)
      .replace(
        timeMember,
        (_, key: string, between: string, time: string) =>
          `${key}${between}${this.#times.get(`${key} ${time}`) ?? time}`,
      )
      .replace(
        /(resourceVersion(?:=|\\?":\s*\\?"|: "))(\d+)/gi,
        (_, before: string, version: string) => `${before}${this.version(version)}`,
      )
      .replace(
        /("path":"\/metadata\/resourceVersion","value":")(\d+)/g,
        (_, before: string, version: string) => `${before}${this.version(version)}`,
      )
      .replace(
        /("(?:nodePort|healthCheckNodePort)":)(\d+)/g,
        (_, before: string, port: string) => `${before}${this.#values.get(port) ?? port}`,
      )
      .replace(
        /(continue=)([^&]+)/g,
        (_, before: string, token: string) =>
          `${before}${encodeURIComponent(this.#values.get(decodeURIComponent(token)) ?? decodeURIComponent(token))}`,
      );
  }

  /** Translates a version of the real server to ours. */
  version(version: string): string {
    return this.#versions.get(version) ?? this.#listVersions.get(version) ?? version;
  }

  /** Returns the differences between two answers, except for identities, which it learns from them. */
  differences(real: ComparableAnswer, own: ComparableAnswer): Difference[] {
    const found: Difference[] = [];
    if (real.status !== own.status) found.push({ at: "/status", real: real.status, own: own.status });
    this.#walk(real.headers, own.headers, "/headers", "", found);
    const [wanted, got] = [real.body as Json | null, own.body as Json | null];
    this.#learnName(wanted, got);
    if (wanted?.["kind"] !== got?.["kind"]) found.push({ at: "/body", real: brief(wanted), own: brief(got) });
    else this.#walk(wanted, got, "/body", "", found);
    return found;
  }

  /** A generated name that was then rejected occurs only in the details of the error. */
  #learnName(real: Json | null, own: Json | null): void {
    const inner = (body: Json | null): Json | null | undefined =>
      (body?.["$cbor"] ?? body?.["$protobuf"] ?? body?.["$yaml"] ?? body) as Json | null | undefined;
    const rows = (body: Json | null): Json | undefined =>
      (inner(body)?.["rows"] as Json[] | undefined)?.[0]?.["object"] as Json | undefined;
    const [name, other] = [real, own].map(
      (body) => ((inner(body)?.["details"] ?? (rows(body) ?? inner(body))?.["metadata"]) as Json | undefined)?.["name"],
    );
    if (typeof name === "string" && typeof other === "string" && name !== other && generated(name, other))
      this.#names.set(name, other);
  }

  #walk(real: unknown, own: unknown, at: string, key: string, found: Difference[]): void {
    if (typeof real === "string" && typeof own === "string") {
      if (!this.#sameText(real, own, at, key)) found.push({ at, real, own });
      return;
    }
    if (typeof real === "number" && typeof own === "number" && (key === "nodePort" || key === "healthCheckNodePort")) {
      // Values from a dry run are free again.
      const known = this.#values.get(String(real));
      if (known === undefined) this.#values.set(String(real), String(own));
      else if (known !== String(own)) found.push({ at, real, own });
      return;
    }
    if (
      typeof real !== "object" ||
      typeof own !== "object" ||
      real === null ||
      own === null ||
      Array.isArray(real) !== Array.isArray(own)
    ) {
      if (!Object.is(real, own)) found.push({ at, real, own });
      return;
    }
    if (Array.isArray(real)) {
      const [wanted, got] = [ordered(real, key), ordered(own as unknown[], key)];
      for (let index = 0; index < Math.max(wanted.length, got.length); index += 1)
        this.#walk(wanted[index], got[index], `${at}/${String(index)}`, key === "cells" ? "cell" : "", found);
      return;
    }
    const { metadata: wanted, ...rest } = real as Json;
    const { metadata: got, ...ownRest } = own as Json;
    // Learn generated names first, because other texts contain them.
    if (wanted !== undefined || got !== undefined)
      this.#walk(wanted, got, `${at}/metadata`, isList(real as Json) ? "listMeta" : "metadata", found);
    for (const name of new Set([...Object.keys(rest), ...Object.keys(ownRest)])) {
      if (name === "description" && key === "") continue;
      this.#walk(
        rest[name],
        ownRest[name],
        `${at}/${name}`,
        name === "resourceVersion" && key === "listMeta" ? "listVersion" : name,
        found,
      );
    }
  }

  #sameText(real: string, own: string, at: string, key: string): boolean {
    if (key === "listVersion") {
      if (!this.#listVersions.has(real) || Number(own) > Number(this.#listVersions.get(real)))
        this.#listVersions.set(real, own);
      return /^\d*$/.test(own) && (real === "") === (own === "");
    }
    if (key === "resourceVersion" && /^\d{2,}$/.test(real) && /^\d{2,}$/.test(own))
      return this.#same(this.#versions, this.#versionsTaken, real, own);
    if (key === "continue" && real !== "" && own !== "") {
      this.#values.set(real, own);
      return true;
    }
    if (real === own) return true;
    if (key === "token" && real.split(".").length === 3 && own.split(".").length === 3) return true;
    if (isTime.test(real) && isTime.test(own)) {
      this.#times.set(`${key} ${real}`, own);
      return real.length === own.length;
    }
    if (key === "cell" && cellAge.test(real) && cellAge.test(own)) return true;
    if (key === "name" && /\/metadata\/name$/.test(at) && generated(real, own)) this.#names.set(real, own);
    for (const pattern of [uidText, addressText]) {
      const [wanted, got] = [real.match(pattern) ?? [], own.match(pattern) ?? []];
      if (wanted.length === got.length && key !== "message")
        for (const [index, value] of wanted.entries())
          if (!this.#values.has(value)) this.#values.set(value, got[index]!);
    }
    const said = this.ours(real);
    if (said === own) return true;
    if (/(^|\/)(uid|clusterIP)$/.test(at) || key === "uid") return false;
    // Versions may have been copied to any place.
    return (
      masked(said) === masked(own) ||
      masked(said.replace(/\b\d{2,}\b/g, (number) => this.#versions.get(number) ?? number)) === masked(own)
    );
  }

  #same(map: Map<string, string>, taken: Map<string, string>, real: string, own: string): boolean {
    const known = map.get(real);
    if (known !== undefined) return known === own;
    if (taken.has(own)) return false;
    map.set(real, own);
    taken.set(own, real);
    return true;
  }
}

/** Removes versions, times, uids, node ports, generated names and tokens from a text. */
export function masked(text: string): string {
  return plain(text)
    .replace(/((?:nodePort|healthCheckNodePort)(?:\\*":|: ))\d+/gi, "$1<port>")
    .replace(/\b(g\d+-|UPPER)[a-z0-9]{5}\b/g, "$1<name>")
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, "<token>")
    .replace(/(resourceVersion(?:\\*"|'+): ?(?:\\*"|'+))\d+/g, "$1<rv>")
    .replace(/(\bresourceVersion:)\d+/g, "$1<rv>")
    .replace(/(the precondition \(|in precondition: |in object meta: )\d+/g, "$1<rv>");
}

/** Returns true if two names have the same prefix and random letters from each server. */
function generated(real: string, own: string): boolean {
  return (
    real.length === own.length &&
    real.length >= 5 &&
    real.slice(0, -5) === own.slice(0, -5) &&
    /^[a-z0-9]{5}$/.test(real.slice(-5)) &&
    /^[a-z0-9]{5}$/.test(own.slice(-5))
  );
}

function isList(object: Json): boolean {
  return (
    Array.isArray(object["items"]) || Array.isArray(object["rows"]) || /List$|^Table$/.test(String(object["kind"]))
  );
}

function brief(body: Json | null): unknown {
  return body?.["kind"] === "Status" ? `Status: ${String(body["message"])}` : (body?.["kind"] ?? body);
}

/** Sorts lists whose order has no meaning. */
function ordered(list: readonly unknown[], key: string): readonly unknown[] {
  if (key !== "causes" && key !== "managedFields") return list;
  return [...list].sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
}

const orderOf = (value: unknown): string => {
  const one = value as Json;
  return JSON.stringify([
    one["field"],
    one["reason"],
    one["message"],
    one["operation"],
    one["manager"],
    one["apiVersion"],
    one["subresource"],
  ]);
};
