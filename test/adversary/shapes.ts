import type { Random } from "../simulation/random.js";

/** Part of an input, one character per byte. A function makes each occurrence different. */
export type Piece = string | ((index: number) => string);

/** Place in a well-formed document: the text before and after it, and `members` if it is between keys. */
export type Frame = readonly [before: string, after: string, slot?: "members"];

/** Words of a format from which inputs are built. */
export interface Vocabulary {
  /** Places for the shape. */
  readonly frames: readonly Frame[];
  /** Opening and closing parts of containers of values. */
  readonly pairs: readonly (readonly [open: Piece, close: string])[];
  /** Valid values. */
  readonly values: readonly Piece[];
  /** Keys with their separator. A key and a value are a member. */
  readonly keys?: readonly Piece[];
  /** Invalid or misplaced parts. */
  readonly junk: readonly Piece[];
  /** Separators between values; the first is always valid. */
  readonly joints: readonly string[];
  /** Headers that announce a number of bytes or members. */
  readonly announcements?: readonly ((count: number) => string)[];
  /** Wrappers whose header depends on the content. */
  readonly wraps?: readonly ((inner: string) => string)[];
}

/** A generated input. */
export interface Shape {
  /** The input, one character per byte. */
  readonly text: string;
  /** Description for a person. */
  readonly plan: string;
}

const depths = [3, 30, 300, 1_000, 3_000, 10_000, 100_000, 10_000_000];
const announced = [0, 1, 255, 65_535, 1_000_000, 2 ** 31 - 1, 2 ** 32 - 1];
const deepestLevel = 3;

/** Builds an input of at most about `budget` bytes by combining nesting, repetition, announcements and mixtures. */
export function buildShape(random: Random, words: Vocabulary, budget: number): Shape {
  const [before, after, slot] = random.chance(0.1) ? (["", ""] as const) : random.pick(words.frames);
  const builder = new Builder(random, words);
  const inner = builder.combine(Math.max(1, budget - before.length - after.length), 0, slot === "members");
  return {
    text: before + inner.text + (random.chance(0.9) ? after : ""),
    plan: `${inner.plan} in ${show(before.slice(-40))}…${show(after.slice(0, 20))}`,
  };
}

class Builder {
  readonly random: Random;
  readonly words: Vocabulary;

  constructor(random: Random, words: Vocabulary) {
    this.random = random;
    this.words = words;
  }

  /** Builds a shape. With `members`, its parts are keys with values. */
  combine(budget: number, level: number, members: boolean): Shape {
    const { random, words } = this;
    const makers = [this.repeat, this.repeat, this.interleave];
    if (words.pairs.length > 0) makers.push(this.nest, this.nest);
    if (words.announcements !== undefined) makers.push(this.announce, this.announce);
    if (words.wraps !== undefined) makers.push(this.wrap, this.wrap);
    if (level < deepestLevel) makers.push(this.group, this.sequence);
    return random.pick(makers).call(this, budget, level, members);
  }

  /** Repeats one word. */
  repeat(budget: number, _level: number, members: boolean): Shape {
    const piece = this.#piece(members);
    const joint = this.#joint();
    return { text: fill([piece], joint, budget), plan: `repeat(${show(piece)} by ${show(joint)})` };
  }

  /** Repeats a few words in turn; one time in three opening, closing and invalid parts, too. */
  interleave(budget: number, _level: number, members: boolean): Shape {
    const { pairs, junk, joints } = this.words;
    const all = [...pairs.flat(), ...junk, ...joints];
    const wild = this.random.chance(0.33);
    const chosen = Array.from({ length: 2 + this.random.int(3) }, () =>
      wild ? this.random.pick(all) : this.#piece(members),
    );
    const joint = wild ? "" : this.#joint();
    return { text: fill(chosen, joint, budget), plan: `interleave(${chosen.map(show).join(" ")} by ${show(joint)})` };
  }

