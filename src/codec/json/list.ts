import { ProtocolError } from "../../errors/errors.js";
import { ChunkBuffer } from "../../internal/streams/chunk-buffer.js";
import { indexOfBytes, utf8SliceStrict } from "../../internal/text.js";
import type { DecodeOptions } from "../../meta/options.js";
import type { ListDecoder } from "../codec.js";
import { applyDecodeOptions } from "../decode-options.js";
import { listEnd, SteppedListDecoder } from "../list-driver.js";
import { BoundaryScanner } from "./boundary.js";
import { jsonError } from "./locate-error.js";
import { needsParts, tryDecodeJsonObject } from "./object.js";
import { nestsTooDeep, parseJsonObject } from "./parse.js";
import { hasMemberTwice, skipComposite, skipSpace } from "./scan.js";

type Plain = Record<string, unknown>;

const itemsKey = new TextEncoder().encode('"items":[');

/** Number of bytes of the first item that form the pattern for the beginning of an item. */
const patternLength = 14;

/** Number of bytes to wait for the beginning of the next item before the end of this one is searched byte by byte. */
const patienceBytes = 256 * 1024;

/** Items have similar lengths, so the search for the next one starts at this fraction of the shortest so far. */
const skippedShare = 7 / 8;

/** Number of wrong guesses after which the decoder stops guessing. */
const maxMisses = 16;

/** Items of fewer bytes have nothing to defer. They are parsed together, because each call would take longer than they do. */
const tinyBytes = 32;

/** Maximum number of bytes of tiny items that are parsed together. */
const togetherBytes = 4096;

/** A list in one chunk of at most this size is parsed as a whole, because no item could be available earlier. */
const smallBytes = 64 * 1024;

/** Creates a decoder that returns every item as soon as the next one begins. */
export function createJsonListDecoder(options: DecodeOptions | undefined): ListDecoder {
  return new JsonListDecoder(options);
}

/**
 * Finds items without inspecting each byte. The next item begins where a comma is followed by the same bytes as at the
 * beginning of the first item. The guess can only be wrong in depth: an item may contain a list of objects that begin
 * like items. Then the bytes don't parse, because their brackets aren't closed, and the end of the item is found by
 * counting brackets. If each of a sequence of comma-separated values parses, the sequence is the list: it cannot be read
 * in any other way.
 */
class JsonListDecoder extends SteppedListDecoder {
  readonly #options: DecodeOptions | undefined;
  protected override readonly stream: ChunkBuffer = new ChunkBuffer();
  readonly #scanner = new BoundaryScanner();
  /** Part of the list that the next byte belongs to. `whole` is a list that can only be parsed once it's complete. */
  #stage: "start" | "head" | "items" | "tail" | "whole" = "start";
  #head = "";
  #pattern: Uint8Array | undefined;
  #misses = 0;
  #first = true;
  #afterComma = false;
  /** Number of bytes at the beginning of an item that are assumed to belong to it. */
  #skip = 0;
  #shortest = 0;
  /** Number of bytes of the current item that were searched for the next one, and that the scanner has covered. */
  #searched = 0;
  #scanned = 0;
  /**
   * Offset in the stream before which no pattern begins, apart from the skipped bytes of an item. Without it, each of
   * many small items would search the same bytes again.
   */
  #clearTo = 0;
  /** True if the last item was tiny. */
  #tiny = false;

  constructor(options: DecodeOptions | undefined) {
    super();
    this.#options = options;
  }

