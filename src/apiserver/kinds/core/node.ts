import { pushAll } from "../../../internal/push-all.js";
import type { Node, NodeSpec, NodeStatus, Taint } from "../../../kinds/core/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { parseRange, rangeProblem } from "../../objects/addresses.js";
import { givenEmptyFields } from "../../objects/given-empty.js";
import { labelValueErrors } from "../../objects/selectors.js";
import { rangeWarnings } from "../shared/address-warnings.js";
import * as check from "../shared/checks.js";
import { duplicate, forbidden, invalid } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { resourceQuantity } from "../shared/resource-names.js";

const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

function taintErrors(taints: readonly Taint[]): FieldError[] {
  const taken = new Set<string>();
  return check.eachItem(taints, "metadata.taints", (taint, at) => {
    const { key, value = "", effect } = taint;
    const errors = check.qualifiedName(`${at}.key`, key);
    const wrong = labelValueErrors(value);
    if (wrong.length > 0) errors.push(invalid(`${at}.value`, value, wrong.join(";")));
    pushAll(errors, check.requiredOneOf(`${at}.effect`, effect, taintEffects));
    if (taken.has(`${key}:${effect}`)) errors.push(duplicate(at, taint));
    taken.add(`${key}:${effect}`);
    return errors;
  });
}

function amountErrors({ status }: Node): FieldError[] {
  return (["capacity", "allocatable"] as const).flatMap((key) =>
    check.eachItem(Object.entries(status?.[key] ?? {}), "", ([name, quantity]) =>
      resourceQuantity(`status.${key}.${name}`, name, quantity),
    ),
  );
}

const featurePattern = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;
const longestFeature = 253;
const maxSwap = Number.MAX_SAFE_INTEGER;

/** Validates the declared features, which must be sorted. */
function featureErrors(features: readonly string[]): FieldError[] {
  return check.eachItem(features, "status.declaredFeatures", (feature, at, index) => {
    const before = features[index - 1];
    const errors =
      before === feature
        ? [duplicate(at, feature)]
        : before !== undefined && before > feature
          ? [invalid(at, feature, "list must be sorted alphabetically")]
          : [];
    return feature.length > longestFeature || !featurePattern.test(feature)
      ? [...errors, invalid(at, feature, "must be a feature name like 'MyFeature' or 'MyFeature/mySubFeature'")]
      : errors;
  });
}

function validate(node: Node): FieldError[] {
  const { podCIDRs: ranges = [], taints = [] } = node.spec ?? {};
  const errors = [
    ...taintErrors(taints),
    ...amountErrors(node),
    ...check.between("metadata.nodeSwapStatus.capacity", node.status?.nodeInfo?.swap?.capacity, 1, maxSwap),
    ...featureErrors(node.status?.declaredFeatures ?? []),
    ...check.eachItem(ranges, "spec.podCIDRs", (range, at) => {
      const problem = rangeProblem(range, false);
      return problem === undefined ? [] : [invalid(at, range, problem)];
    }),
  ];
  const length = (range: string | undefined): number | undefined => parseRange(range ?? "")?.first.length;
  const unclear = ranges.some((range) => length(range) === undefined);
  if (ranges.length > 1 && unclear)
    errors.push({ type: "InternalError", field: "spec.podCIDRs", detail: "invalid CIDR" });
  if (ranges.length > 2 || (ranges.length === 2 && (unclear || length(ranges[0]) === length(ranges[1]))))
    errors.push(invalid("spec.podCIDRs", ranges, "may specify no more than one CIDR for each IP family"));
  return errors;
}

