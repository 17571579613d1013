import { sameBytes } from "../../internal/text.js";

/**
 * Bytes that other byte strings are stored relative to. The index finds blocks of them; it's built when needed and can
 * be dropped at any time.
 */
export class Base {
  /** The bytes. */
  readonly bytes: Uint8Array;
  /** View of the bytes. */
  readonly view: DataView;
  /** Offsets plus one of blocks by the hash of their first eight bytes; 0 for none. */
  index: Uint32Array | undefined = undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}

/** Base without bytes. */
export const emptyBase: Base = new Base(new Uint8Array(0));

/** Least distance between indexed blocks, a power of two. */
const leastStride = 4;

/** Largest number of indexed blocks: blocks of a long base are further apart. */
const mostBlocks = 4096;

/** Shortest run of bytes that is copied from the base. */
const shortest = 8;

/** Runs up to this length are copied byte by byte, which is faster than creating a view of them. */
const shortCopy = 48;

/** Makes hashes unpredictable, so that input can't be built to find nothing. */
const seed = Math.trunc(Math.random() * 0x7fffffff) | 1;

function hashOf(first: number, second: number, shift: number): number {
  const mixed = Math.imul(first ^ seed, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35) >>> shift;
}

function buildIndex({ bytes, view }: Base): Uint32Array {
  const stride = Math.max(leastStride, 1 << (32 - Math.clz32(Math.ceil(bytes.length / mostBlocks) - 1)));
  const bits = Math.max(4, 32 - Math.clz32((bytes.length / stride) * 2));
  const index = new Uint32Array(1 << bits);
  // Backwards, so that the first of equal blocks is found.
  for (let p = (bytes.length - shortest) & ~(stride - 1); p >= 0; p -= stride)
    index[hashOf(view.getInt32(p, true), view.getInt32(p + 4, true), 32 - bits)] = p + 1;
  return index;
}

/** Output of an encoding, and its length. */
let out = new Uint8Array(1024);
let length = 0;

/** Offset in the base that follows the last copied run. Runs are stored relative to it. */
let expected = 0;

/** Number of bytes that the encoding since `beginDelta` takes. */
export function deltaLength(): number {
  return length;
}

/** Earlier encoding that the current one probably resembles; empty for none. */
let guide = "";
/** Position in the guide of the byte string that comes next, and the offset in the base that its runs are relative to. */
let guideAt = 0;
let guideExpected = 0;

/** Starts an encoding. It may resemble an earlier one relative to the same base, such as that of an object's last version. */
export function beginDelta(similar = ""): void {
  length = expected = guideAt = guideExpected = 0;
  guide = similar;
}

/**
 * Returns the encoding as a string with one character per byte, which costs less memory than a typed array. If it equals
 * the guide, that's the guide itself.
 */
export function endDelta(toText: (bytes: Uint8Array, start: number, end: number) => string): string {
  let i = 0;
  if (length === guide.length) while (i < length && guide.charCodeAt(i) === out[i]) i++;
  return i > 0 && i === length ? guide : toText(out, 0, length);
}

function writeVarint(value: number): void {
  let rest = value;
  while (rest > 127) {
    out[length++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  out[length++] = rest;
}

/** Shortest run of hexadecimal digits that is stored as half as many bytes, such as the IDs of containers. */
const shortestHex = 16;

/** Value of each lowercase hexadecimal digit; 16 for other bytes. */
const hexDigits: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : 16,
);

function isHex(bytes: Uint8Array, start: number, end: number): boolean {
  for (let p = start; p < end; p++) if (hexDigits[bytes[p]!]! > 15) return false;
  return true;
}

function writeLiteral(bytes: Uint8Array, start: number, end: number): void {
  const count = end - start;
  if (count >= shortestHex && isHex(bytes, start, end)) {
    writeVarint(count * 2 + 1);
    for (let p = start; p < end; p += 2)
      out[length++] = (hexDigits[bytes[p]!]! << 4) | (p + 1 < end ? hexDigits[bytes[p + 1]!]! : 0);
    expected += count;
    return;
  }
  writeVarint(count * 2);
  if (count < shortCopy) for (let p = start; p < end; p++) out[length++] = bytes[p]!;
  else {
    out.set(bytes.subarray(start, end), length);
    length += count;
  }
  expected += count;
}

/** Writes a run of the base that begins at an offset of it. */
function writeRun(offset: number, count: number): void {
  writeVarint(count);
  const distance = offset - expected;
  writeVarint(distance < 0 ? -distance * 2 - 1 : distance * 2);
  expected = offset + count;
}

/** Ensures that the encoding of so many bytes fits into `out`. */
function makeRoom(count: number): void {
  const most = length + 16 + count * 2;
  if (out.length >= most) return;
  const grown = new Uint8Array(most * 2);
  grown.set(out.subarray(0, length));
  out = grown;
}

/**
 * Appends the bytes from `start` to `end` to the encoding: their length, then literal bytes and runs of the base in
 * turns. `view` has the same bytes. It takes time linear in their number, whatever they are: an index slot holds one
 * block, and bytes are compared again only with the run before them.
 */
export function appendDelta(base: Base, bytes: Uint8Array, view: DataView, start: number, end: number): void {
  makeRoom(end - start);
  writeVarint(end - start);
  const held = base.bytes;
  if (held.length < shortest) {
    if (end > start) writeLiteral(bytes, start, end);
    return;
  }
  const index = (base.index ??= buildIndex(base));
  const shift = Math.clz32(index.length) + 1;
  const heldView = base.view;
  const lastBlock = end - shortest;
  const lastHeld = held.length - shortest;
  let literal = start;
  let p = start;
  while (p <= lastBlock) {
    const first = view.getInt32(p, true);
    const second = view.getInt32(p + 4, true);
    // Fields of the same length often differ, so look behind the last run first.
    let q = expected + p - literal;
    if (q > lastHeld || heldView.getInt32(q, true) !== first || heldView.getInt32(q + 4, true) !== second) {
      q = index[hashOf(first, second, shift)]! - 1;
      if (q < 0 || heldView.getInt32(q, true) !== first || heldView.getInt32(q + 4, true) !== second) {
        p++;
        continue;
      }
    }
    let from = p;
    p += shortest;
    let heldEnd = q + shortest;
    while (p <= end - 4 && heldEnd <= held.length - 4 && view.getInt32(p, true) === heldView.getInt32(heldEnd, true)) {
      p += 4;
      heldEnd += 4;
    }
    while (p < end && heldEnd < held.length && bytes[p] === held[heldEnd]) {
      p++;
      heldEnd++;
    }
    while (from > literal && q > 0 && bytes[from - 1] === held[q - 1]) {
      from--;
      q--;
    }
    writeLiteral(bytes, literal, from);
    writeRun(q, p - from);
    literal = p;
  }
  if (literal < end) writeLiteral(bytes, literal, end);
}

/** Position in the encoding that is being read. */
let at = 0;

function readVarint(delta: string): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = delta.charCodeAt(at++);
    value |= (byte & 127) << shift;
    if (byte < 128) return value;
  }
}

