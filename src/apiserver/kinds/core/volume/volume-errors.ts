import { pushAll } from "../../../../internal/push-all.js";
import type * as core from "../../../../kinds/core/v1.js";
import { compareQuantities } from "../../../../meta/quantity.js";
import type { FieldError } from "../../../errors/field-error.js";
import { words } from "../../../internal/words.js";
import { nameErrors } from "../../../objects/validate-metadata.js";
import * as check from "../../shared/checks.js";
import { duplicate, forbidden, invalid, notSupported, required, tooLong } from "../../shared/field-errors.js";
import { templateMetadataErrors } from "../../shared/template-metadata.js";
import { localPath, noBacksteps } from "../../shared/volume-paths.js";
import { oldVolumeErrors, oldVolumes } from "./old-volume-errors.js";
import { claimSpecErrors } from "./persistent-volume-claim.js";

/** Result of validating a pod's volumes. Volumes with errors count as missing. */
export interface CheckedVolumes {
  readonly errors: FieldError[];
  /** Volumes that containers can mount, by name. */
  readonly usable: ReadonlyMap<string, core.Volume>;
}

const mostDriver = 63;

/** Volume sources in the order of validation. */
const sourceOrder = words(
  "emptyDir hostPath gitRepo gcePersistentDisk awsElasticBlockStore secret nfs iscsi glusterfs flocker",
  "persistentVolumeClaim rbd cinder cephfs quobyte downwardAPI fc flexVolume configMap azureFile vsphereVolume",
  "photonPersistentDisk portworxVolume azureDisk storageos projected scaleIO csi ephemeral image",
) as (keyof core.Volume)[];

/** Names of sources that kube-apiserver spells differently in the errors of a second source. */
const sourcePaths: Readonly<Record<string, string>> = { cephfs: "cephFS", downwardAPI: "downwarAPI" };

/** Validates the volumes of a pod or template. `pod`: name of the pod, if known. */
export function validateVolumes(volumes: readonly core.Volume[], at: string, isPod: boolean, pod = ""): CheckedVolumes {
  const usable = new Map<string, core.Volume>();
  const errors = check.eachItem(volumes, at, (volume, path) => {
    const wrong = sourceErrors(volume, path, isPod);
    if (volume.ephemeral !== undefined && pod !== "" && volume.name !== "")
      pushAll(
        wrong,
        nameErrors(`${pod}-${volume.name}`, "subdomain").map((detail) =>
          invalid(`${path}.name`, volume.name, `the name of its claim ${detail}`),
        ),
      );
    pushAll(wrong, check.requiredText(`${path}.name`, volume.name, check.dnsLabel));
    if (usable.has(volume.name)) wrong.push(duplicate(`${path}.name`, volume.name));
    if (wrong.length === 0) usable.set(volume.name, volume);
    return wrong;
  });
  return { errors, usable };
}

function sourceErrors(given: core.Volume, at: string, isPod: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const sources = sourceOrder.filter((key) => given[key] !== undefined);
  for (const extra of sources.slice(1))
    errors.push(forbidden(`${at}.${sourcePaths[extra] ?? extra}`, "may not specify more than 1 volume type"));
  // Only the first source is validated.
  const volume: core.Volume = { name: given.name };
  for (const key of sources.slice(0, 1)) Object.assign(volume, { [key]: given[key] });
  if (volume.emptyDir?.sizeLimit !== undefined && compareQuantities(volume.emptyDir.sizeLimit, "0") < 0)
    errors.push(forbidden(`${at}.emptyDir.sizeLimit`, "SizeLimit field must be a valid resource quantity"));
  const { secret, configMap, hostPath, persistentVolumeClaim, nfs, downwardAPI, projected, csi, iscsi, image } = volume;
  if (secret !== undefined) {
    if ((secret.secretName ?? "") === "") errors.push(required(`${at}.secret.secretName`));
    pushAll(errors, mode(secret.defaultMode, `${at}.secret.defaultMode`), keys(secret.items, `${at}.secret`));
  }
  if (configMap !== undefined) {
    if ((configMap.name ?? "") === "") errors.push(required(`${at}.configMap.name`));
    pushAll(
      errors,
      mode(configMap.defaultMode, `${at}.configMap.defaultMode`),
      keys(configMap.items, `${at}.configMap`),
    );
  }
  if (hostPath !== undefined) pushAll(errors, hostPathErrors(hostPath, `${at}.hostPath`));
  if (persistentVolumeClaim?.claimName === "") errors.push(required(`${at}.persistentVolumeClaim.claimName`));
  if (nfs !== undefined) pushAll(errors, nfsErrors(nfs, `${at}.nfs`));
  if (downwardAPI !== undefined) {
    pushAll(errors, mode(downwardAPI.defaultMode, `${at}.downwardAPI.defaultMode`));
    for (const file of downwardAPI.items ?? []) pushAll(errors, downwardFile(file, `${at}.downwardAPI`));
  }
  if (projected !== undefined) {
    pushAll(
      errors,
      mode(projected.defaultMode, `${at}.projected.defaultMode`),
      projections(projected.sources ?? [], `${at}.projected`),
    );
  }
  if (csi !== undefined) {
    pushAll(errors, driverName(`${at}.csi.driver`, csi.driver));
    if (csi.nodePublishSecretRef !== undefined) {
      const { name = "" } = csi.nodePublishSecretRef;
      if (name === "") errors.push(required(`${at}.csi.nodePublishSecretRef.name`));
      else pushAll(errors, check.dnsSubdomain(`${at}.csi.name`, name));
    }
  }
  if (iscsi !== undefined) pushAll(errors, iscsiErrors(iscsi, `${at}.iscsi`));
  for (const key of sources.slice(0, 1))
    if (oldVolumes.has(key))
      pushAll(errors, oldVolumeErrors(key, given[key] as unknown as Readonly<Record<string, unknown>>, at));
  if (image !== undefined && (image.reference ?? "") === "" && isPod) errors.push(required(`${at}.image.reference`));
  return [...errors, ...ephemeral(volume.ephemeral, `${at}.ephemeral.volumeClaimTemplate`)];
}

