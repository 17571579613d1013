import type { Service } from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import { isIpv4Text } from "../../shared/endpoint-addresses.js";
import { invalid } from "../../shared/field-errors.js";
import { clusterErrors } from "./service-errors.js";

type Spec = NonNullable<Service["spec"]>;

/** Only IP family of the server's addresses. */
const clusterFamily = "IPv4";
const policyPath = "spec.ipFamilyPolicy";

/** Sets the policy and the families of a Service. Returns the errors of unavailable ones. */
export function giveFamilies(spec: Spec, before: Spec | undefined): FieldError[] {
  if (spec.type === "ExternalName" || keepsPreference(spec, before)) return [];
  const bare = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= before?.ipFamilyPolicy ?? (bare ? "RequireDualStack" : "SingleStack");
  const wrong = clusterErrors(spec, before?.clusterIPs ?? []);
  if (wrong.length > 0) return wrong;
  const errors = [...(before === undefined ? [] : secondaryErrors(spec, before)), ...singleErrors(spec)];
  inferFamilies(spec, errors);
  if (errors.length > 0) return errors;
  if (bare) {
    // It gets no addresses, so any family will do.
    spec.ipFamilies = (spec.ipFamilies ?? []).length === 0 ? [clusterFamily] : spec.ipFamilies!;
    if (spec.ipFamilies.length < 2 && spec.ipFamilyPolicy !== "SingleStack")
      spec.ipFamilies = [...spec.ipFamilies, spec.ipFamilies[0] === "IPv4" ? "IPv6" : "IPv4"];
    return [];
  }
  if (spec.ipFamilyPolicy === "RequireDualStack")
    errors.push(invalid(policyPath, spec.ipFamilyPolicy, "this cluster is not configured for dual-stack services"));
  (spec.ipFamilies ?? []).forEach((family, index) => {
    if (family !== clusterFamily)
      errors.push(invalid(`spec.ipFamilies[${String(index)}]`, family, "not configured on this cluster"));
  });
  if (errors.length === 0 && (spec.ipFamilies ?? []).length === 0) spec.ipFamilies = [clusterFamily];
  return errors;
}

const same = (one: readonly string[] = [], other: readonly string[] = []): boolean =>
  one.length === other.length && one.every((each, index) => each === other[index]);

/** True if a Service still prefers two families and hasn't changed those that it got. */
function keepsPreference(spec: Spec, before: Spec | undefined): boolean {
  return (
    before !== undefined &&
    spec.type === before.type &&
    spec.ipFamilyPolicy === "PreferDualStack" &&
    (before.ipFamilyPolicy ?? "PreferDualStack") === "PreferDualStack" &&
    same(spec.clusterIPs, before.clusterIPs) &&
    same(spec.ipFamilies, before.ipFamilies)
  );
}

/** Releases the second address and family if the policy requests one family; otherwise releasing them is an error. */
function secondaryErrors(spec: Spec, before: Spec): FieldError[] {
  const { clusterIPs: addresses = [], ipFamilies: families = [], ipFamilyPolicy: policy } = spec;
  if (policy === "SingleStack") {
    if (same(addresses, before.clusterIPs) && addresses.length > 1) spec.clusterIPs = addresses.slice(0, 1);
    if (same(families, before.ipFamilies) && families.length > 1) spec.ipFamilies = families.slice(0, 1);
    return [];
  }
  const reduced = (now: readonly string[], then: readonly string[] = []): boolean =>
    now.length > 0 && now.length < then.length;
  return [
    ...(reduced(addresses, before.clusterIPs)
      ? [invalid(policyPath, policy, "must be 'SingleStack' to release the secondary cluster IP")]
      : []),
    ...(reduced(families, before.ipFamilies)
      ? [invalid(policyPath, policy, "must be 'SingleStack' to release the secondary IP family")]
      : []),
  ];
}

function singleErrors({ clusterIPs = [], ipFamilies = [], ipFamilyPolicy: policy }: Spec): FieldError[] {
  if (policy !== "SingleStack") return [];
  const several = (what: string): FieldError =>
    invalid(policyPath, policy, `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`);
  return [
    ...(clusterIPs.length === 2 ? [several("cluster IPs")] : []),
    ...(ipFamilies.length === 2 ? [several("IP families")] : []),
  ];
}

/** Infers missing families from the addresses. */
function inferFamilies(spec: Spec, errors: FieldError[]): void {
  const addresses = spec.clusterIPs ?? [];
  if (addresses[0] === "None") return;
  addresses.forEach((address, index) => {
    const family = isIpv4Text(address) ? "IPv4" : "IPv6";
    if (index < (spec.ipFamilies ?? []).length) return;
    if (family === clusterFamily) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else
      errors.push(
        invalid(`spec.clusterIPs[${String(index)}]`, addresses, `${family} is not configured on this cluster`),
      );
  });
}
