import type { YamlOptions } from "./yaml-entries.js";
import { YamlReader } from "./yaml-reader.js";

/**
 * Parses all documents of a YAML or JSON text into JSON values by kubectl's rules. `yes`, `no`, `on`, `off`, `y` and
 * `n` are booleans, also as keys; `017` is 15; dates stay text; `<<` merges. Rejects duplicate keys, infinities,
 * more than 1,000 levels, and aliases that expand to more than 100,000 nodes. Throws a `SyntaxError` that names the line.
 */
export function parseYamlDocuments(text: string, options: YamlOptions = {}): unknown[] {
  const reader = new YamlReader(text, options);
  const values: unknown[] = [];
  for (let document = reader.next(); document !== undefined; document = reader.next()) values.push(document.value);
  return values;
}

/**
 * Parses the first document of a YAML or JSON text by kubectl's rules: what follows the document is ignored. Returns
 * `null` for an empty text. Throws a `SyntaxError` that names the line.
 */
export function parseYaml(text: string, options: YamlOptions = {}): unknown {
  return new YamlReader(text, options).first() ?? null;
}
