import { pushAll } from "../../../../internal/push-all.js";
import type * as core from "../../../../kinds/core/v1.js";
import { compareQuantities } from "../../../../meta/quantity.js";
import type { FieldError } from "../../../errors/field-error.js";
import { words } from "../../../internal/words.js";
import { copyJson, formatTime } from "../../../objects/metadata.js";
import { validateNodeSelector } from "../../shared/affinity.js";
import * as check from "../../shared/checks.js";
import { forbidden, invalid, notSupported, required } from "../../shared/field-errors.js";
import type { KindDefinition } from "../../shared/kind-definition.js";
import { defineBuiltin } from "../../shared/kind-definition.js";
import { isSet } from "../../shared/kind-printer.js";
import { labelReplacements, nodeTermWarnings } from "../../shared/node-labels.js";
import { noBacksteps } from "../../shared/volume-paths.js";
import { oldVolumeErrors } from "./old-volume-errors.js";
import { accessModeErrors, volumeModeErrors } from "./persistent-volume-claim.js";
import { accessModesText, classWarnings, oldClassAnnotation } from "./storage-metadata.js";
import { driverName, hostPathErrors, iscsiErrors, nfsErrors } from "./volume-errors.js";
import { oldSourceWarnings } from "./volume-warnings.js";

const reclaimPolicies: readonly string[] = ["Delete", "Recycle", "Retain"];

/** Volume sources in the order of validation. */
const sourceNames = words(
  "hostPath gcePersistentDisk awsElasticBlockStore glusterfs flocker nfs rbd quobyte cephfs iscsi cinder fc flexVolume",
  "azureFile vsphereVolume photonPersistentDisk portworxVolume azureDisk scaleIO local storageos csi",
) as (keyof core.PersistentVolumeSpec)[];

const inlineContext = "in the context of inline volumes";

