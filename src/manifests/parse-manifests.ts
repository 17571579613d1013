import type { DynamicObject } from "../client/resource/resource.js";
import { ConfigError } from "../errors/errors.js";
import type { KubernetesObject } from "../meta/object.js";
import { flatten } from "./manifests.js";

/**
 * Reads the objects of a text of YAML or JSON with one or several documents, as `applyManifests` and `applySet` take
 * them: by kubectl's rules for scalars, without empty documents, with `List` objects taken apart. Rejects with a
 * `ConfigError` that names line or document.
 */
export async function parseManifests(
  text: string,
  options: { readonly source?: string } = {},
): Promise<DynamicObject[]> {
  const { source = "the manifests" } = options;
  // A YAML parser is a tenth of a second of start-up that most programs can do without.
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
      throw new ConfigError(`${source}: document ${index + 1} is no object with apiVersion and kind`);
    return flatten([document as KubernetesObject]);
  });
}
