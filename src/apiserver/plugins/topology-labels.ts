import type { Binding, Pod } from "../../kinds/core/v1.js";
import type { ApiObject } from "../objects/api-object.js";
import type { AdmissionPlugin } from "../registry/services.js";
import { getStored } from "../registry/stored-objects.js";

const topologyLabels = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

/**
 * Copies zone and region of the node to the labels of a pod that is bound to it.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podtopologylabels
 */
export const podTopologyLabels: AdmissionPlugin = {
  name: "PodTopologyLabels",
  admit({ operation, resource, subresource, object }, { services }) {
    if (operation !== "CREATE" || resource.bucket !== "/pods" || object === undefined) return;
    const name = nodeOf(object, subresource);
    const labels = (name === "" ? undefined : getStored(services, "/nodes", name))?.metadata?.labels ?? {};
    const copied = topologyLabels
      .filter((label) => labels[label] !== undefined)
      .map((label) => [label, labels[label]!]);
    if (copied.length === 0) return;
    const metadata = (object.metadata ??= {});
    metadata.labels = { ...metadata.labels, ...(Object.fromEntries(copied) as Record<string, string>) };
  },
};

/** Returns the name of the node that a new pod has, or that a pod gets by a Binding. */
function nodeOf(object: ApiObject, subresource: string): string {
  if (subresource === "") return (object as Pod).spec?.nodeName ?? "";
  const { kind, name = "" } = (subresource === "binding" ? (object as Partial<Binding>).target : undefined) ?? {};
  return kind === "Node" ? name : "";
}