/** Validates a volume's spec. `volume`: its name; `undefined` for a spec inside another object. */
export function volumeSpecErrors(spec: core.PersistentVolumeSpec, at: string, volume?: string): FieldError[] {
  const { accessModes = [], nodeAffinity, persistentVolumeReclaimPolicy: reclaim } = spec;
  return [
    ...(volume === undefined ? inlineErrors(spec, at) : []),
    ...(accessModes.length === 0 ? [required(`${at}.accessModes`)] : []),
    ...accessModeErrors(accessModes, at),
    ...(volume === undefined ? [] : ownErrors(spec, at)),
    ...(volume !== undefined && nodeAffinity !== undefined
      ? reachErrors(nodeAffinity, `${at}.nodeAffinity.required`)
      : []),
    ...allSources(spec, at, volume),
    ...(spec.hostPath !== undefined && /^\/[./]*$/.test(spec.hostPath.path) && reclaim === "Recycle"
      ? [forbidden(`${at}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'")]
      : []),
  ];
}

/** Returns the errors of fields that a volume inside another object can't have. */
function inlineErrors(spec: core.PersistentVolumeSpec, at: string): FieldError[] {
  const { capacity = {}, persistentVolumeReclaimPolicy: reclaim = "Retain", storageClassName = "", volumeMode } = spec;
  const unexpected = {
    claimRef: spec.claimRef !== undefined,
    capacity: Object.keys(capacity).length > 0,
    persistentVolumeReclaimPolicy: (reclaim as string) !== "" && reclaim !== "Retain",
    nodeAffinity: spec.nodeAffinity !== undefined,
    storageClassName: storageClassName !== "",
    volumeMode: volumeMode !== undefined && volumeMode !== "Filesystem",
  };
  return [
    ...Object.entries(unexpected).flatMap(([field, set]) =>
      set ? [forbidden(`${at}.${field}`, `may not be specified ${inlineContext}`)] : [],
    ),
    ...(spec.csi === undefined ? [required(`${at}.csi`, `has to be specified ${inlineContext}`)] : []),
  ];
}

/** Validates the fields that only a PersistentVolume has. */
function ownErrors(spec: core.PersistentVolumeSpec, at: string): FieldError[] {
  const { persistentVolumeReclaimPolicy: reclaim, volumeAttributesClassName: attributes } = spec;
  const policy = `${at}.persistentVolumeReclaimPolicy`;
  return [
    ...capacityErrors(spec, at),
    ...check.optionalText(policy, reclaim, (field, value) => check.optionalOneOf(field, value, reclaimPolicies)),
    ...check.optionalText(`${at}.storageClassName`, spec.storageClassName, check.dnsSubdomain),
    ...volumeModeErrors(spec.volumeMode, at),
    ...(attributes === undefined
      ? []
      : check.requiredText(`${at}.volumeAttributesClassName`, attributes, check.dnsSubdomain)),
    ...(attributes !== undefined && spec.csi === undefined
      ? [required(`${at}.csi`, "has to be specified when using volumeAttributesClassName")]
      : []),
  ];
}

function reachErrors({ required: needed }: NonNullable<Reach>, field: string): FieldError[] {
  return needed === undefined
    ? [required(field, "must specify required node constraints")]
    : validateNodeSelector(needed.nodeSelectorTerms, `${field}.nodeSelectorTerms`);
}

function capacityErrors(spec: core.PersistentVolumeSpec, at: string): FieldError[] {
  const capacity = spec.capacity ?? {};
  const errors: FieldError[] = [];
  if (Object.keys(capacity).length === 0) errors.push(required(`${at}.capacity`));
  if (capacity["storage"] === undefined || Object.keys(capacity).length > 1)
    errors.push(notSupported(`${at}.capacity`, capacity, ["storage"]));
  for (const [name, quantity] of Object.entries(capacity)) {
    const field = `${at}.capacity[${name}]`;
    if (compareQuantities(quantity, "0") < 0)
      errors.push(invalid(field, Number(quantity), "must be a valid resource quantity"));
    if (compareQuantities(quantity, "0") <= 0) errors.push(invalid(field, quantity, "must be greater than zero"));
  }
  return errors;
}

function allSources(spec: core.PersistentVolumeSpec, at: string, volume = ""): FieldError[] {
  const present = sourceNames.filter((name) => spec[name] !== undefined);
  if (present.length === 0) return [required(at, "must specify a volume type")];
  return present.flatMap((name, index) =>
    index > 0 && name !== "flexVolume"
      ? [forbidden(`${at}.${name === "cephfs" ? "cephFS" : name}`, "may not specify more than 1 volume type")]
      : sourceErrors(spec, name, at, volume),
  );
}

function sourceErrors(
  spec: core.PersistentVolumeSpec,
  name: keyof core.PersistentVolumeSpec,
  at: string,
  volume: string,
): FieldError[] {
  const path = `${at}.${name === "gcePersistentDisk" ? "persistentDisk" : name}`;
  const { hostPath, nfs, iscsi, local, csi } = spec;
  if (name === "hostPath") return hostPathErrors(hostPath!, path);
  if (name === "nfs") return nfsErrors(nfs!, path);
  if (name === "iscsi") return iscsiErrors(iscsi!, path, volume);
  if (name === "csi") return csiErrors(csi!, path);
  if (name === "local")
    return [
      ...check.requiredText(`${path}.path`, local!.path, noBacksteps),
      ...(spec.nodeAffinity === undefined
        ? [required(`${at}.nodeAffinity`, "Local volume requires node affinity")]
        : []),
    ];
  const source = spec[name] as unknown as Readonly<Record<string, unknown>>;
  return [...oldVolumeErrors(name, source, at), ...namespaceErrors({ [name]: source }, path)];
}

/** Validates the namespaces of references in a source. */
function namespaceErrors(
  { cinder, storageos, azureFile, glusterfs }: core.PersistentVolumeSpec,
  at: string,
): FieldError[] {
  const secret = (cinder ?? storageos)?.secretRef;
  const errors = secret !== undefined && isEmpty(secret.namespace) ? [required(`${at}.secretRef.namespace`)] : [];
  if (azureFile?.secretNamespace === "") errors.push(required(`${at}.secretNamespace`));
  const endpoints = glusterfs?.endpointsNamespace;
  if (endpoints === "") errors.push(invalid(`${at}.endpointsNamespace`, endpoints, "must be a valid namespace name"));
  else if (endpoints !== undefined) pushAll(errors, check.dnsLabel(`${at}.endpointsNamespace`, endpoints));
  return errors;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

const secretRefs = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

function csiErrors(source: core.CSIPersistentVolumeSource, at: string): FieldError[] {
  const secret = ({ name, namespace }: core.SecretReference, path: string): FieldError[] => [
    ...check.requiredText(`${path}.name`, name, check.dnsSubdomain),
    ...check.requiredText(`${path}.namespace`, namespace, check.dnsLabel),
  ];
  return [
    ...driverName(`${at}.driver`, source.driver),
    ...check.requiredText(`${at}.volumeHandle`, source.volumeHandle),
    ...secretRefs.flatMap((key) => (source[key] === undefined ? [] : secret(source[key], `${at}.${key}`))),
  ];
}

type Reach = core.PersistentVolumeSpec["nodeAffinity"];

/** True if the node affinity is unchanged; deprecated labels may be replaced. */
function sameReach(now: Reach, before: Reach): boolean {
  const keys = (reach: Reach): readonly string[] =>
    (reach?.required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) =>
      matchExpressions.map(({ key }) => key),
    );
  const nameless = (reach: Reach): unknown =>
    JSON.parse(JSON.stringify(reach ?? null), (key, value: unknown) => (key === "key" ? "" : value));
  const known = keys(before);
  // In kube-apiserver the replacement of any other label is empty.
  return (
    check.sameValue(nameless(now), nameless(before)) &&
    keys(now).every((key, index) => key === known[index] || key === (labelReplacements[known[index] ?? ""] ?? ""))
  );
}

const mountOptionsAnnotation = "volume.beta.kubernetes.io/mount-options";

/** Sources whose mount options the deprecated annotation may name. */
const mountedSources = words(
  "gcePersistentDisk awsElasticBlockStore glusterfs nfs rbd quobyte iscsi cinder cephfs azureFile vsphereVolume",
  "azureDisk photonPersistentDisk",
) as (keyof core.PersistentVolumeSpec)[];

function validate({ metadata, spec = {} }: core.PersistentVolume): FieldError[] {
  const errors = volumeSpecErrors(spec, "spec", metadata?.name ?? "");
  if (
    metadata?.annotations?.[mountOptionsAnnotation] !== undefined &&
    mountedSources.every((name) => spec[name] === undefined)
  )
    errors.push(
      forbidden(`metadata.annotations.${mountOptionsAnnotation}`, "may not specify mount options for this volume type"),
    );
  return errors;
}

function validateUpdate(volume: core.PersistentVolume, { spec: before = {} }: core.PersistentVolume): FieldError[] {
  const { spec = {} } = volume;
  // kube-apiserver validates twice.
  const errors = [...validate(volume), ...validate(volume)];
  const source = (of: core.PersistentVolumeSpec): unknown[] => sourceNames.map((name) => of[name]);
  const now = copyJson(spec);
  // A Secret for expansion may be added.
  if (before.csi !== undefined && before.csi.controllerExpandSecretRef === undefined)
    delete now.csi?.controllerExpandSecretRef;
  if (!check.sameValue(source(now), source(before)))
    errors.push(forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation"));
  pushAll(errors, check.immutable("volumeMode", spec.volumeMode, before.volumeMode));
  if (before.nodeAffinity !== undefined && !sameReach(spec.nodeAffinity, before.nodeAffinity))
    errors.push(
      invalid("nodeAffinity", spec.nodeAffinity, "field is immutable, except for updating from beta label to GA"),
    );
  if (before.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    errors.push(forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden"));
  return errors;
}

/** Sets the time of the last phase transition. */
function stampPhase(volume: core.PersistentVolume, old: core.PersistentVolume, nowMs: number): void {
  const status: core.PersistentVolumeStatus = (volume.status ??= {});
  const before = old.status ?? {};
  const given = status.lastPhaseTransitionTime ?? undefined;
  if ((status.phase ?? "") !== (before.phase ?? "")) {
    if (given === undefined || given === before.lastPhaseTransitionTime)
      status.lastPhaseTransitionTime = formatTime(nowMs);
  } else if (given === undefined && isSet(before.lastPhaseTransitionTime))
    status.lastPhaseTransitionTime = before.lastPhaseTransitionTime;
}

function warnings({ metadata, spec }: core.PersistentVolume): string[] {
  return [
    ...classWarnings(metadata),
    ...(metadata?.annotations?.[mountOptionsAnnotation] === undefined
      ? []
      : [`metadata.annotations[${mountOptionsAnnotation}]: deprecated since v1.31; use "mountOptions" instead`]),
    ...(spec?.persistentVolumeReclaimPolicy === "Recycle"
      ? ["spec.persistentVolumeReclaimPolicy: Recycle is deprecated; use dynamic provisioning instead"]
      : []),
    ...(spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap((term, index) =>
      nodeTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${String(index)}]`),
    ),
    // kube-apiserver doesn't warn about these sources in a PersistentVolume.
    ...oldSourceWarnings({ ...spec, flocker: undefined, quobyte: undefined }, "spec"),
  ];
}

export const persistentVolume: KindDefinition = defineBuiltin<core.PersistentVolume>({
  resource: "/persistentvolumes",
  metadata: { checksOnUpdate: 2, checkedAsNew: "object" },
  deletion: { returnsObject: true },
  defaults: {
    "io.k8s.api.core.v1.PersistentVolume": (volume: core.PersistentVolume) => {
      (volume.status ??= {}).phase ??= "Pending";
      const spec = (volume.spec ??= {});
      spec.persistentVolumeReclaimPolicy ??= "Retain";
      spec.volumeMode ??= "Filesystem";
    },
  },
  prepare: {
    create(volume, { nowMs }) {
      volume.status = { phase: "Pending", lastPhaseTransitionTime: formatTime(nowMs) };
    },
    status: stampPhase,
  },
  validate: { create: validate, update: validateUpdate },
  warnings,
  printer: {
    columns:
      "Capacity,Access Modes,Reclaim Policy,Status,Claim,StorageClass,VolumeAttributesClass,Reason,Age,VolumeMode*",
    cells: ({ metadata, spec, status }, age) => [
      spec?.capacity?.["storage"] ?? "0",
      accessModesText(spec?.accessModes),
      spec?.persistentVolumeReclaimPolicy ?? "",
      isSet(metadata?.deletionTimestamp) ? "Terminating" : (status?.phase ?? ""),
      spec?.claimRef === undefined ? "" : `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}`,
      metadata?.annotations?.[oldClassAnnotation] ?? spec?.storageClassName ?? "",
      spec?.volumeAttributesClassName ?? "<unset>",
      status?.reason ?? "",
      age,
      spec?.volumeMode ?? "<unset>",
    ],
  },
});
