import { rawError } from "../errors/status.js";

/** A shard of a collection: ranges of a hash over UID or namespace. */
export interface ShardSelector {
  /** Normalized expression. */
  readonly text: string;
  /** True if an object is in the shard. */
  matches(object: { readonly uid: string; readonly namespace: string }): boolean;
}

interface Range {
  readonly key: string;
  readonly start: string;
  readonly end: string;
}

const highest = "0x10000000000000000";
const mask = 0xffffffffffffffffn;

/** Returns the 64-bit FNV-1a hash of a text in 16 hexadecimal digits. */
export function hashField(value: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(value)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask;
  return hash.toString(16).padStart(16, "0");
}

function less(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}

function fail(why: string): never {
  throw rawError(`invalid shard selector: ${why}`);
}

function bound(text: string, name: string): string {
  if (!/^0x[0-9a-f]{16}$/.test(text) && text !== highest)
    fail(`${name} must be a 0x-prefixed 16-digit hex value, got ${JSON.stringify(text)}`);
  return text;
}

function parseRange(text: string): Range {
  const call = /^\(*\s*([A-Za-z_][\w.]*)\s*\((.*)\)$/s.exec(text.trim());
  if (call?.[1] !== "shardRange") return fail("only shardRange() and || are allowed");
  const words = call[2]!.split(",").map((word) => word.trim());
  if (words.length !== 3) fail(`shardRange() requires exactly 3 arguments, got ${words.length}`);
  const [key = "", ...literals] = words;
  if (key !== "object.metadata.uid" && key !== "object.metadata.namespace")
    fail(`unsupported field path ${JSON.stringify(key)}; supported: object.metadata.uid, object.metadata.namespace`);
  const [start, end] = literals.map((literal, index) => {
    const name = index === 0 ? "hexStart" : "hexEnd";
    const quoted = /^(['"])(.*)\1$/.exec(literal);
    return quoted === null ? fail(`${name} must be a string literal (e.g. '0xff')`) : bound(quoted[2]!, name);
  }) as [string, string];
  if (!less(start, end)) fail(`shard range start ${start} must be less than end ${end}`);
  return { key, start, end };
}

/**
 * Parses a shard selector: `shardRange(object.metadata.uid, '0x…', '0x…')`, several joined by `||`. Throws 500 if it is
 * invalid, as kube-apiserver does.
 */
export function parseShardSelector(text: string): ShardSelector | undefined {
  if (text === "") return undefined;
  if (text.trim() === "") return fail("empty shard selector is not allowed; omit the parameter for unfiltered lists");
  const ranges = text.split("||").map(parseRange);
  const key = ranges[0]!.key;
  const other = ranges.find((range) => range.key !== key);
  if (other !== undefined)
    fail(`all shard ranges must use the same field, got ${JSON.stringify(key)} and ${JSON.stringify(other.key)}`);
  return {
    text: ranges.map((range) => `shardRange(${range.key}, '${range.start}', '${range.end}')`).join(" || "),
    matches(object) {
      const hash = `0x${hashField(key === "object.metadata.uid" ? object.uid : object.namespace)}`;
      return ranges.some((range) => !less(hash, range.start) && less(hash, range.end));
    },
  };
}
