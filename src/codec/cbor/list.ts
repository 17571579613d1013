import { ProtocolError } from "../../errors/errors.js";
import type { DecodeOptions } from "../../meta/options.js";
import type { ListDecoder } from "../codec.js";
import { shape } from "../shape.js";
import { ItemStream } from "./stream.js";

const SELF_DESCRIBED = 55799;

/** What comes next in the body. */
type Stage = "start" | "key" | "value" | "items" | "done";

/** Decodes a list as it arrives. Its keys come in any order: a server shuffles them. */
export function createCborListDecoder(options: DecodeOptions | undefined): ListDecoder {
  const stream = new ItemStream(Infinity);
  const list = new Map<string, unknown>();
  let stage: Stage = "start";
  let key = "";
  let entries = 0;
  let rest = 0;

  const fail = (problem: string): never => {
    throw new ProtocolError(`decode list as CBOR: ${problem} at byte ${String(stream.offset)}`, {
      offset: stream.offset,
    });
  };

  /** A definite count goes down to 0; an indefinite one, -1, ends with a break. */
  const atEnd = (count: number): boolean | undefined => {
    if (count !== -1) return count === 0;
    const head = stream.head();
    if (head === undefined) return undefined;
    if (head.major !== 7 || head.count !== -1) return false;
    stream.takeHead();
    return true;
  };

  const step = (items: object[]): boolean => {
    switch (stage) {
      case "start": {
        const head = stream.head();
        if (head === undefined) return false;
        if (head.major !== 5 && !(head.major === 6 && head.count === SELF_DESCRIBED)) fail("not a list");
        stream.takeHead();
        if (head.major === 5) {
          entries = head.count;
          stage = "key";
        }
        return true;
      }
      case "key": {
        const end = atEnd(entries);
        if (end === undefined) return false;
        if (end) {
          stage = "done";
          return true;
        }
        const head = stream.head();
        if (head === undefined) return false;
        if (head.major !== 2 && head.major !== 3) fail("key that is no string");
        const value = stream.next();
        if (value === undefined) return false;
        key = value as string;
        if (list.has(key)) fail("duplicate key");
        if (entries > 0) entries--;
        stage = "value";
        return true;
      }
      case "value": {
        const head = stream.head();
        if (head === undefined) return false;
        if (key === "items" && head.major === 4) {
          stream.takeHead();
          rest = head.count;
          list.set(key, []);
          stage = "items";
          return true;
        }
        const value = stream.next();
        if (value === undefined) return false;
        if (key === "items" && value !== null) fail("items that are no list");
        list.set(key, value);
        stage = "key";
        return true;
      }
      case "items": {
        const end = atEnd(rest);
        if (end === undefined) return false;
        if (end) {
          stage = "key";
          return true;
        }
        const value = stream.next();
        if (value === undefined) return false;
        if (typeof value !== "object" || value === null || Array.isArray(value)) fail("item that is no object");
        items.push(shape(value as object, options));
        if (rest > 0) rest--;
        return true;
      }
      default:
        return stream.pending > 0 ? fail("bytes after the end") : false;
    }
  };

  return {
    push(chunk) {
      const items: object[] = [];
      stream.push(chunk);
      while (step(items) || stream.more());
      stream.settle();
      return items;
    },
    end() {
      if (stage !== "done") fail("ends too early");
      const apiVersion = list.get("apiVersion");
      const kind = list.get("kind");
      return {
        items: [],
        metadata: list.get("metadata") ?? {},
        ...(typeof apiVersion === "string" ? { apiVersion } : {}),
        ...(typeof kind === "string" ? { kind } : {}),
      };
    },
  };
}
