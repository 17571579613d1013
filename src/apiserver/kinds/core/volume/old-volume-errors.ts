import { pushAll } from "../../../../internal/push-all.js";
import type { FieldError } from "../../../errors/field-error.js";
import * as check from "../../shared/checks.js";
import { invalid, notSupported, required } from "../../shared/field-errors.js";
import { localPath } from "../../shared/volume-paths.js";

type Source = Readonly<Record<string, unknown>>;

/** Required fields by volume source. */
const requiredFields: Readonly<Record<string, readonly string[]>> = {
  gcePersistentDisk: ["pdName"],
  awsElasticBlockStore: ["volumeID"],
  gitRepo: ["repository"],
  glusterfs: ["endpoints", "path"],
  rbd: ["monitors", "image"],
  cephfs: ["monitors"],
  cinder: ["volumeID"],
  flexVolume: ["driver"],
  azureFile: ["secretName", "shareName"],
  vsphereVolume: ["volumePath"],
  photonPersistentDisk: ["pdID"],
  portworxVolume: ["volumeID"],
  azureDisk: ["diskName", "diskURI"],
  scaleIO: ["gateway", "system", "volumeName"],
  storageos: ["volumeName"],
  quobyte: ["volume"],
};
const managedForm = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobForm = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
const wrongRegistry = "must be a host:port pair or multiple pairs separated by commas";

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);

/** Volume sources that CSI drivers have replaced. */
export const oldVolumes: ReadonlySet<string> = new Set([...Object.keys(requiredFields), "flocker", "fc"]);

/** Validates such a volume source. */
export function oldVolumeErrors(kind: string, source: Source, at: string): FieldError[] {
  const path = `${at}.${kind === "gcePersistentDisk" ? "persistentDisk" : kind}`;
  const errors = (requiredFields[kind] ?? []).flatMap((key) =>
    isEmpty(source[key]) ? [required(`${path}.${key}`)] : [],
  );
  return [...errors, ...(special[kind]?.(source, path) ?? [])];
}

function partition({ partition: number = 0 }: Source, at: string): FieldError[] {
  return check.between(`${at}.partition`, Number(number), 0, 255);
}

const special: Readonly<Record<string, (source: Source, at: string) => FieldError[]>> = {
  gcePersistentDisk: partition,
  awsElasticBlockStore: partition,
  flexVolume: ({ options = {} }, at) =>
    Object.keys(options as object).flatMap((key) => {
      const [, name = key] = /^([^/]*)\//.exec(key) ?? [];
      return /\.(kubernetes|k8s)\.io$/i.test(`.${name}`)
        ? [invalid(`${at}.options[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved")]
        : [];
    }),
  gitRepo: ({ directory }, at) => localPath(`${at}.directory`, textOf(directory)),
  flocker: ({ datasetName, datasetUUID }, at) => [
    ...(isEmpty(datasetName) && isEmpty(datasetUUID)
      ? [required(at, "one of datasetName and datasetUUID is required")]
      : []),
    ...(!isEmpty(datasetName) && !isEmpty(datasetUUID)
      ? [invalid(at, "resource", "datasetName and datasetUUID can not be specified simultaneously")]
      : []),
    ...(textOf(datasetName).includes("/") ? [invalid(`${at}.datasetName`, datasetName, "must not contain '/'")] : []),
  ],
  fc({ targetWWNs, wwids, lun }, at) {
    if (isEmpty(targetWWNs))
      return isEmpty(wwids)
        ? [required(`${at}.targetWWNs`, "must specify either targetWWNs or wwids, but not both")]
        : [];
    const errors = isEmpty(wwids)
      ? []
      : [invalid(`${at}.targetWWNs`, targetWWNs, "targetWWNs and wwids can not be specified simultaneously")];
    if (lun === undefined) return [...errors, required(`${at}.lun`, "lun is required if targetWWNs is specified")];
    return [...errors, ...check.between(`${at}.lun`, Number(lun), 0, 255)];
  },
  quobyte({ registry, tenant }, at) {
    if (isEmpty(registry)) return [required(`${at}.registry`, wrongRegistry)];
    if (textOf(tenant).length >= 65)
      return [required(`${at}.tenant`, "must be a UUID and may not exceed a length of 64 characters")];
    return textOf(registry)
      .split(",")
      .flatMap((pair) =>
        /^(\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(pair) ? [] : [invalid(`${at}.registry`, registry, wrongRegistry)],
      );
  },
  azureDisk({ cachingMode, kind, diskURI }, at) {
    const errors: FieldError[] = [];
    const modes = ["None", "ReadOnly", "ReadWrite"];
    const kinds = ["Dedicated", "Managed", "Shared"];
    if (cachingMode !== undefined) pushAll(errors, check.oneOf(`${at}.cachingMode`, textOf(cachingMode), modes));
    if (kind !== undefined) pushAll(errors, check.oneOf(`${at}.kind`, textOf(kind), kinds));
    if (kind === "Managed" && !textOf(diskURI).startsWith("/subscriptions/"))
      errors.push(notSupported(`${at}.diskURI`, textOf(diskURI), [managedForm]));
    if (kind !== undefined && kind !== "Managed" && !textOf(diskURI).startsWith("https://"))
      errors.push(notSupported(`${at}.diskURI`, textOf(diskURI), [blobForm]));
    return errors;
  },
  cinder: ({ secretRef }, at) =>
    secretRef !== undefined && isEmpty((secretRef as Source)["name"]) ? [required(`${at}.secretRef.name`)] : [],
  storageos: ({ volumeName, volumeNamespace, secretRef }, at) => [
    ...(isEmpty(volumeName) ? [] : check.dnsLabel(`${at}.volumeName`, textOf(volumeName))),
    ...(isEmpty(volumeNamespace) ? [] : check.dnsLabel(`${at}.volumeNamespace`, textOf(volumeNamespace))),
    ...(secretRef !== undefined && isEmpty((secretRef as Source)["name"]) ? [required(`${at}.secretRef.name`)] : []),
  ],
};
