import { pushAll } from "../../../../internal/push-all.js";
import type { Service } from "../../../../kinds/core/v1.js";
import { addressWarnings, rangeWarnings } from "../../shared/address-warnings.js";

const oldTopologyAnnotation = "service.kubernetes.io/topology-aware-hints";

export function serviceWarnings({ metadata, spec = {} }: Service): string[] {
  const warnings: string[] = [];
  const external = spec.externalIPs ?? [];
  const headless = spec.type === "ClusterIP" && spec.clusterIP === "None";
  if (metadata?.annotations?.[oldTopologyAnnotation] !== undefined)
    warnings.push(
      `annotation ${oldTopologyAnnotation} is deprecated, please use service.kubernetes.io/topology-mode instead`,
    );
  if (spec.type !== "ExternalName" && spec.clusterIP !== "None")
    (spec.clusterIPs ?? []).forEach((ip, at) =>
      pushAll(warnings, addressWarnings(`spec.clusterIPs[${String(at)}]`, ip)),
    );
  if (headless) {
    if ((spec.loadBalancerIP ?? "") !== "") warnings.push("spec.loadBalancerIP is ignored for headless services");
    if (external.length > 0) warnings.push("spec.externalIPs is ignored for headless services");
    if (spec.sessionAffinity !== "None") warnings.push("spec.SessionAffinity is ignored for headless services");
  }
  external.forEach((ip, at) => pushAll(warnings, addressWarnings(`spec.externalIPs[${String(at)}]`, ip)));
  if (external.length > 0 && !headless && spec.type !== "ExternalName")
    warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if ((spec.loadBalancerIP ?? "") !== "")
    pushAll(warnings, addressWarnings("spec.loadBalancerIP", spec.loadBalancerIP!));
  (spec.loadBalancerSourceRanges ?? []).forEach((range, at) =>
    pushAll(warnings, rangeWarnings(`spec.loadBalancerSourceRanges[${String(at)}]`, range.trim())),
  );
  if (spec.type === "ExternalName" && external.length > 0)
    warnings.push(`spec.externalIPs is ignored when spec.type is "ExternalName"`);
  if ((spec.externalName ?? "") !== "" && spec.type !== "ExternalName")
    warnings.push(`spec.externalName is ignored when spec.type is not "ExternalName"`);
  if (spec.trafficDistribution === "PreferClose")
    warnings.push(`spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"`);
  return warnings;
}
