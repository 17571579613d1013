import type { Namespace, Node, Taint } from "../../../kinds/core/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { goQuote } from "../../internal/go-text.js";
import { parseRange, rangeProblem } from "../../objects/addresses.js";
import { labelValueErrors } from "../../objects/selectors.js";
import {
  duplicate,
  forbidden,
  invalid,
  invalidNamed,
  notSupported,
  qualifiedName,
  required,
} from "../shared/field-errors.js";
import { resourceQuantity } from "../shared/resource-names.js";

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function taintErrors(taints: readonly Taint[]): FieldError[] {
  const taken = new Set<string>();
  return taints.flatMap((taint, index) => {
    const at = `metadata.taints[${String(index)}]`;
    const { key, value = "", effect } = taint;
    const errors = qualifiedName(`${at}.key`, key);
    const wrong = labelValueErrors(value);
    if (wrong.length > 0) errors.push(invalid(`${at}.value`, value, wrong.join(";")));
    if ((effect as string) === "") errors.push(required(`${at}.effect`));
    else if (!EFFECTS.includes(effect)) errors.push(notSupported(`${at}.effect`, effect, EFFECTS));
    // The value is shown as Go prints its own struct.
    if (taken.has(`${key}:${effect}`))
      errors.push({
        ...duplicate(at, { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null }),
        detail: "taints must be unique by key and effect pair",
      });
    taken.add(`${key}:${effect}`);
    return errors;
  });
}

function amounts({ status }: Node): FieldError[] {
  return (["capacity", "allocatable"] as const).flatMap((key) =>
    Object.entries(status?.[key] ?? {}).flatMap(([name, quantity]) =>
      resourceQuantity(`status.${key}.${name}`, name, quantity),
    ),
  );
}

const FEATURE = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const LONGEST_FEATURE = 253;

/** Errors of the features that a node says it has, which must be in order. */
function featureErrors(features: readonly string[]): FieldError[] {
  return features.flatMap((feature, index) => {
    const at = `status.declaredFeatures[${String(index)}]`;
    const before = features[index - 1];
    const errors =
      before === feature
        ? [duplicate(at, feature)]
        : before !== undefined && before > feature
          ? [invalid(at, feature, "list must be sorted alphabetically")]
          : [];
    const name = `invalid feature name ${goQuote(feature)}`;
    if (feature.length > LONGEST_FEATURE)
      errors.push(invalid(at, feature, `${name}: must be no more than ${String(LONGEST_FEATURE)} characters`));
    else if (!FEATURE.test(feature))
      errors.push(
        invalid(
          at,
          feature,
          `${name}: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes`,
        ),
      );
    return errors;
  });
}

/** Errors of a Node. */
export function validateNode(node: Node): FieldError[] {
  const { podCIDRs: ranges = [], taints = [] } = node.spec ?? {};
  const errors = [...taintErrors(taints), ...amounts(node), ...featureErrors(node.status?.declaredFeatures ?? [])];
  ranges.forEach((range, index) => {
    const problem = rangeProblem(range, false);
    if (problem !== undefined) errors.push(invalid(`spec.podCIDRs[${String(index)}]`, range, problem));
  });
  const lengths = new Set(ranges.map((range) => parseRange(range)?.first.length));
  const unread = ranges.findIndex((range) => parseRange(range) === undefined);
  if (ranges.length > 1 && unread >= 0)
    errors.push({
      type: "InternalError",
      field: "spec.podCIDRs",
      detail: `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${String(unread)}]: <nil> (invalid CIDR address: ${ranges[unread]!})`,
    });
  if (ranges.length > 2 || (ranges.length === 2 && (lengths.size < 2 || lengths.has(undefined))))
    errors.push(invalid("spec.podCIDRs", ranges, "may specify no more than one CIDR for each IP family"));
  return errors;
}

/** Errors of a changed Node, which a real server looks at as a new one first. */
export function validateNodeUpdate(node: Node, old: Node): FieldError[] {
  return [...validateNode(node), ...validateNodeStatus(node, old)];
}

/** Errors of a change of a Node, through whichever end point. */
export function validateNodeStatus(node: Node, old: Node): FieldError[] {
  const errors = [...amounts(node), ...featureErrors(node.status?.declaredFeatures ?? [])];
  const seen = new Set<string>();
  (node.status?.addresses ?? []).forEach(({ type, address }, index) => {
    const key = `${type} ${address}`;
    if (seen.has(key)) errors.push(duplicate(`status.addresses[${String(index)}]`, { Type: type, Address: address }));
    seen.add(key);
  });
  const [now, before] = [node.spec?.podCIDRs ?? [], old.spec?.podCIDRs ?? []];
  const moved = forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid');
  if (before.length > 0 && now.length !== before.length) errors.push(moved);
  else
    before.forEach((range, index) => {
      if (range !== now[index]) errors.push(moved);
    });
  const provider = old.spec?.providerID ?? "";
  if (provider !== "" && provider !== node.spec?.providerID)
    errors.push(forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid'));
  errors.push(...taintErrors(node.spec?.taints ?? []));
  if ((node.spec?.externalID ?? "") !== (old.spec?.externalID ?? ""))
    errors.push(forbidden("spec.externalID", "may not be updated"));
  return errors;
}

const FINALIZERS = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function finalizerErrors(finalizer: string, field: string): FieldError[] {
  const errors = qualifiedName(field, finalizer);
  return finalizer.includes("/") || FINALIZERS.has(finalizer)
    ? errors
    : [...errors, invalid(field, finalizer, "name is neither a standard finalizer name nor is it fully qualified")];
}

/** Errors of a Namespace. */
export function validateNamespace({ spec }: Namespace): FieldError[] {
  return (spec?.finalizers ?? []).flatMap((finalizer) => finalizerErrors(finalizer, "spec.finalizers"));
}

/** Errors of the finalizers that a Namespace is given through their own end point. */
export function validateNamespaceFinalizers({ spec }: Namespace): FieldError[] {
  return (spec?.finalizers ?? []).flatMap((finalizer, index) =>
    finalizerErrors(finalizer, `spec.finalizers[${String(index)}]`),
  );
}

/** Errors of a Namespace's status: its phase goes with its deletion. */
export function validateNamespaceStatus({ metadata, status }: Namespace): FieldError[] {
  const gone = metadata?.deletionTimestamp !== undefined;
  const phase = status?.phase ?? "";
  if (phase === (gone ? "Terminating" : "Active")) return [];
  return [
    invalidNamed(
      "status.Phase",
      phase,
      gone
        ? "may only be 'Terminating' if `deletionTimestamp` is not empty"
        : "may only be 'Active' if `deletionTimestamp` is empty",
    ),
  ];
}
