import type { Pod } from "../../kinds/core/v1.js";
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
    if (resource.bucket !== "/pods" || object === undefined) return;
    // A binding arrives as an update that sets the node.
    if (subresource !== "binding" && (operation !== "CREATE" || subresource !== "")) return;
    const pod = object as Pod;
    const node = (pod.spec?.nodeName ?? "") === "" ? undefined : getStored(services, "/nodes", pod.spec!.nodeName!);
    const labels = node?.metadata?.labels ?? {};
    const copied = topologyLabels.filter((name) => labels[name] !== undefined).map((name) => [name, labels[name]!]);
    if (copied.length === 0) return;
    const metadata = (pod.metadata ??= {});
    metadata.labels = { ...metadata.labels, ...(Object.fromEntries(copied) as Record<string, string>) };
  },
};