/** Validates the name of a volume driver. */
export function driverName(field: string, name: string): FieldError[] {
  if (name === "") return [required(field)];
  const errors = name.length > mostDriver ? [tooLong(field, mostDriver)] : [];
  return [...errors, ...check.dnsSubdomain(field, name.toLowerCase())];
}

const pathTypes: readonly string[] = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

/** Validates the path of a node. */
export function hostPathErrors({ path, type }: core.HostPathVolumeSource, at: string): FieldError[] {
  if (path === "") return [required(`${at}.path`)];
  return [...noBacksteps(`${at}.path`, path), ...check.optionalOneOf(`${at}.type`, type, pathTypes)];
}

/** Validates an NFS volume. */
export function nfsErrors({ server, path }: core.NFSVolumeSource, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (server === "") errors.push(required(`${at}.server`));
  if (path === "") errors.push(required(`${at}.path`));
  if (!path.startsWith("/")) errors.push(invalid(`${at}.path`, path, "must be an absolute path"));
  return errors;
}

/** Validates an iSCSI volume. `volume`: name of the PersistentVolume, if it is one. */
export function iscsiErrors(
  {
    targetPortal,
    iqn,
    lun,
    initiatorName,
    chapAuthDiscovery,
    chapAuthSession,
    secretRef,
  }: core.ISCSIVolumeSource | core.ISCSIPersistentVolumeSource,
  at: string,
  volume?: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (targetPortal === "") errors.push(required(`${at}.targetPortal`));
  if (volume !== undefined && initiatorName !== undefined && `${volume}:${targetPortal}`.length > 64)
    errors.push(
      invalid(`${at}.targetportal`, targetPortal, "must be shorter to fit an initiator name with the volume's"),
    );
  pushAll(errors, check.requiredText(`${at}.iqn`, iqn, initiatorErrors));
  pushAll(errors, check.between(`${at}.lun`, lun, 0, 255));
  if ((chapAuthDiscovery === true || chapAuthSession === true) && secretRef === undefined)
    errors.push(required(`${at}.secretRef`));
  if (volume !== undefined && secretRef !== undefined && (secretRef.name ?? "") === "")
    errors.push(required(`${at}.secretRef.name`));
  if (initiatorName !== undefined) pushAll(errors, initiatorErrors(`${at}.initiatorname`, initiatorName));
  return errors;
}

