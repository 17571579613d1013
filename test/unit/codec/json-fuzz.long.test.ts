import { describe, expect, it } from "vitest";
import type { Codec } from "../../../src/codec/codec.js";
import { json } from "../../../src/codec/json/json.js";
import { sharedJson } from "../../../src/codec/json/shared-json.js";
import { ProtocolError } from "../../../src/errors/errors.js";
import type { DecodeOptions } from "../../../src/meta/options.js";
import { createRandom, type Random, randomChunks } from "./random.js";

type Plain = Record<string, unknown>;

const encoder = new TextEncoder();

/** Fragments of text that look like structure. */
const BITS = [
  "a",
  "}]},",
  "},",
  '"spec":{',
  '"managedFields":[',
  '}]},"',
  "\\",
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '},{"metadata":{"name":',
  "é",
  '{"metadata":{',
  "f:x",
  "\n",
  '"items":[',
  "]}",
  '","object":',
  "__proto__",
  "\u2028",
];
const KEYS = [
  "spec",
  "status",
  "metadata",
  "managedFields",
  "items",
  "name",
  "__proto__",
  "constructor",
  "kind",
  "apiVersion",
  "data",
  "a",
];

const text = (random: Random): string => Array.from({ length: 1 + random.below(4) }, () => random.pick(BITS)).join("");
// V8's JSON.parse in Node 24 confuses the keys quote and backslash if the previous object had the former, so names
// never end with a backslash.
const named = (random: Random): string => text(random).replace(/\\+$/, "$&.");
const key = (random: Random): string => (random.below(2) === 0 ? random.pick(KEYS) : named(random));

