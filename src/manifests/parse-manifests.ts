import type { DynamicObject } from "../client/resource/resource.js";
import { ConfigError } from "../errors/errors.js";
import type { KubernetesObject } from "../meta/object.js";
import { flatten } from "./manifests.js";

/**
 * Parses YAML or JSON text with one or more documents for `applyManifests` and `applySet`. Scalars follow kubectl's
 * rules, empty documents are skipped, and `List` objects are expanded.
 *
 * Rejects with a `ConfigError` that names the line or the document. `source` is the name used for the text in messages,
 * such as a file name.
 *
 * @example
 * ```ts
 * import { parseManifests } from "kubestream/manifests";
 *
 * const objects = await parseManifests("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: web\n", { source: "inline" });
 * console.log(objects.map(({ kind, metadata }) => `${kind}/${metadata?.name}`)); // Namespace/web
 * ```
 */
export async function parseManifests(
  text: string,
  options: { readonly source?: string | undefined } = {},
): Promise<DynamicObject[]> {
  const { source = "the manifests" } = options;
  // Loaded on demand: the YAML parser adds a tenth of a second to start-up, and most programs don't need it.
  const { parseYamlDocuments } = await import("../internal/yaml.js");
  let documents: unknown[];
  try {
    documents = parseYamlDocuments(text);
  } catch (cause) {
    throw new ConfigError(`${source}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  return documents.flatMap((document, index) => {
    if (document === null) return [];
    const { apiVersion, kind } = (typeof document === "object" ? document : {}) as {
      apiVersion?: unknown;
      kind?: unknown;
    };
    if (typeof apiVersion !== "string" || typeof kind !== "string")
      throw new ConfigError(`${source}: document ${index + 1} is not an object with apiVersion and kind`);
    return flatten([document as KubernetesObject]);
  });
}
