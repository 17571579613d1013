import { setOwn } from "../set-own.js";
import type { YamlSource } from "./yaml-source.js";

/** Options of a YAML text. */
export interface YamlOptions {
  /** Called with every duplicate key and its line; the last value wins. Default: a duplicate key is an error. */
  readonly onDuplicate?: (key: string, line: number) => void;
  /** Called with the line on which the content of each document begins. */
  readonly onDocument?: (line: number) => void;
}

/** Key of a mapping. */
export interface YamlKey {
  readonly text: string;
  readonly line: number;
  /** True for `<<`, whose value is merged into the mapping. */
  readonly merges: boolean;
}

/** Mapping that is being read. */
export class YamlEntries {
  readonly #source: YamlSource;
  readonly #options: YamlOptions;
  readonly #result: Record<string, unknown> = {};
  #merges: { readonly line: number; readonly value: unknown }[] | undefined;

  constructor(source: YamlSource, options: YamlOptions) {
    this.#source = source;
    this.#options = options;
  }

  add(key: YamlKey, value: unknown): void {
    if (key.merges) {
      (this.#merges ??= []).push({ line: key.line, value });
      return;
    }
    if (Object.hasOwn(this.#result, key.text)) {
      if (this.#options.onDuplicate === undefined)
        this.#source.fail(`duplicate key ${JSON.stringify(key.text)}`, key.line);
      this.#options.onDuplicate(key.text, key.line);
    }
    setOwn(this.#result, key.text, value);
  }

  /** Returns the mapping. Its own keys win over merged ones, and earlier merged ones over later ones. */
  finish(): Record<string, unknown> {
    for (const { line, value } of this.#merges ?? []) this.#merge(value, line);
    return this.#result;
  }

  #merge(value: unknown, line: number): void {
    if (Array.isArray(value)) for (const item of value) this.#merge(item, line);
    else if (typeof value !== "object" || value === null)
      this.#source.fail("<< requires a mapping or a list of mappings", line);
    else
      for (const [key, item] of Object.entries(value))
        if (!Object.hasOwn(this.#result, key)) setOwn(this.#result, key, item);
  }
}
