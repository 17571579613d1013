import { ConfigError } from "../../errors/errors.js";

/**
 * Reads one mapping of a configuration file. It knows its position, so every error names the file and the field. Errors
 * never contain values.
 */
export interface ConfigReader {
  /** File and field of this mapping, such as `/home/me/.kube/config: users[0].user`. */
  readonly where: string;
  /** Returns a field as text, `undefined` if it's absent, null or empty. Throws a `ConfigError` for another type. */
  text(field: string): string | undefined;
  /** Returns a field as text. Throws a `ConfigError` if it's absent. */
  requiredText(field: string): string;
  /** Returns a boolean field, false if it's absent. Throws a `ConfigError` for another type. */
  flag(field: string): boolean;
  /** Decodes a base64 field, `undefined` if it's absent or empty. Throws a `ConfigError` for invalid base64. */
  base64(field: string): Uint8Array | undefined;
  /** Returns a list of strings, empty if it's absent. Throws a `ConfigError` for another type. */
  texts(field: string): readonly string[];
  /** Returns a nested mapping, `undefined` if it's absent. Throws a `ConfigError` for another type. */
  mapping(field: string): ConfigReader | undefined;
  /** Iterates over a list of mappings, empty if it's absent. Throws a `ConfigError` for another type. */
  mappings(field: string): Iterable<ConfigReader>;
  /** Names of the fields that are set. */
  fields(): readonly string[];
  /** Returns a field's value without checking it. */
  raw(field: string): unknown;
  /** Throws a `ConfigError` about a field. */
  fail(field: string, reason: string): never;
}

/** Returns a reader for a mapping; `where` names the file. Throws a `ConfigError` if `value` isn't a mapping. */
export function createConfigReader(value: unknown, where: string, separator = ": "): ConfigReader {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ConfigError(`${where}: must be a mapping, not ${typeName(value)}`);
  const source = value as Readonly<Record<string, unknown>>;
  const at = (field: string): string => `${where}${separator}${field}`;
  const raw = (field: string): unknown => (Object.hasOwn(source, field) ? source[field] : undefined);

  function fail(field: string, reason: string): never {
    throw new ConfigError(`${at(field)}: ${reason}`);
  }

  function text(field: string): string | undefined {
    const found = raw(field);
    if (found === undefined || found === null || found === "") return undefined;
    // Names such as 123 or yes are often left unquoted; kubectl also accepts numbers and booleans as text.
    if (typeof found === "number" || typeof found === "boolean") return String(found);
    return typeof found === "string" ? found : fail(field, `must be a string, not ${typeName(found)}`);
  }

  function list(field: string): readonly unknown[] {
    const found = raw(field);
    if (found === undefined || found === null) return [];
    return Array.isArray(found) ? found : fail(field, `must be a list, not ${typeName(found)}`);
  }

  return {
    where,
    raw,
    fail,
    text,
    requiredText: (field) => text(field) ?? fail(field, "is required"),
    flag(field) {
      const found = raw(field);
      if (found === undefined || found === null) return false;
      return typeof found === "boolean" ? found : fail(field, `must be true or false, not ${typeName(found)}`);
    },
    base64(field) {
      const encoded = text(field)?.replace(/[\r\n]/g, "");
      if (encoded === undefined || encoded === "") return undefined;
      if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) fail(field, "is not valid base64");
      return Uint8Array.from(Buffer.from(encoded, "base64"));
    },
    texts(field) {
      return list(field).map((item, index) =>
        typeof item === "string" ? item : fail(`${field}[${index}]`, `must be a string, not ${typeName(item)}`),
      );
    },
    mapping(field) {
      const found = raw(field);
      return found === undefined || found === null ? undefined : createConfigReader(found, at(field), ".");
    },
    *mappings(field) {
      for (const [index, item] of list(field).entries()) yield createConfigReader(item, at(`${field}[${index}]`), ".");
    },
    fields: () => Object.keys(source),
  };
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a mapping" : `a ${typeof value}`;
}
