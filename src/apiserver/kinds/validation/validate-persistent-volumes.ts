import type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeSpec,
  SecretReference,
} from "../../../kinds/core/v1.js";
import { compareQuantities } from "../../../meta/quantity.js";
import type { FieldError } from "../../errors/field-error.js";
import { copyJson } from "../../objects/metadata.js";
import { internalForm } from "../../schema/internal-form.js";
import { oldVolumeErrors } from "../core/volume/old-volume-errors.js";
import { hostPathErrors, iscsiErrors, nfsErrors } from "../core/volume/volume-errors.js";
import { validateNodeSelector } from "../shared/affinity.js";
import {
  dnsLabel,
  dnsSubdomain,
  forbidden,
  immutableNamed,
  invalid,
  notSupported,
  required,
  sameValue,
  shownMap,
  tooLong,
} from "../shared/field-errors.js";
import { specDiff } from "../shared/spec-diff.js";
import { noBacksteps } from "../shared/volume-paths.js";
import { accessModeErrors, volumeModeErrors } from "./validate-claims.js";

const RECLAIM: readonly string[] = ["Delete", "Recycle", "Retain"];
const MOST_DRIVER = 63;

/** What a volume can be made of, in the order in which a server looks, with the fields that must not be empty. */
const SOURCES = {
  hostPath: [],
  gcePersistentDisk: ["pdName"],
  awsElasticBlockStore: ["volumeID"],
  glusterfs: ["endpoints", "path"],
  flocker: [],
  nfs: [],
  rbd: ["monitors", "image"],
  quobyte: ["registry", "volume"],
  cephfs: ["monitors"],
  iscsi: [],
  cinder: ["volumeID"],
  fc: [],
  flexVolume: ["driver"],
  azureFile: ["secretName", "shareName"],
  vsphereVolume: ["volumePath"],
  photonPersistentDisk: ["pdID"],
  portworxVolume: ["volumeID"],
  azureDisk: ["diskName", "diskURI"],
  scaleIO: ["gateway", "system", "volumeName"],
  local: [],
  storageos: ["volumeName"],
  csi: [],
} as const satisfies Partial<Record<keyof PersistentVolumeSpec, readonly string[]>>;
type Source = keyof typeof SOURCES;
/** Those for which the rules are as for volumes of pods. */
const SAME_IN_PODS: ReadonlySet<string> = new Set([
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "flocker",
  "fc",
  "quobyte",
  "azureDisk",
  "cinder",
  "flexVolume",
  "storageos",
]);
const sourceNames = Object.keys(SOURCES) as Source[];

/** Errors of a PersistentVolume. */
export function validateVolume({ metadata, spec = {} }: PersistentVolume): FieldError[] {
  return volumeSpecErrors(spec, "spec", metadata?.name ?? "");
}