/** Validates a change to a Node or its status. */
function validateChange(node: Node, old: Node): FieldError[] {
  const errors = [...amountErrors(node), ...featureErrors(node.status?.declaredFeatures ?? [])];
  const addresses = (node.status?.addresses ?? []).map(({ type, address }) => `${type} ${address}`);
  pushAll(
    errors,
    check.duplicates(addresses, (index) => `status.addresses[${String(index)}]`),
  );
  const [now, before] = [node.spec?.podCIDRs ?? [], old.spec?.podCIDRs ?? []];
  const moved = forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid');
  if (before.length > 0 && now.length !== before.length) errors.push(moved);
  else
    pushAll(
      errors,
      before.filter((range, index) => range !== now[index]).map(() => moved),
    );
  const provider = old.spec?.providerID ?? "";
  if (provider !== "" && provider !== node.spec?.providerID)
    errors.push(forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid'));
  pushAll(errors, taintErrors(node.spec?.taints ?? []));
  if ((node.spec?.externalID ?? "") !== (old.spec?.externalID ?? ""))
    errors.push(forbidden("spec.externalID", "may not be updated"));
  return errors;
}

/** Keeps `podCIDR` equal to the first of `podCIDRs`; if both are given, `podCIDR` wins. */
function setSpecDefaults(spec: NodeSpec): void {
  if (spec.podCIDR !== undefined && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
  else if (spec.podCIDR === undefined && spec.podCIDRs?.[0] !== undefined) spec.podCIDR = spec.podCIDRs[0];
}

/** Defaults the allocatable resources. A map that is given as empty stays empty until it is stored. */
function setStatusDefaults(status: NodeStatus): void {
  if (
    status.allocatable === undefined &&
    status.capacity !== undefined &&
    givenEmptyFields(status)?.includes("allocatable") !== true
  )
    status.allocatable = { ...status.capacity };
}

const rolePrefix = "node-role.kubernetes.io/";

function cells({ metadata, spec, status }: Node, age: string): unknown[] {
  const ready = status?.conditions?.filter((each) => each.type === "Ready").at(-1);
  const state = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  const roles = Object.entries(metadata?.labels ?? {}).flatMap(([key, value]) =>
    key.startsWith(rolePrefix) ? key.slice(rolePrefix.length) || [] : key === "kubernetes.io/role" ? value || [] : [],
  );
  const info = status?.nodeInfo;
  const address = (type: string): string => status?.addresses?.find((each) => each.type === type)?.address ?? "<none>";
  const kernel = info?.kernelVersion || "<unknown>";
  return [
    spec?.unschedulable === true ? `${state},SchedulingDisabled` : state,
    [...new Set(roles)].sort().join(",") || "<none>",
    age,
    info?.kubeletVersion ?? "",
    address("InternalIP"),
    address("ExternalIP"),
    info?.osImage || "<unknown>",
    (info?.architecture ?? "") === "" ? kernel : `${kernel} (${info?.architecture ?? ""})`,
    info?.containerRuntimeVersion || "<unknown>",
  ];
}

export const node: KindDefinition = defineBuiltin<Node>({
  resource: "/nodes",
  metadata: { checksOnUpdate: 2 },
  keepsNewStatus: true,
  defaults: { "io.k8s.api.core.v1.NodeSpec": setSpecDefaults, "io.k8s.api.core.v1.NodeStatus": setStatusDefaults },
  prepare: {
    stored({ status }) {
      if (status?.capacity !== undefined) status.allocatable ??= { ...status.capacity };
    },
    // Kubelets have no configuration object since 1.24.
    create({ spec, status }) {
      delete spec?.configSource;
      delete status?.config;
    },
    update({ spec }) {
      delete spec?.configSource;
    },
    status({ status }) {
      delete status?.config;
    },
  },
  validate: {
    create: validate,
    update: (object, old) => [...validate(object), ...validateChange(object, old)],
    status: validateChange,
    checksEnums: true,
  },
  warnings: ({ spec }) => [
    ...((spec?.externalID ?? "") === ""
      ? []
      : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
    ...check.eachItem(spec?.podCIDRs, "spec.podCIDRs", (range, at) => rangeWarnings(at, range)),
  ],
  printer: {
    columns: "Status,Roles,Age,Version,Internal-IP*,External-IP*,OS-Image*,Kernel-Version*,Container-Runtime*",
    cells,
  },
  selectableFields: ({ spec }) => ({ "spec.unschedulable": String(spec?.unschedulable ?? false) }),
  selectsNamespace: false,
});
