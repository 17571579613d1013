import { type FieldSet, fieldSetOf, subtractSubtrees } from "./field-set.js";

/** Takes fields out of a set that a request cannot change. */
export type FieldFilter = (set: FieldSet) => FieldSet;

const without = (...paths: string[]): FieldFilter => {
  const fields = fieldSetOf(...paths.map((path) => path.split("/")));
  return (set) => subtractSubtrees(set, fields);
};

const status = without("status");
const spec = without("spec");
const specAndMetadata = without("spec", "metadata");

const special: Readonly<Record<string, FieldFilter>> = {
  "certificates.k8s.io/CertificateSigningRequest": without("spec", "status"),
  "certificates.k8s.io/CertificateSigningRequest/status": without("spec", "status/conditions"),
  "certificates.k8s.io/CertificateSigningRequest/approval": without("spec", "status/certificate"),
  "apps/Deployment/status": without("spec", "metadata/labels"),
  "/Pod/status": without("spec", "metadata/deletionTimestamp", "metadata/ownerReferences"),
  // What these two put back is counted all the same.
  "/Pod/resize": (set) => set,
  "/Pod/ephemeralcontainers": (set) => set,
  "/Namespace/finalize": status,
};

const statusKeepsMetadata = new Set([
  "flowcontrol.apiserver.k8s.io/FlowSchema",
  "flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration",
  "storage.k8s.io/VolumeAttachment",
  "resource.k8s.io/ResourceClaim",
  "resource.k8s.io/DeviceTaintRule",
  "resource.k8s.io/ResourcePoolStatusRequest",
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy",
  "networking.k8s.io/ServiceCIDR",
  "internal.apiserver.k8s.io/StorageVersion",
  "storagemigration.k8s.io/StorageVersionMigration",
  "apiregistration.k8s.io/APIService",
  "scheduling.k8s.io/PodGroup",
]);

const noReset = new Set(["networking.k8s.io/ServiceCIDR"]);

/** The filter of a built-in kind's request; undefined where every field counts. `hasStatus` says whether there is a status subresource. */
export function builtinFieldFilter(
  group: string,
  kind: string,
  subresource: string,
  hasStatus: boolean,
): FieldFilter | undefined {
  const name = `${group}/${kind}`;
  const found = special[subresource === "" ? name : `${name}/${subresource}`];
  if (found !== undefined) return found;
  if (subresource === "status") return statusKeepsMetadata.has(name) ? specAndMetadata : spec;
  return hasStatus && !noReset.has(name) ? status : undefined;
}

/** The filter of a custom resource's request; undefined where every field counts. */
export function customFieldFilter(subresource: string, hasStatus: boolean): FieldFilter | undefined {
  if (subresource === "status") return specAndMetadata;
  return hasStatus ? status : undefined;
}
