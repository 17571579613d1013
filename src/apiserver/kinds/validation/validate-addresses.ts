import type { IPAddress, ParentReference, ServiceCIDR } from "../../../kinds/networking/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { parseRange, rangeProblem } from "../../objects/addresses.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import { dnsSubdomain, immutable, invalid, required, shownList } from "../shared/field-errors.js";

type Reference = Partial<ParentReference>;

/** Errors of an IPAddress, besides those of its name. */
export function validateAddress({ spec }: IPAddress): FieldError[] {
  const at = "spec.parentRef";
  const parent = spec?.parentRef as Reference | null | undefined;
  if (parent === undefined || parent === null) return [required(at)];
  const segment = (field: "resource" | "name" | "namespace"): FieldError[] =>
    nameErrors(parent[field] ?? "", "pathSegment").map((detail) => invalid(`${at}.${field}`, parent[field], detail));
  return [
    ...((parent.group ?? "") === "" ? [] : dnsSubdomain(`${at}.group`, parent.group!)),
    ...(["resource", "name"] as const).flatMap((field) =>
      (parent[field] ?? "") === "" ? [required(`${at}.${field}`)] : segment(field),
    ),
    ...segment("namespace"),
  ];
}

/** Errors of a changed IPAddress: it stays with whom it is given to. */
export function validateAddressUpdate(address: IPAddress, old: IPAddress): FieldError[] {
  const errors = validateAddress(address);
  const [now, before] = [shown(address.spec?.parentRef), shown(old.spec?.parentRef)];
  return [...errors, ...immutable("spec.parentRef", now, before)];
}

/** A reference as errors show it. */
function shown(parent: Reference | undefined): object | null {
  if (parent === undefined) return null;
  const { group = "", resource = "", namespace = "", name = "" } = parent;
  return { Group: group, Resource: resource, Namespace: namespace, Name: name };
}

/** Errors of a ServiceCIDR. */
export function validateServiceRange({ spec }: ServiceCIDR): FieldError[] {
  const at = "spec.cidrs";
  const ranges = spec?.cidrs ?? [];
  if (ranges.length === 0) return [required(at, "at least one CIDR required")];
  if (ranges.length > 2) return [invalid(at, { CIDRs: ranges }, "may only hold up to 2 values")];
  const errors = ranges.flatMap((range, index) => {
    const problem = rangeProblem(range, true);
    return problem === undefined ? [] : [invalid(`${at}[${String(index)}]`, range, problem)];
  });
  const [first, second] = ranges.map((range) => parseRange(range)?.first.length);
  if (first !== undefined && first === second)
    errors.push(
      invalid(at, ranges, "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"),
    );
  return errors;
}

/** Errors of a changed ServiceCIDR: a range of the other family may come to the one that is there, and that is all. */
export function validateServiceRangeUpdate(cidr: ServiceCIDR, old: ServiceCIDR): FieldError[] {
  const [now, before] = [cidr.spec?.cidrs ?? [], old.spec?.cidrs ?? []];
  const kept = before.flatMap((range, index) => immutable(`spec.cidrs[${String(index)}]`, now[index], range));
  if (now.length === before.length) return kept;
  return before.length === 1 && now.length === 2
    ? [...kept, ...validateServiceRange(cidr)]
    : [invalid("spec.cidrs", shownList(cidr.spec, "cidrs"), "field is immutable")];
}
