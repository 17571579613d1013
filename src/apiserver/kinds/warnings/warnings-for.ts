import type { Endpoints, Node, Pod, PodTemplate, ReplicationController, Service } from "../../../kinds/core/v1.js";
import type { ApiObject } from "../../objects/api-object.js";
import { podWarnings, templateWarnings } from "../core/pod/pod-warnings.js";
import { addressWarnings, rangeWarnings } from "../shared/address-warnings.js";

const OLD_TOPOLOGY = "service.kubernetes.io/topology-aware-hints";

interface Named {
  readonly metadata?: { readonly name?: string };
}

interface Templated {
  readonly spec?: { readonly template?: Parameters<typeof templateWarnings>[0] };
}

const changed = (now: unknown, old: unknown): boolean => JSON.stringify(now) !== JSON.stringify(old);

/** Of templates where anything that is wanted is new or has changed. */
function workload(object: Templated, old: Templated | undefined): string[] {
  return templateWarnings(object.spec?.template, old === undefined || changed(object.spec, old.spec), "spec.template");
}

/** New objects whose names become names of pods are told where that is no DNS label. */
function nameWarnings({ metadata }: Named, use = "Pod names and hostnames"): string[] {
  const name = metadata?.name ?? "";
  const problems = [
    ...(name.length > 63 ? ["must be no more than 63 characters"] : []),
    ...(name.includes(".") ? ["must not contain dots"] : []),
  ];
  return problems.length === 0
    ? []
    : [
        `metadata.name: this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${problems.join(" ")}]`,
      ];
}

/** Of workloads that make pods: their names, and their templates. */
function named(object: Named & Templated, old: Templated | undefined): string[] {
  return [...(old === undefined ? nameWarnings(object) : []), ...workload(object, old)];
}

/** Warnings on writes, by resource. */
const table: Readonly<Record<string, (object: never, old: never) => string[]>> = {
  "/pods": (pod: Pod, old: Pod | undefined) => {
    if (old !== undefined) return [];
    return [
      ...nameWarnings(pod, "the Pod's hostname"),
      ...podWarnings(pod.spec ?? { containers: [] }, pod.metadata, ""),
    ];
  },
  "/podtemplates": (object: PodTemplate, old: PodTemplate | undefined) =>
    templateWarnings(object.template, old === undefined || changed(object.template, old.template), "template"),
  "/replicationcontrollers": (object: ReplicationController, old: ReplicationController | undefined) =>
    named(object, old),
  "/services": serviceWarnings,
  "/endpoints": ({ subsets = [] }: Endpoints) =>
    subsets.flatMap((subset, index) =>
      (["addresses", "notReadyAddresses"] as const).flatMap((key) =>
        (subset[key] ?? []).flatMap(({ ip }, place) =>
          addressWarnings(`subsets[${String(index)}].${key}[${String(place)}].ip`, ip),
        ),
      ),
    ),
  "/nodes": ({ spec }: Node) => [
    ...(spec?.configSource === undefined ? [] : ["spec.configSource: the feature is removed"]),
    ...((spec?.externalID ?? "") === ""
      ? []
      : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
    ...(spec?.podCIDRs ?? []).flatMap((range, index) => rangeWarnings(`spec.podCIDRs[${String(index)}]`, range)),
  ],
};

function serviceWarnings({ metadata, spec = {} }: Service): string[] {
  const warnings: string[] = [];
  const external = spec.externalIPs ?? [];
  const headless = spec.type === "ClusterIP" && spec.clusterIP === "None";
  if (metadata?.annotations?.[OLD_TOPOLOGY] !== undefined)
    warnings.push(`annotation ${OLD_TOPOLOGY} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  if (spec.type !== "ExternalName" && spec.clusterIP !== "None")
    (spec.clusterIPs ?? []).forEach((ip, at) =>
      warnings.push(...addressWarnings(`spec.clusterIPs[${String(at)}]`, ip)),
    );
  if (headless) {
    if ((spec.loadBalancerIP ?? "") !== "") warnings.push("spec.loadBalancerIP is ignored for headless services");
    if (external.length > 0) warnings.push("spec.externalIPs is ignored for headless services");
    if (spec.sessionAffinity !== "None") warnings.push("spec.SessionAffinity is ignored for headless services");
  }
  external.forEach((ip, at) => warnings.push(...addressWarnings(`spec.externalIPs[${String(at)}]`, ip)));
  if (external.length > 0 && !headless && spec.type !== "ExternalName")
    warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if ((spec.loadBalancerIP ?? "") !== "")
    warnings.push(...addressWarnings("spec.loadBalancerIP", spec.loadBalancerIP!));
  (spec.loadBalancerSourceRanges ?? []).forEach((range, at) =>
    warnings.push(...rangeWarnings(`spec.loadBalancerSourceRanges[${String(at)}]`, range.trim())),
  );
  if (spec.type === "ExternalName" && external.length > 0)
    warnings.push(`spec.externalIPs is ignored when spec.type is "ExternalName"`);
  if ((spec.externalName ?? "") !== "" && spec.type !== "ExternalName")
    warnings.push(`spec.externalName is ignored when spec.type is not "ExternalName"`);
  if (spec.trafficDistribution === "PreferClose")
    warnings.push(`spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"`);
  return warnings;
}

/** What tells the warnings of a kind; undefined where it has none. */
export function warningsFor(
  group: string,
  resource: string,
): ((object: ApiObject, old: ApiObject | undefined) => string[]) | undefined {
  const key = `${group}/${resource}`;
  return Object.hasOwn(table, key)
    ? (table[key] as (object: ApiObject, old: ApiObject | undefined) => string[])
    : undefined;
}