/** Number of characters of the encoding that the literal bytes with this head take. */
function storedLength(head: number): number {
  const count = head >>> 1;
  return (head & 1) === 0 ? count : (count + 1) >>> 1;
}

function readDistance(delta: string): number {
  const distance = readVarint(delta);
  return (distance & 1) === 1 ? -((distance + 1) >>> 1) : distance >>> 1;
}

/** Restores literal bytes at an offset. They take `stored` characters of the encoding. */
function readLiteral(delta: string, count: number, stored: number, offset: number): void {
  if (stored === count) {
    for (let i = 0; i < count; i++) restored[offset + i] = delta.charCodeAt(at + i);
    return;
  }
  for (let i = 0; i < count; i++) {
    const pair = delta.charCodeAt(at + (i >> 1));
    const digit = (i & 1) === 0 ? pair >> 4 : pair & 15;
    restored[offset + i] = digit < 10 ? digit + 0x30 : digit + 0x57;
  }
}

/**
 * Appends the bytes from `start` to `end` with the runs of the guide's next byte string, without searching the base: an
 * update changes few bytes, mostly such that the base doesn't have either. Returns false, without an effect on the
 * encoding, if their length or a run differs, or without a guide.
 */
export function appendGuided(base: Base, bytes: Uint8Array, start: number, end: number): boolean {
  if (guide === "") return false;
  makeRoom(end - start);
  const before = length;
  const expectedBefore = expected;
  at = guideAt;
  let next = guideExpected;
  const total = readVarint(guide);
  let alike = total === end - start;
  if (alike) writeVarint(total);
  for (let done = 0; done < total; ) {
    const literal = readVarint(guide);
    const count = literal >>> 1;
    at += storedLength(literal);
    if (alike) writeLiteral(bytes, start + done, start + done + count);
    done += count;
    next += count;
    if (done === total) break;
    const run = readVarint(guide);
    next += readDistance(guide);
    alike &&= sameBytes({ bytes: base.bytes, start: next, end: next + run }, bytes, start + done, start + done + run);
    if (alike) writeRun(next, run);
    done += run;
    next += run;
  }
  guideAt = at;
  guideExpected = next;
  if (!alike) {
    length = before;
    expected = expectedBefore;
  }
  return alike;
}

/** Bytes of the last `restore`. */
let restored = new Uint8Array(1024);

/** Number of bytes of the last `restore`. */
export let restoredLength = 0;

/** Returns an array that begins with the given one of the byte strings in an encoding. The next call overwrites it. */
export function restore(base: Base, delta: string, number: number): Uint8Array {
  const held = base.bytes;
  at = 0;
  let next = 0;
  for (let i = 0; ; i++) {
    const wanted = i === number;
    const total = readVarint(delta);
    if (wanted && restored.length < total) restored = new Uint8Array(total * 2);
    let done = 0;
    while (done < total) {
      const literal = readVarint(delta);
      const count = literal >>> 1;
      const stored = storedLength(literal);
      if (wanted) readLiteral(delta, count, stored, done);
      at += stored;
      done += count;
      next += count;
      if (done === total) break;
      const run = readVarint(delta);
      next += readDistance(delta);
      if (wanted) {
        if (run < shortCopy) for (let p = next, q = done; p < next + run; ) restored[q++] = held[p++]!;
        else restored.set(held.subarray(next, next + run), done);
      }
      done += run;
      next += run;
    }
    if (wanted) {
      restoredLength = total;
      return restored;
    }
  }
}
