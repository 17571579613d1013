import { formatYaml } from "../internal/yaml/yaml-writer.js";
import type { KubernetesObject } from "../meta/object.js";

/**
 * Formats objects as YAML like kubectl does: one document per object, keys sorted, strings quoted if another parser could
 * read them as another type, and control characters escaped.
 *
 * @example
 * ```ts
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { formatManifests } from "kubestream/manifests";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const { items } = await client.resource(ConfigMap).namespace("web").list();
 * console.log(formatManifests(items.map((item) => ({ apiVersion: "v1", kind: "ConfigMap", ...item }))));
 * ```
 */
export function formatManifests(objects: Iterable<Readonly<KubernetesObject>>): string {
  // The JSON round trip drops undefined fields and converts dates, so that YAML and JSON agree.
  return Array.from(objects, (object) => formatYaml(JSON.parse(JSON.stringify(object)))).join("---\n");
}