  /** Nests containers around a smaller shape, and closes all, some or none of them. */
  nest(budget: number, level: number, members: boolean): Shape {
    const { random, words } = this;
    const pairs = Array.from({ length: random.chance(0.7) ? 1 : 2 }, () => random.pick(words.pairs));
    const closed = random.pick([1, 1, 1, 0, 0.5]);
    const opens: string[] = members ? [textOf(this.#key(), 0)] : [];
    const closes: string[] = [];
    let left = random.chance(0.5) ? budget : budget / 2;
    const depth = random.pick(depths);
    for (let at = 0; at < depth; at++) {
      const [open, close] = pairs[at % pairs.length]!;
      const opening = textOf(open, at);
      left -= opening.length + close.length;
      if (left < 0) break;
      opens.push(opening);
      closes.push(close);
    }
    const start = opens.join("");
    const core = this.#inside(budget - 2 * start.length, level);
    const end = closes
      .slice(0, Math.ceil(closes.length * closed))
      .reverse()
      .join("");
    return {
      text: start + core.text + end,
      plan: `nest(${pairs.map(([open]) => show(open)).join(" ")} × ${String(closes.length)}, closed ${String(closed)}, ${core.plan})`,
    };
  }

  /** Announces more than follows, at one or many levels. */
  announce(budget: number, level: number): Shape {
    const { random, words } = this;
    const header = random.pick(words.announcements!);
    const size = random.chance(0.3) ? random.int(budget) : random.pick([...announced, budget, 8 * budget]);
    const times = Math.max(1, Math.min(random.pick(depths), Math.floor(budget / 2 / header(size).length)));
    const heads = header(size).repeat(times);
    const core = this.#inside(budget - heads.length, level);
    return {
      text: heads + core.text,
      plan: `announce(${show(header(size))} for ${String(size)} × ${String(times)}, ${core.plan})`,
    };
  }

  /** Wraps a shape in headers that state its true length. */
  wrap(budget: number, level: number): Shape {
    const { random, words } = this;
    const wrapper = random.pick(words.wraps!);
    const core = this.#inside(random.chance(0.5) ? budget : budget >> 3, level);
    let { text } = core;
    // Each level copies the text, so the work to build the input is bounded, too.
    const levels = Math.min(random.pick(depths), Math.max(1, Math.floor(2e8 / (text.length + 1))), 20_000);
    let depth = 0;
    while (depth < levels && text.length < budget) {
      text = wrapper(text);
      depth++;
    }
    return { text, plan: `wrap(${show(wrapper(""))} × ${String(depth)}, ${core.plan})` };
  }

  /** Repeats a small shape. */
  group(budget: number, level: number, members: boolean): Shape {
    const size = Math.max(1, Math.min(budget, 1 << this.random.int(14)));
    const part = this.combine(size, level + 1, members);
    const joint = this.#joint();
    return { text: fill([part.text], joint, budget), plan: `group(${part.plan} by ${show(joint)})` };
  }

  /** Puts two shapes next to each other. */
  sequence(budget: number, level: number, members: boolean): Shape {
    const a = this.combine(budget >> 1, level + 1, members);
    const b = this.combine(budget >> 1, level + 1, members);
    const joint = this.#joint();
    return { text: a.text + joint + b.text, plan: `${a.plan} ${show(joint)} ${b.plan}` };
  }

  #inside(budget: number, level: number): Shape {
    if (budget > 16 && level < deepestLevel) return this.combine(budget, level + 1, false);
    const piece = this.#piece(false);
    return { text: textOf(piece, 0), plan: show(piece) };
  }

  #piece(members: boolean): Piece {
    const { values, junk } = this.words;
    if (junk.length > 0 && this.random.chance(0.15)) return this.random.pick(junk);
    const value = this.random.pick(values);
    if (!members) return value;
    const key = this.#key();
    if (typeof key === "string" && typeof value === "string") return key + value;
    return (at) => textOf(key, at) + textOf(value, at);
  }

  #key(): Piece {
    return this.words.keys === undefined ? "" : this.random.pick(this.words.keys);
  }

  #joint(): string {
    return this.random.chance(0.8) ? this.words.joints[0]! : this.random.pick(this.words.joints);
  }
}

function textOf(piece: Piece, at: number): string {
  return typeof piece === "string" ? piece : piece(at);
}

/** Repeats pieces in turn up to a size, with a separator between them. */
function fill(pieces: readonly Piece[], joint: string, budget: number): string {
  if (pieces.every((piece) => typeof piece === "string")) {
    const turn = pieces.join(joint) + joint;
    const text = turn.length === 0 ? "" : turn.repeat(Math.max(1, Math.floor(budget / turn.length)));
    return joint.length === 0 ? text : text.slice(0, -joint.length);
  }
  const parts: string[] = [];
  let length = 0;
  for (let at = 0; length < budget && at < budget; at++) {
    const text = pieces.map((piece) => textOf(piece, at)).join(joint);
    length += text.length + joint.length;
    parts.push(text);
  }
  return parts.join(joint);
}

/** Returns ordinary input of about a size: pieces between a beginning and an end. */
export function ordinary(
  bytes: number,
  [before, after, joint = ""]: readonly [before: string, after: string, joint?: string],
  piece: Piece,
): string {
  return before + fill([piece], joint, Math.max(1, bytes - before.length - after.length)) + after;
}

function show(piece: Piece): string {
  const text = JSON.stringify(textOf(piece, 0));
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** A way to cut an input into chunks. */
export interface Split {
  /** Description for a person. */
  readonly plan: string;
  /** Largest input in bytes: of tiny chunks less is enough to see that the work grows with the square. */
  readonly maxBytes: number;
  /** Cuts the bytes. */
  cut(bytes: Uint8Array): Uint8Array[];
}

/** One chunk. */
export const whole: Split = { plan: "whole", maxBytes: Infinity, cut: (bytes) => [bytes] };

/** Chooses chunk boundaries: one chunk, tiny chunks, network-sized chunks, random ones, or empty ones in between. */
export function chooseSplit(random: Random): Split {
  const even = (size: number, maxBytes = Infinity): Split => ({
    plan: `chunks of ${String(size)}`,
    maxBytes,
    cut: (bytes) => slice(bytes, () => size),
  });
  const uneven: Split = {
    plan: "random chunks, some empty",
    maxBytes: Infinity,
    cut: (bytes) => slice(bytes, () => random.int(1 << random.int(16))),
  };
  return random.pick([whole, whole, even(1 + random.int(3), 128 * 1024), even(1_448), even(65_536), uneven]);
}

function slice(bytes: Uint8Array, size: () => number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = size();
    chunks.push(bytes.subarray(at, at + length));
    at += length;
  }
  return chunks;
}

/** Text as its UTF-8 bytes, one character per byte. */
export function utf8(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}
