import { parseDocument } from "yaml";

/** Sets strings in the mapping at a path of a YAML document. Keeps comments and everything else. */
export function replaceYamlValues(
  text: string,
  path: readonly (string | number)[],
  values: Readonly<Record<string, string>>,
): string {
  const document = parseDocument(text, { keepSourceTokens: true });
  for (const [key, value] of Object.entries(values)) document.setIn([...path, key], value);
  return document.toString({ lineWidth: 0 });
}
