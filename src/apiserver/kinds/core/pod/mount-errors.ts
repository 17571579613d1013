import { pushAll } from "../../../../internal/push-all.js";
import type * as core from "../../../../kinds/core/v1.js";
import type { FieldError } from "../../../errors/field-error.js";
import * as check from "../../shared/checks.js";
import { forbidden, invalid, notFound, notSupported, required } from "../../shared/field-errors.js";
import { localPath } from "../../shared/volume-paths.js";

/** Validates the volume mounts of a container. */
export function validateMounts(
  { volumeMounts: mounts = [], volumeDevices: devices = [], securityContext }: core.Container,
  volumes: ReadonlyMap<string, core.Volume>,
  at: string,
): FieldError[] {
  const paths = new Set<string>();
  return check.eachItem(mounts, at, (mount, path) => {
    const errors: FieldError[] = [];
    if (mount.name === "") errors.push(required(`${path}.name`));
    if (!volumes.has(mount.name)) errors.push(notFound(`${path}.name`, mount.name));
    if (mount.mountPath === "") errors.push(required(`${path}.mountPath`));
    if (paths.has(mount.mountPath)) errors.push(invalid(`${path}.mountPath`, mount.mountPath, "must be unique"));
    paths.add(mount.mountPath);
    if (devices.some((device) => device.name === mount.name))
      errors.push(invalid(`${path}.name`, mount.name, "must not already exist in volumeDevices"));
    if (devices.some((device) => device.devicePath === mount.mountPath))
      errors.push(invalid(`${path}.mountPath`, mount.mountPath, "must not already exist as a path in volumeDevices"));
    const propagation: string | undefined = mount.mountPropagation;
    // kube-apiserver omits the index of the mount from the following fields.
    pushAll(errors, check.optionalText(`${at}.subPath`, mount.subPath, localPath));
    if ((mount.subPathExpr ?? "") !== "" && (mount.subPath ?? "") !== "")
      errors.push(invalid(`${path}.subPathExpr`, mount.subPathExpr, "subPathExpr and subPath are mutually exclusive"));
    pushAll(errors, check.optionalText(`${at}.subPathExpr`, mount.subPathExpr, localPath));
    pushAll(errors, check.optionalOneOf(`${at}.mountPropagation`, propagation, propagations));
    if (propagation === "Bidirectional" && securityContext?.privileged !== true)
      errors.push(forbidden(`${at}.mountPropagation`, "Bidirectional is available only to privileged containers"));
    return [...errors, ...recursiveErrors(mount, `${at}.recursiveReadOnly`)];
  });
}

const recursiveReadOnlyModes = ["Disabled", "Enabled", "IfPossible"];

function recursiveErrors(
  { recursiveReadOnly: recursive, readOnly, mountPropagation }: core.VolumeMount,
  field: string,
): FieldError[] {
  if (recursive === undefined || recursive === "Disabled") return [];
  if (!recursiveReadOnlyModes.includes(recursive)) return [notSupported(field, recursive, recursiveReadOnlyModes)];
  return [
    ...(readOnly === true ? [] : [forbidden(field, "may only be specified when readOnly is true")]),
    ...(mountPropagation === undefined || mountPropagation === "None"
      ? []
      : [forbidden(field, "may only be specified when mountPropagation is None or not specified")]),
  ];
}

const propagations: readonly string[] = ["Bidirectional", "HostToContainer", "None"];

/** Validates the volume devices of a container. */
export function validateDevices(
  { volumeMounts: mounts = [], volumeDevices: devices = [] }: core.Container,
  volumes: ReadonlyMap<string, core.Volume>,
  at: string,
): FieldError[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  return check.eachItem(devices, at, ({ name, devicePath }, path) => {
    const errors: FieldError[] = [];
    const volume = volumes.get(name);
    if (name === "") errors.push(required(`${path}.name`));
    if (names.has(name)) errors.push(invalid(`${path}.name`, name, "must be unique"));
    if (volume === undefined) errors.push(notFound(`${path}.name`, name));
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined)
      errors.push(invalid(`${path}.name`, name, "must be a volume of type persistentVolumeClaim or ephemeral"));
    if (devicePath === "") errors.push(required(`${path}.devicePath`));
    if (paths.has(devicePath)) errors.push(invalid(`${path}.devicePath`, devicePath, "must be unique"));
    if (devicePath.split("/").includes(".."))
      errors.push(invalid(`${path}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mounts.some((mount) => mount.name === name))
      errors.push(invalid(`${path}.name`, name, "must not already exist in volumeMounts"));
    if (mounts.some((mount) => mount.mountPath === devicePath))
      errors.push(invalid(`${path}.devicePath`, devicePath, "must not already exist as a path in volumeMounts"));
    if (name !== "") names.add(name);
    return errors;
  });
}
