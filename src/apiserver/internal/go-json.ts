import { setOwn } from "../../internal/set-own.js";
import { formatJsonPath, type JsonObject } from "./json-value.js";

/** Invalid JSON, or JSON that kube-apiserver rejects. */
export class GoJsonError extends Error {
  /** Name of the class. */
  override readonly name = "GoJsonError";
}

/** Result of `parseGoJson`. */
export interface GoJson {
  /** Parsed value; of duplicate keys the last wins. */
  readonly value: unknown;
  /** Paths of duplicate keys, such as `spec.list[0].name`, each once, in document order. */
  readonly duplicates: readonly string[];
}

/** Options for `parseGoJson`. */
export interface GoJsonOptions {
  /** Called for every scalar with its container, key and original text. */
  readonly onScalar?: (parent: object, key: string | number, text: string) => void;
  /** True to let the first of duplicate keys win. Default: false. */
  readonly keepFirst?: boolean;
}

const deepest = 10_000;
const mostDuplicates = 100;
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

/**
 * Parses JSON the way kube-apiserver does: at most 10,000 levels, duplicate keys are reported, lone surrogates become
 * U+FFFD, and `__proto__` is an ordinary key. Throws a `GoJsonError`.
 */
export function parseGoJson(text: string, options: GoJsonOptions = {}): GoJson {
  const reader = new Reader(text, options);
  const value = reader.document();
  return { value, duplicates: reader.duplicates };
}

type Container = JsonObject | unknown[];

class Reader {
  readonly duplicates: string[] = [];
  readonly #text: string;
  readonly #onScalar: GoJsonOptions["onScalar"];
  readonly #keepFirst: boolean;
  readonly #path: (string | number)[] = [];
  #at = 0;
  #scalarStart = 0;

  constructor(text: string, { onScalar, keepFirst = false }: GoJsonOptions) {
    this.#text = text;
    this.#onScalar = onScalar;
    this.#keepFirst = keepFirst;
  }

  document(): unknown {
    const value = this.#nested();
    this.#space();
    if (this.#at < this.#text.length) throw this.#unexpected("after top-level value");
    return value;
  }

  /** Parses a value with everything in it. Uses its own stack, because 10,000 levels would overflow the engine's. */
  #nested(): unknown {
    const open: Container[] = [];
    for (;;) {
      let value = this.#open();
      if (open.length >= deepest && isEmptyContainer(value))
        throw new GoJsonError(`invalid character '${Array.isArray(value) ? "[" : "{"}' exceeded max depth`);
      if (isEmptyContainer(value) && !this.#closes(value)) {
        open.push(value);
        this.#path.push(0);
        if (!Array.isArray(value)) this.#key(value);
        continue;
      }
      for (;;) {
        const parent = open.at(-1);
        if (parent === undefined) return value;
        this.#put(parent, value);
        this.#space();
        const list = Array.isArray(parent);
        if (this.#take(list ? "]" : "}")) {
          value = parent;
          open.pop();
          this.#path.pop();
          continue;
        }
        if (!this.#take(",")) throw this.#unexpected(list ? "after array element" : "after object key:value pair");
        if (list) this.#path[this.#path.length - 1] = parent.length;
        else this.#key(parent);
        break;
      }
    }
  }

  /** Parses a whole scalar, or the start of a container. */
  #open(): unknown {
    this.#space();
    const code = this.#text.charCodeAt(this.#at);
    this.#scalarStart = this.#at;
    if (code === 0x7b || code === 0x5b) {
      this.#at += 1;
      return code === 0x7b ? {} : [];
    }
    return this.#scalar(code);
  }

  #closes(container: Container): boolean {
    this.#space();
    return this.#take(Array.isArray(container) ? "]" : "}");
  }

  /** Parses the next key of an object and its colon. */
  #key(object: JsonObject): void {
    this.#space();
    if (this.#text[this.#at] !== '"') throw this.#unexpected();
    const key = this.#string();
    this.#space();
    if (!this.#take(":")) throw this.#unexpected();
    this.#path[this.#path.length - 1] = key;
    if (Object.hasOwn(object, key)) this.#duplicate();
  }

  #put(parent: Container, value: unknown): void {
    const key = this.#path.at(-1) ?? 0;
    if (Array.isArray(parent)) parent.push(value);
    else if (this.#keepFirst && Object.hasOwn(parent, String(key))) return;
    else setOwn(parent, String(key), value);
    if (this.#onScalar !== undefined && (typeof value !== "object" || value === null))
      this.#onScalar(parent, key, this.#text.slice(this.#scalarStart, this.#at));
  }

  #scalar(code: number): unknown {
    if (code === 0x22) return this.#string();
    if (code === 0x2d || (code >= 0x30 && code <= 0x39)) return this.#number();
    if (code === 0x74) return this.#word("true", true);
    if (code === 0x66) return this.#word("false", false);
    if (code === 0x6e) return this.#word("null", null);
    throw this.#unexpected("looking for beginning of value");
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at;
    let at = start + 1;
    let plain = true;
    for (; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        plain = false;
        at += 1;
      } else if (code < 0x20 || Number.isNaN(code)) {
        this.#at = at;
        throw this.#unexpected();
      }
    }
    this.#at = at + 1;
    if (plain) return text.slice(start + 1, at);
    try {
      return wellFormed(JSON.parse(text.slice(start, at + 1)) as string);
    } catch (cause) {
      throw new GoJsonError("invalid escape in string literal", { cause });
    }
  }

  #number(): number {
    numberPattern.lastIndex = this.#at;
    const match = numberPattern.exec(this.#text);
    if (match === null) throw this.#unexpected();
    this.#at += match[0].length;
    const number = Number(match[0]);
    if (!Number.isFinite(number))
      throw new GoJsonError(`json: cannot unmarshal number ${match[0]} into Go value of type float64`);
    // The smallest number above int64 would round to the largest within; the next double keeps them apart.
    if (number === 2 ** 63 && /^\d+$/.test(match[0]) && BigInt(match[0]) >= 2n ** 63n) return 2 ** 63 + 2048;
    // Go's integers have no negative zero.
    return Object.is(number, -0) ? 0 : number;
  }

  #word<T>(word: string, value: T): T {
    if (!this.#text.startsWith(word, this.#at)) throw this.#unexpected();
    this.#at += word.length;
    return value;
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #duplicate(): void {
    if (this.duplicates.length >= mostDuplicates) return;
    const path = formatJsonPath(this.#path);
    if (!this.duplicates.includes(path)) this.duplicates.push(path);
  }

  #unexpected(context = `at offset ${this.#at}`): GoJsonError {
    const point = this.#text.codePointAt(this.#at);
    if (point === undefined) return new GoJsonError("unexpected end of JSON input");
    return new GoJsonError(`invalid character '${String.fromCodePoint(point)}' ${context}`);
  }
}

/** Containers leave `#open` empty; scalars are never objects. */
function isEmptyContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

function wellFormed(text: string): string {
  return (text as string & { toWellFormed(): string }).toWellFormed();
}
