import type { PodSpec as FullPodSpec, Toleration } from "../../kinds/core/v1.js";
import type { RuntimeClass } from "../../kinds/node/v1.js";
import { compareQuantities, parseQuantity } from "../../meta/quantity.js";
import { refusal } from "../admission/refusal.js";
import { groupBy } from "../internal/group-by.js";
import { givenEmptyFields } from "../objects/given-empty.js";
import { copyJson } from "../objects/metadata.js";
import type { AdmissionAttributes, AdmissionPlugin, RegistryServices } from "../registry/services.js";
import { getStored } from "../registry/stored-objects.js";
import type { ResourceList } from "./pod.js";

type PodSpec = Pick<FullPodSpec, "runtimeClassName" | "overhead" | "nodeSelector" | "tolerations">;

/**
 * Sets the overhead and scheduling of a new pod's RuntimeClass, and rejects pods whose class is missing or conflicts.
 *
 * @see https://kubernetes.io/docs/concepts/containers/runtime-class/
 */
export const runtimeClass: AdmissionPlugin = {
  name: "RuntimeClass",
  admit(attributes, { services }) {
    const spec = newPod(attributes);
    const chosen = spec === undefined ? undefined : classOf(spec, attributes, services);
    if (spec === undefined || chosen === undefined) return;
    const overhead = overheadOf(chosen);
    if (overhead !== undefined) {
      if (Object.keys(spec.overhead ?? {}).length > 0 && !sameAmounts(overhead, spec.overhead))
        throw refusal(attributes, otherOverhead);
      spec.overhead = { ...overhead };
    }
    if (chosen.scheduling !== undefined) schedule(spec, copyJson(chosen.scheduling), attributes);
  },
  validate(attributes, { services }) {
    const spec = newPod(attributes);
    if (spec === undefined) return;
    const chosen = classOf(spec, attributes, services);
    const overhead = chosen === undefined ? undefined : overheadOf(chosen);
    const isGiven = spec.overhead !== undefined || givenEmptyFields(spec)?.includes("overhead") === true;
    if (overhead === undefined && isGiven)
      throw refusal(attributes, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
    if (overhead !== undefined && !sameAmounts(overhead, spec.overhead)) throw refusal(attributes, otherOverhead);
  },
};

const otherOverhead = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function newPod({ operation, resource, subresource, object }: AdmissionAttributes): PodSpec | undefined {
  return operation === "CREATE" && resource.bucket === "/pods" && subresource === ""
    ? (object?.["spec"] as PodSpec | undefined)
    : undefined;
}

function classOf(
  { runtimeClassName }: PodSpec,
  attributes: AdmissionAttributes,
  services: RegistryServices,
): RuntimeClass | undefined {
  if (runtimeClassName === undefined) return undefined;
  const found = getStored(services, "node.k8s.io/runtimeclasses", runtimeClassName);
  if (found === undefined)
    throw refusal(attributes, `pod rejected: RuntimeClass ${JSON.stringify(runtimeClassName)} not found`);
  return found as unknown as RuntimeClass;
}

function overheadOf({ overhead }: RuntimeClass): ResourceList | undefined {
  return overhead === undefined ? undefined : (overhead.podFixed ?? {});
}

function sameAmounts(a: ResourceList, b: ResourceList = {}): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every(
      (name) => Object.hasOwn(b, name) && compareQuantities(parseQuantity(a[name]!), parseQuantity(b[name]!)) === 0,
    )
  );
}

function schedule(
  spec: PodSpec,
  { nodeSelector, tolerations }: NonNullable<RuntimeClass["scheduling"]>,
  attributes: AdmissionAttributes,
): void {
  for (const [key, value] of Object.entries(nodeSelector ?? {})) {
    const own = spec.nodeSelector?.[key];
    if (own !== undefined && own !== value)
      throw refusal(
        attributes,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
    (spec.nodeSelector ??= {})[key] = value;
  }
  spec.tolerations = mergeTolerations([...(spec.tolerations ?? []), ...(tolerations ?? [])]);
}

/** Drops tolerations that others cover; of equal ones the first stays. */
function mergeTolerations(all: readonly Toleration[]): Toleration[] {
  // Only tolerations with the same key, or without one, can cover another.
  const byKey = groupBy(
    all.map((each, index) => [each, index] as const),
    ([{ key = "" }]) => key,
  );
  const dropped = new Set<number>();
  return all.filter((each, index) => {
    const { key = "" } = each;
    const candidates = [byKey.get(key) ?? [], key === "" ? [] : (byKey.get("") ?? [])];
    const covered = candidates.some((list) =>
      list.some(([other, at]) =>
        at < index ? !dropped.has(at) && covers(other, each) : at > index && !same(other, each) && covers(other, each),
      ),
    );
    if (covered) dropped.add(index);
    return !covered;
  });
}

function same(a: Toleration, b: Toleration): boolean {
  return (
    (["key", "operator", "value", "effect"] as const).every((field) => (a[field] ?? "") === (b[field] ?? "")) &&
    a.tolerationSeconds === b.tolerationSeconds
  );
}

/** True if the wide toleration covers everything the narrow one tolerates. */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (same(wide, narrow)) return true;
  const everyKey = (wide.key ?? "") === "" && wide.operator === "Exists";
  if ((wide.key ?? "") !== (narrow.key ?? "") && !everyKey) return false;
  if ((wide.effect ?? "") !== "" && wide.effect !== narrow.effect) return false;
  const { tolerationSeconds: limit } = wide;
  if (
    wide.effect === "NoExecute" &&
    limit !== undefined &&
    (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > limit)
  )
    return false;
  if (wide.operator === "Exists") return true;
  return (
    (wide.operator === undefined || wide.operator === "Equal") &&
    narrow.operator === "Equal" &&
    (wide.value ?? "") === (narrow.value ?? "")
  );
}
