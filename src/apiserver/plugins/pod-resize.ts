import type { Node, Pod } from "../../kinds/core/v1.js";
import { compareQuantities } from "../../meta/quantity.js";
import { forbiddenBy, refusal } from "../admission/refusal.js";
import { failure } from "../errors/status.js";
import type { AdmissionAttributes, AdmissionPlugin } from "../registry/services.js";
import { getStored } from "../registry/stored-objects.js";
import { type PodSpec, podAmountsWithOverhead } from "./pod.js";

/** Rejects resizes of a pod that can't work on its node. */
export const podResize: AdmissionPlugin = {
  name: "PodResizeValidator",
  validate(attributes, { services }) {
    const { operation, resource, subresource, object, old } = attributes;
    if (operation !== "UPDATE" || resource.bucket !== "/pods" || subresource !== "resize") return;
    const { spec } = object as Pod;
    if ((spec?.nodeName ?? "") === "" || object?.metadata?.generation === old?.metadata?.generation) return;
    const shown = JSON.stringify(spec!.nodeName);
    const node = getStored(services, "/nodes", spec!.nodeName!) as Node | undefined;
    if (node === undefined) throw refusal(attributes, `node ${shown} not found`);
    const system = node.metadata?.labels?.["kubernetes.io/os"] ?? "linux";
    if (system !== "linux")
      throw resizeRefusal(
        attributes,
        "UnsupportedPlatform",
        `pod resize is only supported on linux nodes, node ${shown} is ${JSON.stringify(system)}`,
      );
    const requests = podAmountsWithOverhead(spec as unknown as PodSpec, "requests");
    const exceeded = ["cpu", "memory"].flatMap((name) => {
      const [requested, allocatable] = [requests[name] ?? "0", node.status?.allocatable?.[name] ?? "0"];
      return compareQuantities(requested, allocatable) > 0
        ? [`${name}, requested: ${requested}, allocatable: ${allocatable}`]
        : [];
    });
    if (exceeded.length > 0)
      throw resizeRefusal(
        attributes,
        "NodeCapacity",
        `node didn't have enough allocatable resources: ${exceeded.join("; ")}`,
      );
  },
};

function resizeRefusal(attributes: AdmissionAttributes, reason: string, message: string): Error {
  const { text, details } = forbiddenBy(attributes, message);
  return failure(403, "Forbidden", text, { ...details, causes: [{ reason }] });
}
