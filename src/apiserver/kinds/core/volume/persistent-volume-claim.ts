import { pushAll } from "../../../../internal/push-all.js";
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedObjectReference,
} from "../../../../kinds/core/v1.js";
import { compareQuantities } from "../../../../meta/quantity.js";
import type { FieldError } from "../../../errors/field-error.js";
import { copyJson } from "../../../objects/metadata.js";
import * as check from "../../shared/checks.js";
import { forbidden, invalid, notSupported, required } from "../../shared/field-errors.js";
import type { KindDefinition } from "../../shared/kind-definition.js";
import { defineBuiltin } from "../../shared/kind-definition.js";
import { isSet } from "../../shared/kind-printer.js";
import { isNativeResource, resourceQuantity } from "../../shared/resource-names.js";
import { selectorErrors } from "../../shared/selectors.js";
import { accessModesText, classWarnings, oldClassAnnotation } from "./storage-metadata.js";
import { claimWarnings } from "./volume-warnings.js";

const knownAccessModes: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const volumeModes: readonly string[] = ["Block", "Filesystem"];

export function accessModeErrors(modes: readonly string[], at: string): FieldError[] {
  const errors = check.eachItem(modes, "", (mode) => check.oneOf(`${at}.accessModes`, mode, knownAccessModes));
  const alone = !modes.some((mode) => mode !== "ReadWriteOncePod" && knownAccessModes.includes(mode));
  return modes.includes("ReadWriteOncePod") && !alone
    ? [...errors, forbidden(`${at}.accessModes`, "may not use ReadWriteOncePod with other access modes")]
    : errors;
}

export function volumeModeErrors(mode: string | undefined, at: string): FieldError[] {
  return check.optionalOneOf(`${at}.volumeMode`, mode, volumeModes);
}

/** Validates a claim's spec. `anyGroup`: don't check the API group of its source. */
export function claimSpecErrors(spec: PersistentVolumeClaimSpec, at: string, anyGroup = false): FieldError[] {
  const { accessModes = [], dataSource, dataSourceRef: reference } = spec;
  const errors: FieldError[] = accessModes.length === 0 ? [required(`${at}.accessModes`)] : [];
  if (spec.selector !== undefined) pushAll(errors, selectorErrors(spec.selector, `${at}.selector`));
  pushAll(errors, accessModeErrors(accessModes, at));
  const storage = spec.resources?.requests?.["storage"];
  const field = `${at}.resources[storage]`;
  if (storage === undefined) errors.push(required(field));
  else if (compareQuantities(storage, "0") <= 0) errors.push(invalid(field, storage, "must be greater than zero"));
  else pushAll(errors, resourceQuantity(field, "storage", storage));
  pushAll(errors, check.optionalText(`${at}.storageClassName`, spec.storageClassName, check.dnsSubdomain));
  pushAll(errors, volumeModeErrors(spec.volumeMode, at));
  if (dataSource !== undefined) pushAll(errors, sourceErrors(dataSource, `${at}.dataSource`, anyGroup));
  if (reference !== undefined) pushAll(errors, sourceErrors(reference, `${at}.dataSourceRef`, anyGroup));
  if (dataSource !== undefined && (reference?.namespace ?? "") !== "")
    errors.push(invalid(at, {}, "may not have dataSource when dataSourceRef.namespace is specified"));
  else if (
    dataSource !== undefined &&
    reference !== undefined &&
    !check.sameValue({ ...dataSource }, { apiGroup: reference.apiGroup, kind: reference.kind, name: reference.name })
  )
    errors.push(invalid(at, {}, "dataSource must match dataSourceRef"));
  const attributes = `${at}.volumeAttributesClassName`;
  return [...errors, ...check.optionalText(attributes, spec.volumeAttributesClassName, check.dnsSubdomain)];
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
  if (group !== "" && !anyGroup) pushAll(errors, check.dnsSubdomain(`${at}.apiGroup`, group));
  if (group === "" && kind !== "PersistentVolumeClaim")
    errors.push(invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  return namespace === "" ? errors : [...errors, ...check.dnsLabel(`${at}.namespace`, namespace)];
}

const resizeStatuses = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizePending",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
].sort();

function validateStatus({ spec, status = {} }: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = (spec?.accessModes ?? []).length === 0 ? [required("Spec.accessModes")] : [];
  for (const [name, quantity] of Object.entries(status.capacity ?? {}))
    pushAll(errors, basicQuantity(`status.capacity[${name}]`, quantity));
  const statuses = "status.allocatedResourceStatuses";
  for (const [name, state] of Object.entries(status.allocatedResourceStatuses ?? {})) {
    pushAll(errors, resourceKey(statuses, name));
    if (!resizeStatuses.includes(state)) errors.push(notSupported(statuses, name, resizeStatuses));
  }
  for (const [name, quantity] of Object.entries(status.allocatedResources ?? {})) {
    const field = `status.allocatedResources[${name}]`;
    const found = [resourceKey("status.allocatedResources", name), basicQuantity(field, quantity)];
    pushAll(errors, found.find((each) => each.length > 0) ?? resourceQuantity(field, "storage", quantity));
  }
  return errors;
}

function basicQuantity(field: string, quantity: string): FieldError[] {
  return compareQuantities(quantity, "0") < 0
    ? [invalid(field, Number(quantity), "must be a valid resource quantity")]
    : [];
}

function resourceKey(field: string, name: string): FieldError[] {
  const errors = check.qualifiedName(field, name);
  return errors.length > 0 || !isNativeResource(name) || name === "storage"
    ? errors
    : [notSupported(field, name, ["storage"])];
}

