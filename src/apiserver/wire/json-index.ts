import { type Field, fieldKind, type MessageType } from "../../codec/protobuf/table.js";
import { Repeats } from "./repeats.js";

/** Thrown for a text that the index doesn't understand. */
export const notIndexable: Error = new Error("JSON that can't be indexed");

/** JSON key of a message. If `inner` is set, the field is an inlined message, whose key this is. */
interface Key {
  readonly field: Field;
  /** Position of the field in the message's list. */
  readonly index: number;
  readonly inner: Key | undefined;
  /** The key with its quotes and the colon. */
  readonly text: string;
  /** Values that objects may have in common; `undefined` for those without structure. */
  readonly repeats: Repeats | undefined;
  /** Key that came next in the last text, and is likely to come next again. */
  next: Key | undefined;
}

/** Keys of a message. */
interface Keys {
  readonly byText: ReadonlyMap<string, Key>;
  /** Key that came first in the last text. */
  next: Key | undefined;
}

const allKeys = new WeakMap<MessageType, Keys>();

function keysOf(type: MessageType): Keys {
  let keys = allKeys.get(type);
  if (keys === undefined) {
    const list = type.list.flatMap((field, index): Key[] => {
      // One literal for all keys: with several shapes, reading a text takes a fifth longer.
      const keyOf = (text: string, inner?: Key): Key => {
        const repeats = inner === undefined && isNested(field) ? new Repeats() : undefined;
        return { field, index, inner, text, repeats, next: undefined };
      };
      return field.inline
        ? Array.from(keysOf(field.type).byText, ([text, inner]) => keyOf(text, inner))
        : [keyOf(`"${field.key}":`)];
    });
    keys = { byText: new Map(list.map((key) => [key.text, key])), next: undefined };
    allKeys.set(type, keys);
  }
  return keys;
}

/** Kinds of fields whose value is JSON in Protobuf, too. */
const jsonKinds: readonly number[] = [fieldKind.fields, fieldKind.raw, fieldKind.json];

/** Returns true for a field that contains JSON text. */
export function holdsJson(field: Field): boolean {
  return jsonKinds.includes(field.kind);
}

/** Returns true for a field whose values are objects or lists. */
function isNested(field: Field): boolean {
  return field.map || field.repeated || field.kind === fieldKind.message || holdsJson(field);
}

const maxDepth = 500;
/** Depth of messages in which repeated values are searched: down to the containers of a pod. */
const repeatDepth = 3;
/** Length of the array of an index that is kept for the next text. */
const mostKept = 16_384;
const [quote, comma, backslash, openList, closeList, openObject, closeObject] = [34, 44, 92, 91, 93, 123, 125];

/** A value that may be repeated. */
export interface Wanted {
  readonly repeats: Repeats;
  readonly start: number;
  readonly end: number;
}

/**
 * Index of a JSON text by the fields of a Protobuf message: says where each value is, without creating objects. It
 * reads texts as `JSON.stringify` writes them, without white space.
 *
 * The index is one array of numbers. A value takes two of them, its place:
 * - a message: the position of its fields' places, in the order of the message's list
 * - a list or a map: the position of its last item, which is the position of the item before, the places of key (in a
 *   map) and value
 * - a repeated value: the negative number of its encoding in `known`
 * - anything else: start and end in the text; the end is negative for a string with escapes
 *
 * A place is 0 if the value is absent, null or empty.
 */
export class JsonIndex {
  /** Text that was indexed. */
  text = "";
  /** Places and items. */
  places: Int32Array = new Int32Array(mostKept);
  /** Encodings of repeated fields with tags. */
  known: Uint8Array[] = [];
  /** Values to keep once they are encoded, by their places. */
  readonly wanted: Map<number, Wanted> = new Map();
  #used = 2;
  #at = 0;
  /** Position of the next backslash, which most texts have few of. */
  #escape = -1;
  #depth = 0;