function set(object: Plain, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

function value(random: Random, depth: number): unknown {
  switch (random.below(depth > 3 ? 3 : 6)) {
    case 0:
      return text(random);
    case 1:
      return random.pick([0, 1, -1.5, 1e21, true, false, null]);
    case 2:
      return random.below(1000);
    case 3:
      return Array.from({ length: random.below(4) }, () => value(random, depth + 1));
    default: {
      const object: Plain = {};
      for (let i = random.below(4); i > 0; i--) set(object, key(random), value(random, depth + 1));
      return object;
    }
  }
}

function managed(random: Random): unknown {
  if (random.below(8) === 0) return value(random, 1);
  // Elements that begin like items of a list and contain lists, so the bytes between them can look like the end of the
  // object.
  if (random.below(4) === 0)
    return Array.from({ length: 1 + random.below(3) }, () => ({
      ...(random.below(2) === 0 ? { metadata: { name: value(random, 2) } } : {}),
      y: { a: [{}] },
      b: value(random, 2),
    }));
  return Array.from({ length: random.below(3) }, () => ({
    manager: text(random),
    fieldsV1: { [`f:${named(random)}`]: {} },
    ...(random.below(3) === 0 ? { x: value(random, 3) } : {}),
  }));
}

function apiObject(random: Random): Plain {
  const object: Plain = {};
  if (random.below(2) === 0) Object.assign(object, { kind: "K", apiVersion: "v1" });
  if (random.below(6) === 0) set(object, key(random), value(random, 1));
  const metadata: Plain = {};
  if (random.below(10) > 0) metadata["name"] = text(random);
  if (random.below(2) === 0) metadata["namespace"] = "n";
  if (random.below(2) === 0) metadata["labels"] = { [named(random)]: text(random) };
  if (random.below(5) === 0) set(metadata, key(random), value(random, 2));
  if (random.below(4) > 0) metadata["managedFields"] = managed(random);
  if (random.below(5) === 0) set(metadata, key(random), value(random, 2));
  object["metadata"] = random.below(30) === 0 ? value(random, 1) : metadata;
  if (random.below(3) > 0) object["spec"] = value(random, 0);
  if (random.below(3) > 0) object["status"] = { x: value(random, 1) };
  if (random.below(6) === 0) set(object, key(random), value(random, 1));
  return object;
}

/** Randomly adds white space, unneeded escapes or a duplicate key. */
function write(random: Random, object: unknown): string {
  let written = JSON.stringify(object, undefined, random.below(10) === 0 ? random.pick([1, "\t"]) : undefined);
  if (random.below(12) === 0) written = written.replace("managedFields", "managed\\u0046ields");
  if (random.below(12) === 0)
    written = written.replace(/\{"/, '{"metadata":{"name":"twice"},"').replace(/,\s*\}$/, "}");
  if (random.below(20) === 0) written = written.replace(/\}$/, ',"metadata":{"managedFields":[]}}').replace("{,", "{");
  return written;
}

const OPTIONS: readonly (DecodeOptions | undefined)[] = [
  undefined,
  { managedFields: "drop" },
  { managedFields: "lazy" },
  { lazy: true },
  { lazy: true, managedFields: "drop" },
  { lazy: true, managedFields: "lazy" },
  { lazy: true, pool: {} },
  { lazy: true, managedFields: "drop", pool: {} },
];

/** Returns the codec that supports the options. */
function codecOf(options: DecodeOptions | undefined): Codec {
  return options?.pool === undefined ? json() : sharedJson();
}

/** Expected result: `JSON.parse`, with the policy applied afterwards. */
function expected(written: string, options: DecodeOptions | undefined): unknown {
  const object = JSON.parse(written) as Plain;
  const metadata = object["metadata"] as Plain | null | undefined;
  if (options?.managedFields === "drop" && typeof metadata === "object" && metadata !== null)
    delete metadata["managedFields"];
  return object;
}

/** Serializes a value with sorted keys. Reads every accessor and treats `constructor` as data. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical((value as Plain)[name])}`)
    .join(",")}}`;
}

function isValid(written: string): boolean {
  try {
    JSON.parse(written);
    return true;
  } catch {
    return false;
  }
}

function run(rounds: number, round: (random: Random) => void): void {
  const random = createRandom();
  for (let i = 0; i < rounds * Number(process.env["KUBESTREAM_FUZZ"] ?? 1); i++) {
    try {
      round(random);
    } catch (error) {
      throw new Error(`round ${String(i)}`, { cause: error });
    }
  }
}

describe("adversarial JSON", () => {
  it("decodes to the same objects as with JSON.parse", () => {
    run(20_000, (random) => {
      const written = write(random, apiObject(random));
      if (!isValid(written)) return;
      const options = random.pick(OPTIONS);
      expect(canonical(codecOf(options).decode(encoder.encode(written), options)), written).toBe(
        canonical(expected(written, options)),
      );
    });
  }, 180_000);

  it("decodes to the same versions with and without a previous one", () => {
    run(4000, (random) => {
      const first = apiObject(random);
      const second = {
        ...apiObject(random),
        ...(random.below(3) > 0 ? { spec: first["spec"] } : {}),
        ...(random.below(3) === 0 ? { status: first["status"] } : {}),
      };
      const base = random.pick(OPTIONS);
      let previous: object | undefined;
      for (const object of [first, second, second, first]) {
        const written = JSON.stringify(object);
        const options = { ...base, previous: () => previous };
        const decoded = codecOf(options).decode(encoder.encode(written), options);
        expect(canonical(decoded), written).toBe(canonical(expected(written, options)));
        previous = decoded;
      }
    });
  }, 180_000);

  it("decodes to the same items as with JSON.parse, in any chunks", () => {
    run(4000, (random) => {
      const template = (): Plain => ({
        metadata: { name: text(random), x: value(random, 1) },
        spec: {
          templates: Array.from({ length: random.below(3) }, () => ({ metadata: { name: text(random) } })),
          z: value(random, 1),
        },
      });
      const items = Array.from({ length: random.below(6) }, () =>
        random.below(4) === 0 ? apiObject(random) : template(),
      );
      const list: Plain =
        random.below(3) === 0
          ? { apiVersion: "x/v1", items, kind: "L", metadata: { resourceVersion: "1" } }
          : { kind: "L", apiVersion: "v1", metadata: { resourceVersion: "1" }, items };
      const written = random.below(2) === 0 ? JSON.stringify(list) : `${write(random, list)}\n`;
      if (!isValid(written)) return;
      const whole = JSON.parse(written) as Plain;
      if (!Array.isArray(whole["items"]) || typeof whole["metadata"] !== "object") return;
      const options = random.pick(OPTIONS);
      const decoder = codecOf(options).createListDecoder(options);
      const decoded: object[] = [];
      for (const chunk of randomChunks(random, encoder.encode(written), random.pick([1, 20, 200, 5000])))
        decoded.push(...decoder.push(chunk));
      const end = decoder.end();
      expect(canonical([...decoded, ...end.items]), written).toBe(
        canonical((whole["items"] as object[]).map((item) => expected(JSON.stringify(item), options))),
      );
      expect(end.metadata).toStrictEqual(whole["metadata"]);
    });
  }, 180_000);

  it("decodes to the same events as with JSON.parse, in any chunks, with and without line feeds", () => {
    run(3000, (random) => {
      const options = random.pick(OPTIONS);
      const documents = Array.from({ length: 1 + random.below(4) }, () => {
        const event = { type: random.pick(["ADDED", "MODIFIED", "x"]), object: apiObject(random) };
        return JSON.stringify(
          random.below(5) === 0 ? { object: event.object, type: event.type } : event,
          undefined,
          random.below(8) === 0 ? 1 : undefined,
        );
      });
      const bytes = encoder.encode(
        documents.map((document) => document + random.pick(["\n", "\n", "\n", "", "\r\n", " \n\n"])).join(""),
      );
      const decoder = codecOf(options).createWatchDecoder(options);
      const events: unknown[] = [];
      for (const chunk of randomChunks(random, bytes, random.pick([1, 20, 500, 5000])))
        events.push(...decoder.push(chunk));
      decoder.end();
      expect(canonical(events)).toBe(
        canonical(
          documents.map((document) => {
            const { type, object } = JSON.parse(document) as { type: string; object: object };
            return { type, object: expected(JSON.stringify(object), options) };
          }),
        ),
      );
    });
  }, 180_000);

  it("is rejected or decoded like with JSON.parse after random damage", () => {
    run(20_000, (random) => {
      const bytes = encoder.encode(write(random, apiObject(random)));
      const damaged = bytes.slice(0, random.below(3) === 0 ? random.below(bytes.length) : bytes.length);
      for (let i = random.below(3); i > 0 && damaged.length > 0; i--)
        damaged[random.below(damaged.length)] =
          random.below(2) === 0 ? random.below(256) : random.pick(['"', "}", "]", ",", "\\"]).charCodeAt(0);
      const options = random.pick([undefined, { managedFields: "drop" }, { managedFields: "lazy" }] as const);
      let parsed: unknown;
      try {
        parsed = expected(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(damaged), options);
      } catch {
        parsed = undefined;
      }
      let decoded: unknown;
      try {
        decoded = json().decode(damaged, options);
      } catch (error) {
        expect(error).toBeInstanceOf(ProtocolError);
        expect(typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)).toBe(false);
        return;
      }
      // The decoder skips these bytes, so damage only in them goes unnoticed.
      if (parsed !== undefined) expect(canonical(decoded)).toBe(canonical(parsed));
      else expect(options?.managedFields).toBeDefined();
    });
  }, 180_000);
});
