import { ConfigError } from "../../errors/errors.js";

/** A mapping of a configuration file that knows where it stands, so that each mistake is named by file and field. Values never get into messages. */
export interface ConfigReader {
  /** File and field that this mapping is, as `/home/me/.kube/config: users[0].user`. */
  readonly where: string;
  /** Text of a field; `undefined` if it is absent, null or empty. Throws a `ConfigError` for another type. */
  text(field: string): string | undefined;
  /** Like `text`, for a field that has to be there. */
  requiredText(field: string): string;
  /** Boolean of a field; false if absent. Throws a `ConfigError` for another type. */
  flag(field: string): boolean;
  /** Base64 of a field, decoded; `undefined` if absent or empty. Throws a `ConfigError` for what is no base64. */
  base64(field: string): Uint8Array | undefined;
  /** List of texts; empty if absent. Throws a `ConfigError` for another type. */
  texts(field: string): readonly string[];
  /** Mapping of a field; `undefined` if absent. Throws a `ConfigError` for another type. */
  mapping(field: string): ConfigReader | undefined;
  /** List of mappings; empty if absent. Throws a `ConfigError` for another type. */
  mappings(field: string): readonly ConfigReader[];
  /** Names of the fields that are there. */
  fields(): readonly string[];
  /** The value of a field as it was read. */
  raw(field: string): unknown;
  /** Throws a `ConfigError` about a field. */
  fail(field: string, reason: string): never;
}

/** Reads a mapping; `where` names the file. Throws a `ConfigError` if `value` is no mapping. */
export function createConfigReader(value: unknown, where: string, separator = ": "): ConfigReader {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new ConfigError(`${where}: must be a mapping, is ${typeName(value)}`);
  const source = value as Readonly<Record<string, unknown>>;
  const at = (field: string): string => `${where}${separator}${field}`;
  const raw = (field: string): unknown => (Object.hasOwn(source, field) ? source[field] : undefined);

  function fail(field: string, reason: string): never {
    throw new ConfigError(`${at(field)}: ${reason}`);
  }

  function text(field: string): string | undefined {
    const found = raw(field);
    if (found === undefined || found === null || found === "") return undefined;
    // Names as 123 or yes are often left unquoted; kubectl takes numbers and booleans for text as well.
    if (typeof found === "number" || typeof found === "boolean") return String(found);
    return typeof found === "string" ? found : fail(field, `must be text, is ${typeName(found)}`);
  }

  function list(field: string): readonly unknown[] {
    const found = raw(field);
    if (found === undefined || found === null) return [];
    return Array.isArray(found) ? found : fail(field, `must be a list, is ${typeName(found)}`);
  }

  return {
    where,
    raw,
    fail,
    text,
    requiredText: (field) => text(field) ?? fail(field, "is missing"),
    flag(field) {
      const found = raw(field);
      if (found === undefined || found === null) return false;
      return typeof found === "boolean" ? found : fail(field, `must be true or false, is ${typeName(found)}`);
    },
    base64(field) {
      const encoded = text(field)?.replace(/[\r\n]/g, "");
      if (encoded === undefined || encoded === "") return undefined;
      if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) fail(field, "is no base64");
      return Uint8Array.from(Buffer.from(encoded, "base64"));
    },
    texts(field) {
      return list(field).map((item, index) =>
        typeof item === "string" ? item : fail(`${field}[${index}]`, `must be text, is ${typeName(item)}`),
      );
    },
    mapping(field) {
      const found = raw(field);
      return found === undefined || found === null ? undefined : createConfigReader(found, at(field), ".");
    },
    mappings(field) {
      return list(field).map((item, index) => createConfigReader(item, at(`${field}[${index}]`), "."));
    },
    fields: () => Object.keys(source),
  };
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "a mapping" : `a ${typeof value}`;
}
