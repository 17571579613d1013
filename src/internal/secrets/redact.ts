import { base64Encode } from "../base64.js";
import { utf8Encode } from "../bytes.js";
import { latin1Slice } from "../latin1.js";
import { foldLayer, layerOf, type TextLayer, unescapeLayer } from "./text-layers.js";

const replacement = "[redacted]";
/** Secrets with fewer characters are ignored, because ordinary words would match. */
const shortest = 8;
/** Long secrets are also found in parts of this length, because a text may contain only a part of one. */
const window = 16;
/** Encodings within each other that are undone, such as percent-encoding within JSON. */
const maxLayers = 3;
/** Secrets that are remembered: those in use, and those that they replaced. */
const maxSecrets = 16;

/** Secrets, and a function that removes them from texts. Nothing returns the secrets again. */
export interface SecretTexts {
  /** Adds a secret of at least 8 characters. Beyond 16, the one that was added the longest ago is forgotten. */
  add(secret: string): void;
  /**
   * Replaces every secret in the text: in plain text in any letter case, in base64 (also within a longer encoded text), in
   * hexadecimal, percent-encoded, and escaped as in JSON or HTML. Takes time linear in the text.
   */
  redact(text: string): string;
}

/** Creates an empty set of secrets. */
export function createSecretTexts(): SecretTexts {
  const known = new Set<string>();
  let needles: Needles | undefined;
  return {
    add(secret) {
      if (secret.length < shortest) return;
      const isNew = !known.delete(secret);
      known.add(secret);
      if (!isNew) return;
      if (known.size > maxSecrets) known.delete(known.values().next().value!);
      needles = undefined;
    },
    redact(text) {
      if (known.size === 0 || text.length < shortest) return text;
      needles ??= needlesFor(known);
      return replaceNeedles(text, needles);
    },
  };
}

/** Texts to search for: folded, and at least `shortest` bytes long. */
interface Needles {
  /** The texts by the hash of their first bytes. */
  readonly byHash: ReadonlyMap<number, readonly Uint8Array[]>;
  /** 1 at the last bits of every hash: faster to read than the map. */
  readonly filter: Uint8Array;
}

const filterBits = 0xffff;

function needlesFor(secrets: Iterable<string>): Needles {
  const byHash = new Map<number, Uint8Array[]>();
  const filter = new Uint8Array(filterBits + 1);
  const seen = new Set<string>();
  for (const form of [...secrets].flatMap(formsOf)) {
    const { bytes } = foldLayer(layerOf(form));
    if (bytes.length < shortest) continue;
    const length = bytes.length < window * 1.5 ? bytes.length : window;
    for (let at = 0; at + length <= bytes.length; at++) {
      const needle = bytes.slice(at, at + length);
      const name = latin1Slice(needle, 0, needle.length);
      if (seen.has(name)) continue;
      seen.add(name);
      const hash = hashOf(needle);
      filter[hash & filterBits] = 1;
      const others = byHash.get(hash);
      if (others === undefined) byHash.set(hash, [needle]);
      else others.push(needle);
    }
  }
  return { byHash, filter };
}

/** Returns the forms of a secret that unescaping doesn't undo: itself, base64 at each alignment, and hexadecimal. */
function formsOf(secret: string): string[] {
  const bytes = utf8Encode(secret);
  const forms = [secret, Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")];
  // A form writes a space as a plus.
  if (secret.includes(" ")) forms.push(secret.replaceAll(" ", "+"));
  for (const before of [0, 1, 2]) {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    // Only the characters that depend on nothing but the secret.
    forms.push(base64Encode(padded).slice(Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6)));
  }
  return forms;
}

const leadingFactor = Array.from({ length: shortest - 1 }).reduce((power: number) => Math.imul(power, 31), 1);

function hashOf(bytes: Uint8Array): number {
  let hash = 0;
  for (let at = 0; at < shortest; at++) hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
  return hash;
}

function replaceNeedles(text: string, needles: Needles): string {
  const hidden: [start: number, end: number][] = [];
  let layer: TextLayer | undefined = layerOf(text);
  for (let depth = 0; depth <= maxLayers && layer !== undefined; depth++) {
    search(foldLayer(layer), needles, hidden);
    layer = unescapeLayer(layer);
  }
  return hidden.length === 0 ? text : hide(text, hidden);
}

/** Finds needles with a rolling hash of their first bytes. */
function search({ bytes, starts, ends }: TextLayer, { byHash, filter }: Needles, hidden: [number, number][]): void {
  if (bytes.length < shortest) return;
  let hash = hashOf(bytes);
  for (let at = 0; ; at++) {
    if (filter[hash & filterBits] === 1) {
      const needle = byHash.get(hash)?.find((each) => startsAt(bytes, each, at));
      if (needle !== undefined) hidden.push([starts[at]!, ends[at + needle.length - 1]!]);
    }
    if (at + shortest >= bytes.length) return;
    hash = (Math.imul(hash - Math.imul(bytes[at]!, leadingFactor), 31) + bytes[at + shortest]!) | 0;
  }
}

function startsAt(bytes: Uint8Array, needle: Uint8Array, at: number): boolean {
  if (at + needle.length > bytes.length) return false;
  for (let index = 0; index < needle.length; index++) if (bytes[at + index] !== needle[index]) return false;
  return true;
}

/** Replaces each range, and ranges that touch as one. */
function hide(text: string, ranges: [start: number, end: number][]): string {
  ranges.sort((a, b) => a[0] - b[0]);
  let shown = "";
  let at = 0;
  let until = -1;
  for (const [start, end] of ranges) {
    if (start > until) {
      if (until >= 0) shown += replacement;
      shown += text.slice(Math.max(at, until), start);
      at = start;
    }
    until = Math.max(until, end);
  }
  return shown + replacement + text.slice(until);
}
