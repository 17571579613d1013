import { refusal } from "../admission/refusal.js";
import type { ApiObject } from "../objects/api-object.js";
import type { AdmissionPlugin, RegistryServices } from "../registry/services.js";
import { getStored, listStored } from "../registry/stored-objects.js";
import type { PodSpec } from "./pod.js";

const classesBucket = "scheduling.k8s.io/priorityclasses";

/**
 * Resolves the priority of new pods, and rejects a second default priority class.
 *
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/
 */
export const priority: AdmissionPlugin = {
  name: "Priority",
  admit(attributes, { services }) {
    const { operation, resource, subresource, object, old } = attributes;
    if (resource.bucket !== "/pods" || subresource !== "" || object === undefined) return;
    const spec = object["spec"] as PodSpec;
    if (operation === "UPDATE") {
      // Updates keep the resolved values, also from clients that don't know the fields.
      const before = old?.["spec"] as PodSpec | undefined;
      if (spec.priority === undefined && before?.priority !== undefined) spec.priority = before.priority;
      if (spec.preemptionPolicy === undefined && before?.preemptionPolicy !== undefined)
        spec.preemptionPolicy = before.preemptionPolicy;
      return;
    }
    if (operation !== "CREATE") return;
    const chosen =
      (spec.priorityClassName ?? "") === ""
        ? defaultClass(services)
        : getStored(services, classesBucket, spec.priorityClassName!);
    if (chosen === undefined && (spec.priorityClassName ?? "") !== "")
      throw refusal(attributes, `no PriorityClass with name ${spec.priorityClassName!} was found`);
    const value = (chosen?.["value"] as number | undefined) ?? 0;
    const policy = (chosen?.["preemptionPolicy"] as string | undefined) ?? "PreemptLowerPriority";
    if (chosen?.metadata?.name !== undefined) spec.priorityClassName = chosen.metadata.name;
    if (spec.priority !== undefined && spec.priority !== value) {
      throw refusal(
        attributes,
        `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
      );
    }
    if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
      throw refusal(
        attributes,
        `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
      );
    }
    spec.priority = value;
    spec.preemptionPolicy = policy;
  },
  validate(attributes, { services }) {
    const { operation, resource, object } = attributes;
    if (
      resource.bucket !== classesBucket ||
      object?.["globalDefault"] !== true ||
      (operation !== "CREATE" && operation !== "UPDATE")
    )
      return;
    const other = listStored(services, classesBucket).find(
      (candidate) => candidate["globalDefault"] === true && candidate.metadata?.name !== object.metadata?.name,
    );
    if (other === undefined) return;
    throw refusal(
      attributes,
      `PriorityClass ${other.metadata!.name!} is already marked as default. Only one default can exist`,
    );
  },
};

/** Returns the class of pods without one: the lowest of those marked as default. */
function defaultClass(services: RegistryServices): ApiObject | undefined {
  const marked = listStored(services, classesBucket).filter((candidate) => candidate["globalDefault"] === true);
  return marked.sort((a, b) => Number(a["value"]) - Number(b["value"]))[0];
}
