import { formatYaml } from "../internal/yaml-writer.js";
import type { KubernetesObject } from "../meta/object.js";

/** Writes objects as YAML, one document each, as kubectl does: keys sorted, texts quoted where another reader would take them for something else. */
export function formatManifests(objects: Iterable<Readonly<KubernetesObject>>): string {
  // What JSON leaves out or turns into text is to be the same here.
  return Array.from(objects, (object) => formatYaml(JSON.parse(JSON.stringify(object)))).join("---\n");
}
