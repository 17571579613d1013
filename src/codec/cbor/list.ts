import { ProtocolError } from "../../errors/errors.js";
import type { DecodeOptions } from "../../meta/options.js";
import type { ListDecoder } from "../codec.js";
import { applyDecodeOptions } from "../decode-options.js";
import { listEnd, SteppedListDecoder } from "../list-driver.js";
import { ItemStream } from "./stream.js";

const selfDescribedTag = 55799;

/** Creates a decoder for a list. Its keys may come in any order, because servers shuffle them. */
export function createCborListDecoder(options: DecodeOptions | undefined): ListDecoder {
  return new CborListDecoder(options);
}

class CborListDecoder extends SteppedListDecoder {
  protected override readonly stream: ItemStream = new ItemStream(Infinity);
  readonly #options: DecodeOptions | undefined;
  readonly #list = new Map<string, unknown>();
  /** Part that comes next. */
  #stage: "start" | "key" | "value" | "items" | "done" = "start";
  #key = "";
  /** Number of missing entries of the list, and of missing items; -1 if a break ends them. */
  #entries = 0;
  #rest = 0;

  constructor(options: DecodeOptions | undefined) {
    super();
    this.#options = options;
  }

  override end(): ReturnType<ListDecoder["end"]> {
    if (this.#stage !== "done") this.#fail("ends too early");
    const list = this.#list;
    return listEnd({ apiVersion: list.get("apiVersion"), kind: list.get("kind"), metadata: list.get("metadata") });
  }

  protected override step(items: object[]): boolean {
    switch (this.#stage) {
      case "start":
        return this.#readStart();
      case "key":
        return this.#readKey();
      case "value":
        return this.#readValue();
      case "items":
        return this.#readItem(items);
      case "done":
        return this.stream.pending > 0 ? this.#fail("bytes after the end") : false;
    }
  }

  #readStart(): boolean {
    const { stream } = this;
    const head = stream.head();
    if (head === undefined) return false;
    if (head.major !== 5 && !(head.major === 6 && head.count === selfDescribedTag)) this.#fail("not a list");
    stream.takeHead();
    if (head.major === 5) {
      this.#entries = head.count;
      this.#stage = "key";
    }
    return true;
  }

  #readKey(): boolean {
    const { stream } = this;
    const end = this.#atEnd(this.#entries);
    if (end === undefined) return false;
    if (end) {
      this.#stage = "done";
      return true;
    }
    const head = stream.head();
    if (head === undefined) return false;
    if (head.major !== 2 && head.major !== 3) this.#fail("key that isn't a string");
    const value = stream.next();
    if (value === undefined) return false;
    this.#key = value as string;
    if (this.#list.has(this.#key)) this.#fail("duplicate key");
    if (this.#entries > 0) this.#entries--;
    this.#stage = "value";
    return true;
  }

  #readValue(): boolean {
    const { stream } = this;
    const head = stream.head();
    if (head === undefined) return false;
    if (this.#key === "items" && head.major === 4) {
      stream.takeHead();
      this.#rest = head.count;
      this.#list.set(this.#key, []);
      this.#stage = "items";
      return true;
    }
    const value = stream.next();
    if (value === undefined) return false;
    if (this.#key === "items" && value !== null) this.#fail("items that aren't a list");
    this.#list.set(this.#key, value);
    this.#stage = "key";
    return true;
  }

  #readItem(items: object[]): boolean {
    const end = this.#atEnd(this.#rest);
    if (end === undefined) return false;
    if (end) {
      this.#stage = "key";
      return true;
    }
    const value = this.stream.next();
    if (value === undefined) return false;
    if (typeof value !== "object" || value === null || Array.isArray(value)) this.#fail("item that isn't an object");
    items.push(applyDecodeOptions(value, this.#options));
    if (this.#rest > 0) this.#rest--;
    return true;
  }

  /** Returns true at the end: a definite count has reached 0, or an indefinite one (-1) ends with a break. */
  #atEnd(count: number): boolean | undefined {
    if (count !== -1) return count === 0;
    const head = this.stream.head();
    if (head === undefined) return undefined;
    if (head.major !== 7 || head.count !== -1) return false;
    this.stream.takeHead();
    return true;
  }

  #fail(problem: string): never {
    const { offset } = this.stream;
    throw new ProtocolError(`decode list as CBOR: ${problem} at byte ${String(offset)}`, { offset });
  }
}
