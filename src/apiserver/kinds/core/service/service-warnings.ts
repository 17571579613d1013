import { pushAll } from "../../../../internal/push-all.js";
import type { Service } from "../../../../kinds/core/v1.js";
import { addressWarnings, rangeWarnings } from "../../shared/address-warnings.js";
import { eachItem } from "../../shared/checks.js";

const oldTopologyAnnotation = "service.kubernetes.io/topology-aware-hints";

const warnOfAddress = (ip: string, at: string): string[] => addressWarnings(at, ip);

export function serviceWarnings({ metadata, spec = {} }: Service): string[] {
  const warnings: string[] = [];
  const external = spec.externalIPs ?? [];
  const headless = spec.type === "ClusterIP" && spec.clusterIP === "None";
  if (metadata?.annotations?.[oldTopologyAnnotation] !== undefined)
    warnings.push(
      `annotation ${oldTopologyAnnotation} is deprecated, please use service.kubernetes.io/topology-mode instead`,
    );
  if (spec.type !== "ExternalName" && spec.clusterIP !== "None")
    pushAll(warnings, eachItem(spec.clusterIPs, "spec.clusterIPs", warnOfAddress));
  if (headless) {
    if ((spec.loadBalancerIP ?? "") !== "") warnings.push("spec.loadBalancerIP is ignored for headless services");
    if (external.length > 0) warnings.push("spec.externalIPs is ignored for headless services");
    if (spec.sessionAffinity !== "None") warnings.push("spec.SessionAffinity is ignored for headless services");
  }
  pushAll(warnings, eachItem(external, "spec.externalIPs", warnOfAddress));
  if (external.length > 0 && !headless && spec.type !== "ExternalName")
    warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  if ((spec.loadBalancerIP ?? "") !== "")
    pushAll(warnings, addressWarnings("spec.loadBalancerIP", spec.loadBalancerIP!));
  pushAll(
    warnings,
    eachItem(spec.loadBalancerSourceRanges, "spec.loadBalancerSourceRanges", (range, at) =>
      rangeWarnings(at, range.trim()),
    ),
  );
  if (spec.type === "ExternalName" && external.length > 0)
    warnings.push(`spec.externalIPs is ignored when spec.type is "ExternalName"`);
  if ((spec.externalName ?? "") !== "" && spec.type !== "ExternalName")
    warnings.push(`spec.externalName is ignored when spec.type is not "ExternalName"`);
  if (spec.trafficDistribution === "PreferClose")
    warnings.push(`spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"`);
  return warnings;
}
