import { ConfigError } from "../errors/errors.js";
import type { ManifestSource } from "../errors/manifests-error.js";
import type { KubernetesObject } from "../meta/object.js";
import { flatten, type Manifest, problemOf, setManifestSource } from "./manifest.js";

/**
 * Parses YAML or JSON text with one or more documents for `applyManifests` and `applySet`. JSON objects may follow each
 * other without a separator. Scalars follow kubectl's rules, empty documents are skipped, and `List` objects are expanded.
 *
 * Rejects with a `ConfigError` that names the line and the problem, also if an object has no `apiVersion`, `kind` or
 * `metadata.name`. `source` is the name used for the text in messages and outcomes, such as a file name.
 *
 * @example
 * ```ts
 * import { parseManifests } from "kubestream/manifests";
 *
 * const objects = await parseManifests("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: web\n", { source: "inline" });
 * console.log(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)); // Namespace/web
 * ```
 */
export async function parseManifests(
  text: string,
  options: { readonly source?: string | undefined } = {},
): Promise<Manifest[]> {
  const { source = "the manifests" } = options;
  // Loaded on demand: the YAML parser adds a tenth of a second to start-up, and most programs don't need it.
  const { parseYamlDocuments } = await import("../internal/yaml/yaml.js");
  let documents: unknown[];
  const lines: number[] = [];
  try {
    documents = parseYamlDocuments(text, { onDocument: (line) => lines.push(line) });
  } catch (cause) {
    throw new ConfigError(`${source}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  return documents.flatMap((document, index) => {
    if (document === null) return [];
    const place: ManifestSource = { name: options.source, document: index + 1, line: lines[index]! };
    const at = `${source}: line ${place.line}: document ${place.document}`;
    if (typeof document !== "object") throw new ConfigError(`${at} is not an object`);
    const objects = flatten([setManifestSource(document as KubernetesObject, place)]);
    for (const [position, object] of objects.entries()) {
      const problem = problemOf(object);
      const item = object === document ? "" : `, item ${position + 1}`;
      if (problem !== undefined) throw new ConfigError(`${at}${item}${problem}`);
    }
    return objects as Manifest[];
  });
}