/** Returns both specs without the allowed changes; the results must be equal. */
function comparedSpecs(
  claim: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
  oldAnnotation: string,
): [after: PersistentVolumeClaimSpec, before: PersistentVolumeClaimSpec] {
  const before = copyJson(old.spec ?? {});
  const after = copyJson(claim.spec ?? {});
  if ((before.volumeName ?? "") === "" && after.volumeName !== undefined) before.volumeName = after.volumeName;
  // A class in the annotation may move to the field.
  if (before.storageClassName === undefined && (oldAnnotation === "" || after.storageClassName === oldAnnotation))
    delete after.storageClassName;
  if (claim.status?.phase !== "Bound") return [after, before];
  if (before.volumeAttributesClassName === undefined) delete after.volumeAttributesClassName;
  else after.volumeAttributesClassName = before.volumeAttributesClassName;
  if (after.resources?.requests !== undefined)
    after.resources.requests["storage"] = before.resources?.requests?.["storage"] ?? "0";
  return [after, before];
}

function validateUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const { spec = {} } = claim;
  const { spec: oldSpec = {} } = old;
  const grouped = oldSpec.dataSource?.apiGroup !== undefined || oldSpec.dataSourceRef?.apiGroup !== undefined;
  const errors = claimSpecErrors(spec, "spec", grouped);
  const [annotation = "", before = ""] = [claim, old].map(
    ({ metadata }) => metadata?.annotations?.[oldClassAnnotation] ?? "",
  );
  const moved = before !== "" && oldSpec.storageClassName === undefined && spec.storageClassName === before;
  if (!moved && annotation !== before)
    errors.push(invalid(`metadata.annotations.${oldClassAnnotation}`, annotation, "field is immutable"));
  if (!check.sameValue(...comparedSpecs(claim, old, before)))
    errors.push(
      forbidden(
        "spec",
        "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims",
      ),
    );
  const [now, then] = [spec, oldSpec].map(({ resources }) => resources?.requests?.["storage"] ?? "0");
  if (compareQuantities(now!, then!) < 0 && compareQuantities(now!, old.status?.capacity?.["storage"] ?? "0") <= 0)
    errors.push(forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
  pushAll(errors, check.immutable("volumeMode", spec.volumeMode, oldSpec.volumeMode));
  const attributes = spec.volumeAttributesClassName;
  if (
    attributes !== oldSpec.volumeAttributesClassName &&
    old.status?.currentVolumeAttributesClassName !== undefined &&
    (attributes ?? "") === ""
  )
    errors.push(forbidden("spec.volumeAttributesClassName", "cannot be removed from a volume that has a class"));
  return errors;
}

/** Keeps `dataSource` and `dataSourceRef` equal; only the latter can refer to kinds other than claims and snapshots. */
function prepareSources(spec: PersistentVolumeClaimSpec, old: PersistentVolumeClaimSpec): void {
  const isNew = old.dataSource === undefined && old.dataSourceRef === undefined;
  if ((spec.dataSourceRef?.namespace ?? "") !== "" && isNew) delete spec.dataSourceRef;
  if (spec.dataSource !== undefined && spec.dataSourceRef === undefined && isNew) {
    const source = `${spec.dataSource.apiGroup ?? ""}/${spec.dataSource.kind}`;
    if (source !== "/PersistentVolumeClaim" && source !== "snapshot.storage.k8s.io/VolumeSnapshot")
      delete spec.dataSource;
  }
  const { dataSource, dataSourceRef } = spec;
  if (dataSource !== undefined) spec.dataSourceRef ??= { ...dataSource };
  else if (dataSourceRef !== undefined && (dataSourceRef.namespace ?? "") === "") {
    const { apiGroup, kind, name } = dataSourceRef;
    spec.dataSource = { kind, name, ...(apiGroup === undefined ? {} : { apiGroup }) };
  }
}

export const persistentVolumeClaim: KindDefinition = defineBuiltin<PersistentVolumeClaim>({
  resource: "/persistentvolumeclaims",
  metadata: { checksOnUpdate: 2 },
  deletion: { returnsObject: true },
  defaults: {
    "io.k8s.api.core.v1.PersistentVolumeClaim": (claim: PersistentVolumeClaim) => {
      (claim.status ??= {}).phase ??= "Pending";
    },
    "io.k8s.api.core.v1.PersistentVolumeClaimSpec": (spec: PersistentVolumeClaimSpec) => {
      spec.volumeMode ??= "Filesystem";
    },
  },
  prepare: {
    create(claim) {
      claim.status = { phase: "Pending" };
      prepareSources(claim.spec ?? {}, {});
    },
    update: (claim, old) => prepareSources(claim.spec ?? {}, old.spec ?? {}),
  },
  validate: {
    create: ({ spec = {} }) => claimSpecErrors(spec, "spec"),
    update: validateUpdate,
    status: validateStatus,
  },
  warnings: ({ metadata, spec }) => [...classWarnings(metadata), ...claimWarnings(spec?.resources, "spec")],
  printer: {
    columns: "Status,Volume,Capacity,Access Modes,StorageClass,VolumeAttributesClass,Age,VolumeMode*",
    cells({ metadata, spec, status }, age) {
      const bound = (spec?.volumeName ?? "") !== "";
      return [
        isSet(metadata?.deletionTimestamp) ? "Terminating" : (status?.phase ?? ""),
        spec?.volumeName ?? "",
        bound ? (status?.capacity?.["storage"] ?? "0") : "",
        bound ? accessModesText(status?.accessModes) : "",
        metadata?.annotations?.[oldClassAnnotation] ?? spec?.storageClassName ?? "",
        spec?.volumeAttributesClassName ?? "<unset>",
        age,
        spec?.volumeMode ?? "<unset>",
      ];
    },
  },
});