/** Errors of what the volume of this name is; one inside of another object has none. */
export function volumeSpecErrors(spec: PersistentVolumeSpec, at: string, volume?: string): FieldError[] {
  const inline = volume === undefined;
  const errors: FieldError[] = [];
  const context = "in the context of inline volumes";
  const {
    accessModes = [],
    capacity = {},
    persistentVolumeReclaimPolicy: reclaim,
    nodeAffinity,
    storageClassName = "",
    volumeMode,
    volumeAttributesClassName: attributes,
  } = spec;
  const outside = (key: keyof PersistentVolumeSpec): void => {
    errors.push(forbidden(`${at}.${key}`, `may not be specified ${context}`));
  };
  if (inline) {
    if (spec.claimRef !== undefined) outside("claimRef");
    if (Object.keys(capacity).length > 0) outside("capacity");
    if (spec.csi === undefined) errors.push(required(`${at}.csi`, `has to be specified ${context}`));
  }
  if (accessModes.length === 0) errors.push(required(`${at}.accessModes`));
  errors.push(...accessModeErrors(accessModes, at));
  if (!inline) errors.push(...capacityErrors(spec, at));
  if (((reclaim as string | undefined) ?? "") !== "") {
    if (inline && reclaim !== "Retain")
      errors.push(forbidden(`${at}.persistentVolumeReclaimPolicy`, `may only be Retain ${context}`));
    if (!inline && !RECLAIM.includes(reclaim!))
      errors.push(notSupported(`${at}.persistentVolumeReclaimPolicy`, reclaim, RECLAIM));
  }
  if (nodeAffinity !== undefined && inline) outside("nodeAffinity");
  else if (nodeAffinity !== undefined) {
    const field = `${at}.nodeAffinity.required`;
    errors.push(
      ...(nodeAffinity.required === undefined
        ? [required(field, "must specify required node constraints")]
        : validateNodeSelector(nodeAffinity.required.nodeSelectorTerms, `${field}.nodeSelectorTerms`)),
    );
  }
  errors.push(...allSources(spec, at, volume));
  if (spec.hostPath !== undefined && /^\/+(\.?\/*)*$/.test(spec.hostPath.path) && reclaim === "Recycle")
    errors.push(forbidden(`${at}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'"));
  if (storageClassName !== "" && inline) outside("storageClassName");
  else if (storageClassName !== "") errors.push(...dnsSubdomain(`${at}.storageClassName`, storageClassName));
  if (!inline) errors.push(...volumeModeErrors(volumeMode, at));
  else if (volumeMode !== undefined && volumeMode !== "Filesystem")
    errors.push(forbidden(`${at}.volumeMode`, `may not specify volumeMode other than Filesystem ${context}`));
  if (attributes !== undefined && !inline) {
    errors.push(
      ...(attributes === ""
        ? [required(`${at}.volumeAttributesClassName`, "an empty string is disallowed")]
        : dnsSubdomain(`${at}.volumeAttributesClassName`, attributes)),
    );
    if (spec.csi === undefined)
      errors.push(required(`${at}.csi`, "has to be specified when using volumeAttributesClassName"));
  }
  return errors;
}

function capacityErrors(spec: PersistentVolumeSpec, at: string): FieldError[] {
  const capacity = spec.capacity ?? {};
  const errors: FieldError[] = [];
  if (Object.keys(capacity).length === 0) errors.push(required(`${at}.capacity`));
  if (capacity["storage"] === undefined || Object.keys(capacity).length > 1)
    errors.push(notSupported(`${at}.capacity`, shownMap(spec, "capacity"), ["storage"]));
  for (const [name, quantity] of Object.entries(capacity)) {
    const field = `${at}.capacity[${name}]`;
    if (compareQuantities(quantity, "0") < 0)
      errors.push(invalid(field, Number(quantity), "must be a valid resource quantity"));
    if (compareQuantities(quantity, "0") <= 0) errors.push(invalid(field, quantity, "must be greater than zero"));
  }
  return errors;
}

function allSources(spec: PersistentVolumeSpec, at: string, volume = ""): FieldError[] {
  const present = sourceNames.filter((name) => spec[name] !== undefined);
  if (present.length === 0) return [required(at, "must specify a volume type")];
  return present.flatMap((name, index) =>
    index > 0 && name !== "flexVolume"
      ? [forbidden(`${at}.${name === "cephfs" ? "cephFS" : name}`, "may not specify more than 1 volume type")]
      : sourceErrors(spec, name, at, volume),
  );
}

function sourceErrors(spec: PersistentVolumeSpec, name: Source, at: string, volume: string): FieldError[] {
  const path = `${at}.${name === "gcePersistentDisk" ? "persistentDisk" : name}`;
  const { hostPath, nfs, iscsi, local, csi } = spec;
  if (name === "hostPath") return hostPathErrors(hostPath!, path);
  if (name === "nfs") return nfsErrors(nfs!, path);
  if (name === "iscsi") return iscsiErrors(iscsi!, path, volume);
  if (name === "csi") return csiErrors(csi!, path);
  if (name === "local")
    return [
      ...(local!.path === "" ? [required(`${path}.path`)] : noBacksteps(local!.path, `${path}.path`)),
      ...(spec.nodeAffinity === undefined
        ? [required(`${at}.nodeAffinity`, "Local volume requires node affinity")]
        : []),
    ];
  const source = spec[name] as unknown as Readonly<Record<string, unknown>>;
  if (SAME_IN_PODS.has(name)) return [...oldVolumeErrors(name, source, at), ...namespaceErrors(spec, path)];
  const missing = SOURCES[name].flatMap((key) => (isEmpty(source[key]) ? [required(`${path}.${key}`)] : []));
  return [...missing, ...namespaceErrors(spec, path)];
}

/** Errors of namespaces in which a volume looks for what it needs. */
function namespaceErrors({ cinder, storageos, azureFile, glusterfs }: PersistentVolumeSpec, at: string): FieldError[] {
  const secret = (cinder ?? storageos)?.secretRef;
  const errors = secret !== undefined && isEmpty(secret.namespace) ? [required(`${at}.secretRef.namespace`)] : [];
  if (azureFile?.secretNamespace === "") errors.push(required(`${at}.secretNamespace`));
  const endpoints = glusterfs?.endpointsNamespace;
  if (endpoints === "")
    errors.push(
      invalid(
        `${at}.endpointsNamespace`,
        endpoints,
        "if the endpointnamespace is set, it must be a valid namespace name",
      ),
    );
  else if (endpoints !== undefined) errors.push(...dnsLabel(`${at}.endpointsNamespace`, endpoints));
  return errors;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Errors of the name of a driver of volumes. */
export function driverName(field: string, name: string): FieldError[] {
  if (name === "") return [required(field)];
  const errors = name.length > MOST_DRIVER ? [tooLong(field, MOST_DRIVER)] : [];
  return [...errors, ...dnsSubdomain(field, name.toLowerCase()).map((error) => ({ ...error, value: name }))];
}

const SECRETS = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

function csiErrors(source: CSIPersistentVolumeSource, at: string): FieldError[] {
  const secret = ({ name = "", namespace = "" }: SecretReference, path: string): FieldError[] => [
    ...(name === "" ? [required(`${path}.name`)] : dnsSubdomain(`${path}.name`, name)),
    ...(namespace === "" ? [required(`${path}.namespace`)] : dnsLabel(`${path}.namespace`, namespace)),
  ];
  return [
    ...driverName(`${at}.driver`, source.driver),
    ...(source.volumeHandle === "" ? [required(`${at}.volumeHandle`)] : []),
    ...SECRETS.flatMap((key) => (source[key] === undefined ? [] : secret(source[key], `${at}.${key}`))),
  ];
}

const OLD_LABELS: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
};

type Reach = PersistentVolumeSpec["nodeAffinity"];

/** Whether a volume is reached from the same nodes, be they named by old labels or by the present ones. */
function sameReach(now: Reach, before: Reach): boolean {
  const keys = (reach: Reach): readonly string[] =>
    (reach?.required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) =>
      matchExpressions.map(({ key }) => key),
    );
  const nameless = (reach: Reach): unknown =>
    JSON.parse(JSON.stringify(reach ?? null), (key, value: unknown) => (key === "key" ? "" : value));
  const known = keys(before);
  // To a real server a label without a present name has an empty one.
  return (
    sameValue(nameless(now), nameless(before)) &&
    keys(now).every((key, index) => key === known[index] || key === (OLD_LABELS[known[index] ?? ""] ?? ""))
  );
}

/** Errors of a changed PersistentVolume: what it is made of stays, but a Secret for expansion may come. */
export function validateVolumeUpdate(volume: PersistentVolume, old: PersistentVolume): FieldError[] {
  const source = (spec: PersistentVolumeSpec = {}): Readonly<Record<string, unknown>> =>
    Object.fromEntries(sourceNames.map((name) => [name, spec[name]]));
  const { spec = {} } = volume;
  // A real server looks twice.
  const errors = [...validateVolume(volume), ...validateVolume(volume)];
  const before = old.spec ?? {};
  const expands = before.csi !== undefined && before.csi.controllerExpandSecretRef === undefined;
  const now = copyJson(spec);
  if (expands && now.csi !== undefined) Reflect.deleteProperty(now.csi, "controllerExpandSecretRef");
  if (!sameValue(source(now), source(before)))
    errors.push(
      forbidden(
        "spec.persistentvolumesource",
        `spec.persistentvolumesource is immutable after creation\n${specDiff("core.PersistentVolumeSource", before, now)}`,
      ),
    );
  errors.push(...immutableNamed("volumeMode", spec.volumeMode, before.volumeMode));
  if (before.nodeAffinity !== undefined && !sameReach(spec.nodeAffinity, before.nodeAffinity))
    errors.push(
      invalid(
        "nodeAffinity",
        spec.nodeAffinity === undefined ? null : internalForm("core.VolumeNodeAffinity", spec.nodeAffinity),
        "field is immutable, except for updating from beta label to GA",
      ),
    );
  if (before.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    errors.push(forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden"));
  return errors;
}
