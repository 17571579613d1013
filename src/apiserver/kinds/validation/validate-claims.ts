import type { PersistentVolumeClaim, PersistentVolumeClaimSpec, TypedObjectReference } from "../../../kinds/core/v1.js";
import { compareQuantities } from "../../../meta/quantity.js";
import type { FieldError } from "../../errors/field-error.js";
import { copyJson } from "../../objects/metadata.js";
import {
  dnsLabel,
  dnsSubdomain,
  forbidden,
  immutableNamed,
  invalid,
  notSupported,
  qualifiedName,
  required,
  sameValue,
} from "../shared/field-errors.js";
import { isNativeResource, resourceQuantity } from "../shared/resource-names.js";
import { selectorErrors } from "../shared/selectors.js";
import { specDiff } from "../shared/spec-diff.js";

const ACCESS_MODES: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const VOLUME_MODES: readonly string[] = ["Block", "Filesystem"];
const OLD_CLASS = "volume.beta.kubernetes.io/storage-class";

/** Errors of a PersistentVolumeClaim. */
export function validateClaim({ spec = {} }: PersistentVolumeClaim): FieldError[] {
  return claimSpecErrors(spec, "spec");
}

/** Errors of how a volume may be reached. */
export function accessModeErrors(modes: readonly string[], at: string): FieldError[] {
  const errors = modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => notSupported(`${at}.accessModes`, mode, ACCESS_MODES));
  const alone = !modes.some((mode) => mode !== "ReadWriteOncePod" && ACCESS_MODES.includes(mode));
  return modes.includes("ReadWriteOncePod") && !alone
    ? [...errors, forbidden(`${at}.accessModes`, "may not use ReadWriteOncePod with other access modes")]
    : errors;
}

/** Errors of a volume's mode. */
export function volumeModeErrors(mode: string | undefined, at: string): FieldError[] {
  return mode === undefined || VOLUME_MODES.includes(mode)
    ? []
    : [notSupported(`${at}.volumeMode`, mode, VOLUME_MODES)];
}

/** Errors of what a claim asks for. `anyGroup`: its source may be of a group with a wrong name. */
export function claimSpecErrors(spec: PersistentVolumeClaimSpec, at: string, anyGroup = false): FieldError[] {
  const errors: FieldError[] = [];
  const { accessModes = [], dataSource, dataSourceRef: reference } = spec;
  if (accessModes.length === 0) errors.push(required(`${at}.accessModes`, "at least 1 access mode is required"));
  if (spec.selector !== undefined) errors.push(...selectorErrors(spec.selector, `${at}.selector`));
  errors.push(...accessModeErrors(accessModes, at));
  const storage = spec.resources?.requests?.["storage"];
  const field = `${at}.resources[storage]`;
  if (storage === undefined) errors.push(required(field));
  else if (compareQuantities(storage, "0") <= 0) errors.push(invalid(field, storage, "must be greater than zero"));
  else errors.push(...resourceQuantity(field, "storage", storage));
  if ((spec.storageClassName ?? "") !== "")
    errors.push(...dnsSubdomain(`${at}.storageClassName`, spec.storageClassName!));
  errors.push(...volumeModeErrors(spec.volumeMode, at));
  if (dataSource !== undefined) errors.push(...sourceErrors(dataSource, `${at}.dataSource`, anyGroup));
  if (reference !== undefined) errors.push(...sourceErrors(reference, `${at}.dataSourceRef`, anyGroup));
  // The value is a path, which Go shows as a struct without fields of its own.
  if ((reference?.namespace ?? "") !== "") {
    if (dataSource !== undefined)
      errors.push(invalid(at, {}, "may not be specified when dataSourceRef.namespace is specified"));
  } else if (
    dataSource !== undefined &&
    reference !== undefined &&
    !sameValue({ ...dataSource }, { apiGroup: reference.apiGroup, kind: reference.kind, name: reference.name })
  )
    errors.push(invalid(at, {}, "must match dataSourceRef"));
  if ((spec.volumeAttributesClassName ?? "") !== "")
    errors.push(...dnsSubdomain(`${at}.volumeAttributesClassName`, spec.volumeAttributesClassName!));
  return errors;
}

function sourceErrors(
  { apiGroup, kind, name, namespace = "" }: TypedObjectReference,
  at: string,
  anyGroup: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  const group = apiGroup ?? "";
  if (name === "") errors.push(required(`${at}.name`));
  if (kind === "") errors.push(required(`${at}.kind`));
  if (group !== "" && !anyGroup) errors.push(...dnsSubdomain(`${at}.apiGroup`, group));
  if (group === "" && kind !== "PersistentVolumeClaim")
    errors.push(invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  return namespace === "" ? errors : [...errors, ...dnsLabel(`${at}.namespace`, namespace)];
}

const RESIZES = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizePending",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
].sort();