  override push(chunk: Uint8Array): readonly object[] {
    if (this.#stage === "start") {
      this.#stage = "head";
      if (chunk.length <= smallBytes && !needsParts(this.#options)) {
        this.stream.push(chunk);
        this.stream.settle();
        return [];
      }
    }
    return super.push(chunk);
  }

  protected override step(items: object[]): boolean {
    if (this.#stage === "items") return this.#readItem(items, false);
    return this.#stage === "head" && this.#readHead();
  }

  override end(): ReturnType<ListDecoder["end"]> {
    const buffer = this.stream;
    if (this.#stage === "start" || this.#stage === "head" || this.#stage === "whole") {
      const list = parseJsonObject(buffer.bytes, buffer.start, buffer.end, "list");
      if (mayRepeatItems(buffer.bytes) && hasMemberTwice(buffer.bytes, buffer.start, buffer.end, "items")) failTwice();
      const items = list["items"] ?? [];
      if (!Array.isArray(items) || items.some((item) => typeof item !== "object" || item === null))
        throw new ProtocolError("decode list as JSON: items is not a list of objects");
      return listEnd(
        list,
        (items as object[]).map((item) => applyDecodeOptions(item, this.#options)),
      );
    }
    const items: object[] = [];
    while (this.#stage === "items" && this.#readItem(items, true));
    return listEnd(this.#readTail(), items);
  }

  /** Reads the bytes before the items, if they are an object whose `items` is a list. Returns true if items follow. */
  #readHead(): boolean {
    const buffer = this.stream;
    const { bytes, start, end } = buffer;
    const at = indexOfBytes(bytes.subarray(start, end), itemsKey, Math.max(0, this.#searched - itemsKey.length));
    this.#searched = end - start;
    if (at < 0) return false;
    const after = start + at + itemsKey.length;
    if (nestsTooDeep(bytes, start, after)) failDeep();
    const head = utf8SliceStrict(bytes, start, after);
    const items = head === undefined ? undefined : parseOrUndefined(`${head}]}`)?.["items"];
    if (!Array.isArray(items) || items.length > 0) {
      this.#stage = "whole";
      return false;
    }
    if (Object.hasOwn(parseOrUndefined(`${head!.slice(0, -itemsKey.length)}"":0}`) ?? {}, "items")) failTwice();
    this.#head = head!;
    buffer.consumeTo(after);
    this.#searched = 0;
    this.#stage = "items";
    return true;
  }

  /** Reads one item, or the end of the items. Returns true if more may follow. */
  #readItem(items: object[], last: boolean): boolean {
    const buffer = this.stream;
    if (this.#scanned === 0 && this.#searched === 0) {
      if (!this.#enterItem()) return false;
      if (this.#tiny && this.#readTinyItems(items)) return true;
    }
    const { bytes, start, end } = buffer;
    if (this.#pattern === undefined) {
      if (end - start < patternLength && !last) return false;
      this.#pattern = Uint8Array.of(0x7d, 0x2c, ...bytes.subarray(start, start + patternLength));
      // No letter can follow the closing quote of a string, so a pattern with a quote and a letter never matches inside
      // a string.
      if (bytes[start + 1] !== 0x22 || !isLetter(bytes[start + 2]!)) this.#misses = maxMisses;
    }
    if (this.#misses < maxMisses && this.#scanned === 0) {
      const shift = start - buffer.consumed;
      let found = findBefore(bytes, this.#pattern, Math.max(start + this.#skip, this.#clearTo + shift), end);
      if (found >= 0) {
        let object = tryDecodeJsonObject(bytes, start, found + 1, this.#options);
        if (object === undefined && this.#skip > 0) {
          // These are several items: this one is shorter than all before.
          found = findBefore(bytes, this.#pattern, start, end);
          object = tryDecodeJsonObject(bytes, start, found + 1, this.#options);
        }
        if (object !== undefined) {
          if (this.#skip === 0 || found - start < this.#shortest) this.#shortest = found - start;
          this.#skip = Math.floor(this.#shortest * skippedShare);
          this.#clearTo = 0;
          return this.#take(items, object, found + 1);
        }
        this.#misses++;
      } else {
        this.#searched = end - start;
        this.#clearTo = Math.max(this.#clearTo, end - shift - this.#pattern.length + 1);
        if (!last && this.#searched < patienceBytes) return false;
      }
    }
    const after = this.#scanner.scan(bytes, start + this.#scanned, end);
    this.#scanned = end - start;
    if (after < 0) return last ? this.#fail() : false;
    const object = tryDecodeJsonObject(bytes, start, after, this.#options);
    if (object === undefined) throw jsonError(bytes, start, after, "list item", buffer.consumed);
    return this.#take(items, object, after);
  }

  /** Reads consecutive tiny items. Returns false if the next item must be read by itself. */
  #readTinyItems(items: object[]): boolean {
    const { bytes, start, end } = this.stream;
    const limit = Math.min(end, start + togetherBytes);
    let after = start;
    for (let p = start; p < limit && bytes[p] === 0x7b; p = after + 1) {
      const next = skipComposite(bytes, p, Math.min(limit, p + tinyBytes));
      if (next < 0) break;
      after = next;
      if (bytes[after] !== 0x2c) break;
    }
    this.#tiny = false;
    if (after === start) return false;
    const text = utf8SliceStrict(bytes, start, after);
    const objects = text === undefined ? undefined : parseOrUndefined(`{"items":[${text}]}`)?.["items"];
    if (!Array.isArray(objects)) return false;
    for (const object of objects as object[]) items.push(applyDecodeOptions(object, this.#options));
    this.#tiny = true;
    this.stream.consumeTo(after);
    return true;
  }

  /** Skips to the opening brace of the next item. Returns true if there is one. */
  #enterItem(): boolean {
    const buffer = this.stream;
    let next = this.#nextByte();
    if (next === 0x5d && !this.#afterComma) {
      buffer.consumeTo(buffer.start + 1);
      this.#stage = "tail";
      return false;
    }
    if (next !== undefined && !this.#first && !this.#afterComma) {
      if (next !== 0x2c) this.#fail(buffer.start);
      buffer.consumeTo(buffer.start + 1);
      this.#afterComma = true;
      next = this.#nextByte();
    }
    if (next === undefined) return false;
    if (next !== 0x7b) this.#fail(buffer.start);
    this.#afterComma = false;
    return true;
  }

  /** Consumes spaces, so that they aren't skipped again with the next chunk. Returns the byte after them, if any. */
  #nextByte(): number | undefined {
    const buffer = this.stream;
    for (;;) {
      const at = skipSpace(buffer.bytes, buffer.start, buffer.end);
      const atEnd = at === buffer.end;
      buffer.consumeTo(at);
      if (!atEnd) return buffer.bytes[buffer.start];
      // Behind the joined bytes, the rest of the chunk may follow.
      if (buffer.length === 0) return undefined;
    }
  }

  #take(items: object[], object: object, end: number): boolean {
    items.push(object);
    this.#tiny = end - this.stream.start < tinyBytes;
    this.stream.consumeTo(end);
    this.#first = false;
    this.#searched = this.#scanned = 0;
    this.#scanner.reset();
    return true;
  }

  /**
   * Parses the bytes around the items twice, with different items in between, to detect a second `items` member, which
   * would hide both.
   */
  #readTail(): Plain {
    const { bytes, start, end } = this.stream;
    const tail = this.#stage === "tail" ? utf8SliceStrict(bytes, start, end) : undefined;
    if (tail === undefined) return this.#fail();
    if (nestsTooDeep(bytes, start, end)) failDeep();
    for (const mark of [1, 2]) {
      const list = parseOrUndefined(`${this.#head}${String(mark)}]${tail}`);
      const items = list?.["items"];
      if (!Array.isArray(items) || items[0] !== mark) return this.#fail();
      if (mark === 2) return list!;
    }
    return this.#fail();
  }

  #fail(at: number = this.stream.end): never {
    const offset = this.stream.consumed + at - this.stream.start;
    throw new ProtocolError(`decode list as JSON: malformed or cut off at byte ${String(offset)}`, { offset });
  }
}

/** Returns false if the bytes contain `"items"` only once and no escape. */
function mayRepeatItems(bytes: Uint8Array): boolean {
  const name = itemsKey.subarray(0, -2);
  return bytes.includes(0x5c) || indexOfBytes(bytes, name, indexOfBytes(bytes, name, 0) + 1) >= 0;
}

function failTwice(): never {
  throw new ProtocolError("decode list as JSON: items occurs twice");
}

function failDeep(): never {
  throw new ProtocolError("decode list as JSON: nested too deeply");
}

/** Returns the offset of the first `needle` between `from` and `end`, or -1. */
function findBefore(bytes: Uint8Array, needle: Uint8Array, from: number, end: number): number {
  return indexOfBytes(end === bytes.length ? bytes : bytes.subarray(0, end), needle, from);
}

function isLetter(c: number): boolean {
  return (c | 0x20) >= 0x61 && (c | 0x20) <= 0x7a;
}

function parseOrUndefined(text: string): Plain | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Plain) : undefined;
  } catch {
    return undefined;
  }
}
