import type { Container, Node, Pod, PodSpec } from "../../kinds/core/v1.js";
import { refusal } from "../admission/refusal.js";
import { equalJson } from "../internal/json-value.js";
import type { AdmissionPlugin } from "../registry/services.js";
import { getStored } from "../registry/stored-objects.js";

/** Features that an update of a pod may need, in the order in which kube-apiserver reports them. */
const features: Readonly<Record<string, (spec: PodSpec, old: PodSpec) => boolean>> = {
  InPlacePodLevelResourcesVerticalScaling: (spec, old) => !equalJson(spec.resources ?? {}, old.resources ?? {}),
  InPlacePodVerticalScalingInitContainers: (spec, old) =>
    (old.initContainers ?? []).some(
      (container, index) =>
        !isSidecar(container) && !equalJson(container.resources ?? {}, spec.initContainers?.[index]?.resources ?? {}),
    ),
};

/**
 * Rejects an update of a running pod that needs a feature which its node doesn't declare.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/node-declared-features/
 */
export const nodeDeclaredFeatures: AdmissionPlugin = {
  name: "NodeDeclaredFeatureValidator",
  validate(attributes, { services }) {
    const { operation, resource, subresource, object, old } = attributes;
    if (operation !== "UPDATE" || resource.bucket !== "/pods" || (subresource !== "" && subresource !== "resize"))
      return;
    const [spec, before] = [(object as Pod | undefined)?.spec, (old as Pod | undefined)?.spec];
    if (spec === undefined || before === undefined || (spec.nodeName ?? "") === "") return;
    const needed = Object.keys(features).filter((name) => features[name]!(spec, before));
    if (needed.length === 0) return;
    const node = getStored(services, "/nodes", spec.nodeName!) as Node | undefined;
    const shown = JSON.stringify(spec.nodeName);
    if (node === undefined) throw refusal(attributes, `node ${shown} not found`);
    const missing = needed.filter((name) => node.status?.declaredFeatures?.includes(name) !== true);
    if (missing.length > 0)
      throw refusal(
        attributes,
        `pod update requires features ${missing.join(", ")} which are not available on node ${shown}`,
      );
  },
};

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === "Always";
}