const initiatorPatterns: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([0-9A-Za-z\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[0-9A-Za-z]{16}$/,
  naa: /^naa.[0-9A-Za-z]{32}$/,
};

function initiatorErrors(field: string, name: string): FieldError[] {
  return initiatorPatterns[name.slice(0, 3)]?.test(name) === true
    ? []
    : [invalid(field, name, "must be a name starting with iqn, eui, or naa")];
}

function ephemeral(source: core.Volume["ephemeral"], at: string): FieldError[] {
  if (source === undefined) return [];
  const template = source.volumeClaimTemplate;
  if (template === undefined) return [required(at)];
  return [
    ...templateMetadataErrors(`${at}.metadata`, template.metadata),
    ...claimSpecErrors(template.spec, `${at}.spec`),
  ];
}

function mode(value: number | undefined, at: string): FieldError[] {
  return check.between(at, value, 0, 0o777);
}

function keys(items: readonly core.KeyToPath[] | undefined, at: string): FieldError[] {
  return check.eachItem(items, `${at}.items`, ({ key, path, mode: bits }, place) => [
    ...check.requiredText(`${place}.key`, key),
    ...check.requiredText(`${place}.path`, path, localPath),
    ...mode(bits, `${place}.mode`),
  ]);
}

const resourceFields = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const fileFields = ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
const podFields = new Set([
  ...fileFields,
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.schedulerName",
  "spec.host",
  "status.phase",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
]);

/** Validates a `fieldRef`. `supported`: fields that it can select, other than single labels and annotations. */
export function objectFieldErrors(
  { apiVersion = "", fieldPath }: core.ObjectFieldSelector,
  at: string,
  supported: readonly string[],
): FieldError[] {
  if (apiVersion === "") return [required(`${at}.apiVersion`)];
  if (fieldPath === "") return [required(`${at}.fieldPath`)];
  const unknown = [invalid(`${at}.fieldPath`, fieldPath, "must be a field of a v1 pod")];
  if (apiVersion !== "v1") return unknown;
  const [, path, subscript = ""] = /^([^[]+)\['(.*)'\]$/.exec(fieldPath) ?? [];
  if (path === "metadata.annotations") return check.qualifiedName(at, subscript.toLowerCase());
  if (path === "metadata.labels") return check.qualifiedName(at, subscript);
  if (path !== undefined) return unknown;
  if (!podFields.has(fieldPath)) return unknown;
  const field = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
  return supported.includes(field) ? [] : [notSupported(`${at}.fieldPath`, field, supported)];
}

/** Validates a `resourceFieldRef`. */
export function resourceFieldErrors({ resource, divisor = "0" }: core.ResourceFieldSelector, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (resource === "") errors.push(required(`${at}.resource`));
  else if (!resourceFields.includes(resource) && !/^(requests|limits)\.hugepages-/.test(resource))
    errors.push(notSupported(`${at}.resource`, resource, resourceFields));
  if (compareQuantities(divisor, "0") === 0) return errors;
  const [, what = ""] = /^(?:limits|requests)\.(cpu$|memory$|ephemeral-storage$|hugepages-)/.exec(resource) ?? [];
  const known = what === "cpu" ? ["1m", "1"] : divisors;
  return what === "" || known.includes(divisor)
    ? errors
    : [...errors, invalid(`${at}.divisor`, resource, `must be one of ${known.join(", ")}`)];
}

const divisors = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

function downwardFile(file: core.DownwardAPIVolumeFile, at: string): FieldError[] {
  const { path, fieldRef, resourceFieldRef } = file;
  const errors = check.requiredText(`${at}.path`, path, localPath);
  if (fieldRef !== undefined) {
    pushAll(errors, objectFieldErrors(fieldRef, `${at}.fieldRef`, fileFields));
    if (resourceFieldRef !== undefined)
      errors.push(invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
  } else if (resourceFieldRef !== undefined) {
    const place = `${at}.resourceFieldRef`;
    if ((resourceFieldRef.containerName ?? "") === "") errors.push(required(`${place}.containerName`));
    else pushAll(errors, resourceFieldErrors(resourceFieldRef, place));
  } else errors.push(required(at, "one of fieldRef and resourceFieldRef is required"));
  return [...errors, ...mode(file.mode, `${at}.mode`)];
}

function projections(sources: readonly core.VolumeProjection[], at: string): FieldError[] {
  const paths = new Set<string>();
  const take = (path: string, shown: string): FieldError[] => {
    if (path === "") return [];
    if (paths.has(path)) return [invalid(at, shown, "conflicting duplicate paths")];
    paths.add(path);
    return [];
  };
  return sources.flatMap((each, index) => {
    const { downwardAPI, serviceAccountToken: token } = each;
    const path = `${at}.sources[${String(index)}]`;
    const errors: FieldError[] = [];
    for (const name of ["secret", "configMap"] as const) {
      const source = each[name];
      if (source === undefined) continue;
      if ((source.name ?? "") === "") errors.push(required(`${path}.${name}.name`));
      pushAll(
        errors,
        keys(source.items, `${path}.${name}`),
        (source.items ?? []).flatMap((item) => take(item.path, source.name ?? "")),
      );
    }
    for (const file of downwardAPI?.items ?? [])
      pushAll(errors, downwardFile(file, `${path}.downwardAPI`), take(file.path, file.path));
    if (token !== undefined) {
      const place = `${path}.serviceAccountToken`;
      pushAll(
        errors,
        check.between(`${place}.expirationSeconds`, token.expirationSeconds, 600, 2 ** 32),
        check.requiredText(`${at}.path`, token.path, localPath),
      );
    }
    if (Object.values(each).filter((source) => source !== undefined).length > 1)
      errors.push(forbidden(path, "may not specify more than 1 volume type per source"));
    return errors;
  });
}