  /** Indexes a text and returns the position of the message's fields. Throws `notIndexable`. Call `clear` first. */
  read(text: string, type: MessageType): number {
    this.text = text;
    const fields = this.#message(type);
    if (this.#at !== text.length) throw notIndexable;
    return fields;
  }

  /** Drops the text and its index. */
  clear(): void {
    if (this.places.length > mostKept) this.places = new Int32Array(mostKept);
    else this.places.fill(0, 0, this.#used);
    this.text = "";
    if (this.known.length > 0) this.known = [];
    if (this.wanted.size > 0) this.wanted.clear();
    this.#used = 2;
    this.#at = 0;
    this.#escape = -1;
    this.#depth = 0;
  }

  #reserve(count: number): number {
    const start = this.#used;
    this.#used += count;
    if (this.#used > this.places.length) {
      const grown = new Int32Array(2 * this.#used);
      grown.set(this.places);
      this.places = grown;
    }
    return start;
  }

  /** Reads one character, which must be `open`. Returns true if the next one isn't `close`, else reads that, too. */
  #open(open: number, close: number): boolean {
    if (this.text.charCodeAt(this.#at++) !== open) throw notIndexable;
    if (this.text.charCodeAt(this.#at) !== close) return true;
    this.#at += 1;
    return false;
  }

  /** Reads a comma or the end of a list or an object. Returns true for a comma. */
  #more(close: number): boolean {
    const character = this.text.charCodeAt(this.#at++);
    if (character === close) return false;
    if (character !== comma) throw notIndexable;
    return true;
  }

  #message(type: MessageType): number {
    if (++this.#depth > maxDepth) throw notIndexable;
    const fields = this.#reserve(2 * type.list.length);
    if (this.#open(openObject, closeObject)) {
      const keys = keysOf(type);
      let last: Keys | Key = keys;
      do {
        const key: Key = this.#key(keys, last.next);
        last.next = key;
        if (key.repeats === undefined || this.#depth > repeatDepth) this.#field(key, fields);
        else this.#repeatable(key, key.repeats, fields);
        last = key;
      } while (this.#more(closeObject));
    }
    this.#depth -= 1;
    return fields;
  }

  #key({ byText }: Keys, likely: Key | undefined): Key {
    const start = this.#at;
    if (likely !== undefined && this.text.startsWith(likely.text, start)) {
      this.#at += likely.text.length;
      return likely;
    }
    this.#skipString();
    this.#at += 1;
    const key = byText.get(this.text.slice(start, this.#at));
    if (key === undefined) throw notIndexable;
    return key;
  }

  #field({ field, index, inner }: Key, start: number): void {
    const place = start + 2 * index;
    if (this.#isNull()) return;
    if (inner !== undefined) {
      const fields = this.places[place] || this.#reserve(2 * field.type.list.length);
      this.places[place] = fields;
      this.#field(inner, fields);
    } else if (field.map) this.#map(field, place);
    else if (field.repeated) this.#list(field, place);
    else this.#value(field, place);
  }

  #repeatable(key: Key, repeats: Repeats, fields: number): void {
    const place = fields + 2 * key.index;
    const start = this.#at;
    const known = repeats.find(this.text, start);
    if (known === undefined) {
      this.#field(key, fields);
      if (repeats.misses(this.#at - start)) this.wanted.set(place, { repeats, start, end: this.#at });
    } else {
      this.places[place] = -this.known.push(known.bytes);
      this.#at += known.text.length;
    }
  }

  #isNull(): boolean {
    if (!this.text.startsWith("null", this.#at)) return false;
    this.#at += 4;
    return true;
  }

  #list(field: Field, place: number): void {
    if (!this.#open(openList, closeList)) return;
    let last = 0;
    do {
      const item = this.#reserve(3);
      this.places[item] = last;
      if (!this.#isNull()) this.#value(field, item + 1);
      last = item;
    } while (this.#more(closeList));
    this.places[place] = last;
  }

  #map(field: Field, place: number): void {
    if (!this.#open(openObject, closeObject)) return;
    let last = 0;
    do {
      const item = this.#reserve(5);
      this.places[item] = last;
      if (this.text.charCodeAt(this.#at) !== quote) throw notIndexable;
      this.#scalar(item + 1);
      this.#at += 1;
      if (this.#isNull()) throw notIndexable;
      this.#value(field, item + 3);
      last = item;
    } while (this.#more(closeObject));
    this.places[place] = last;
  }

  #value(field: Field, place: number): void {
    if (field.kind === fieldKind.message) {
      const fields = this.#message(field.type);
      this.places[place] = fields;
    } else this.#scalar(place);
  }

  /** Notes start and end of any JSON value. */
  #scalar(place: number): void {
    const start = this.#at;
    const first = this.text.charCodeAt(start);
    let escaped = false;
    if (first === quote) escaped = this.#skipString();
    else if (first === openObject || first === openList) this.#skipNested();
    else this.#skipWord();
    this.places[place] = start;
    this.places[place + 1] = escaped ? -this.#at : this.#at;
  }

  /** Skips a string. Returns true if it contains escapes. */
  #skipString(): boolean {
    const { text } = this;
    let at = this.#at + 1;
    if (this.#escape < at) {
      const next = text.indexOf("\\", at);
      this.#escape = next < 0 ? text.length : next;
    }
    let end = text.indexOf('"', at);
    if (end < this.#escape) {
      if (end < 0) throw notIndexable;
      this.#at = end + 1;
      return false;
    }
    at = this.#escape;
    for (end = at; text.charCodeAt(end) !== quote; end += 1) {
      if (text.charCodeAt(end) === backslash) end += 1;
      if (end >= text.length) throw notIndexable;
    }
    this.#at = end + 1;
    return true;
  }

  #skipNested(): void {
    let depth = 0;
    do {
      const character = this.text.charCodeAt(this.#at);
      if (character === quote) this.#skipString();
      else {
        if (character === openObject || character === openList) depth += 1;
        else if (character === closeObject || character === closeList) depth -= 1;
        this.#at += 1;
        if (this.#at > this.text.length) throw notIndexable;
      }
    } while (depth > 0);
  }

  /** Skips a number, true or false. */
  #skipWord(): void {
    for (;;) {
      const character = this.text.charCodeAt(this.#at);
      if (character === comma || character === closeObject || character === closeList) return;
      if (this.#at >= this.text.length) throw notIndexable;
      this.#at += 1;
    }
  }
}