/** Errors of what is said of a PersistentVolumeClaim: how large it is, and how a change of that gets on. */
export function validateClaimStatus({ spec, status = {} }: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = (spec?.accessModes ?? []).length === 0 ? [required("Spec.accessModes")] : [];
  for (const [name, quantity] of Object.entries(status.capacity ?? {}))
    errors.push(...basicQuantity(`status.capacity[${name}]`, quantity));
  const statuses = "status.allocatedResourceStatuses";
  for (const [name, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    errors.push(...resourceKey(statuses, name));
    if (!RESIZES.includes(state)) errors.push(notSupported(statuses, name, RESIZES));
  }
  for (const [name, quantity] of Object.entries(status.allocatedResources ?? {})) {
    const wrongKey = resourceKey("status.allocatedResources", name);
    const field = `status.allocatedResources[${name}]`;
    const wrong = basicQuantity(field, quantity);
    errors.push(
      ...(wrongKey.length > 0 ? wrongKey : wrong.length > 0 ? wrong : resourceQuantity(field, "storage", quantity)),
    );
  }
  return errors;
}

function basicQuantity(field: string, quantity: string): FieldError[] {
  return compareQuantities(quantity, "0") < 0
    ? [invalid(field, Number(quantity), "must be a valid resource quantity")]
    : [];
}

function resourceKey(field: string, name: string): FieldError[] {
  const errors = qualifiedName(field, name);
  return errors.length > 0 || !isNativeResource(name) || name === "storage"
    ? errors
    : [notSupported(field, name, ["storage"])];
}

/** Errors of a changed PersistentVolumeClaim. */
export function validateClaimUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const grouped = old.spec?.dataSource?.apiGroup !== undefined || old.spec?.dataSourceRef?.apiGroup !== undefined;
  const errors = claimSpecErrors(claim.spec ?? {}, "spec", grouped);
  const before = copyJson(old.spec ?? {});
  const after = copyJson(claim.spec ?? {});
  if ((before.volumeName ?? "") === "" && after.volumeName !== undefined) before.volumeName = after.volumeName;
  const [annotation, oldAnnotation] = [
    claim.metadata?.annotations?.[OLD_CLASS] ?? "",
    old.metadata?.annotations?.[OLD_CLASS] ?? "",
  ];
  // A class that an annotation named may move to the field.
  if (oldAnnotation !== "" && before.storageClassName === undefined && after.storageClassName === oldAnnotation)
    delete after.storageClassName;
  else {
    if (annotation !== oldAnnotation)
      errors.push(invalid(`metadata.annotations[${OLD_CLASS}]`, annotation, "field is immutable"));
    if (
      before.storageClassName === undefined &&
      after.storageClassName !== undefined &&
      (oldAnnotation === "" || after.storageClassName === oldAnnotation)
    )
      delete after.storageClassName;
  }
  if (claim.status?.phase === "Bound") {
    if (before.volumeAttributesClassName === undefined) delete after.volumeAttributesClassName;
    else after.volumeAttributesClassName = before.volumeAttributesClassName;
    if (after.resources?.requests !== undefined)
      after.resources = {
        ...after.resources,
        requests: { ...after.resources.requests, storage: before.resources?.requests?.["storage"] ?? "0" },
      };
  }
  if (!sameValue(after, before))
    errors.push(
      forbidden(
        "spec",
        `spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n${specDiff("core.PersistentVolumeClaimSpec", before, after)}`,
      ),
    );
  const [now, then] = [
    claim.spec?.resources?.requests?.["storage"] ?? "0",
    old.spec?.resources?.requests?.["storage"] ?? "0",
  ];
  if (compareQuantities(now, then) < 0 && compareQuantities(now, old.status?.capacity?.["storage"] ?? "0") <= 0)
    errors.push(forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
  errors.push(...immutableNamed("volumeMode", claim.spec?.volumeMode, old.spec?.volumeMode));
  const attributes = claim.spec?.volumeAttributesClassName;
  if (
    attributes !== old.spec?.volumeAttributesClassName &&
    old.status?.currentVolumeAttributesClassName !== undefined &&
    (attributes ?? "") === ""
  ) {
    errors.push(
      forbidden(
        "spec.volumeAttributesClassName",
        `update to ${attributes === undefined ? "nil" : "empty string"} is forbidden when status.currentVolumeAttributesClassName is not nil`,
      ),
    );
  }
  return errors;
}
