import type { TopologySelectorTerm } from "../../../kinds/core/v1.js";
import type {
  CSIDriver,
  CSINode,
  CSINodeDriver,
  CSIStorageCapacity,
  StorageClass,
  TokenRequest,
  VolumeAttachment,
  VolumeAttributesClass,
  VolumeError,
} from "../../../kinds/storage/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { driverName, volumeSpecErrors } from "../core/volume/persistent-volume.js";
import {
  dnsSubdomain,
  duplicate,
  forbidden,
  immutable,
  immutableNamed,
  invalid,
  nonNegative,
  nonNegativeQuantity,
  notSupported,
  qualifiedName,
  required,
  sameValue,
  shownMap,
  tooLong,
} from "../shared/field-errors.js";
import { selectorErrors, selectorImmutable } from "../shared/selectors.js";

const MOST_PARAMETERS = 512;
const MOST_BYTES = 256 * 1024;
const MOST_MESSAGE = 1024;
const MOST_NODE_ID = 256;
const SHORTEST_TOKEN = 600;

function provisioner(field: string, name: string): FieldError[] {
  return name === "" ? [required(field)] : qualifiedName(field, name.toLowerCase());
}

const size = (map: Readonly<Record<string, string>>): number =>
  new TextEncoder().encode(Object.entries(map).flat().join("")).length;

function parameters(given: Readonly<Record<string, string>> | undefined, optional: boolean): FieldError[] {
  const map = given ?? {};
  const keys = Object.keys(map);
  if (keys.length > MOST_PARAMETERS) return [tooLong("parameters", MOST_PARAMETERS)];
  const errors = keys.includes("") ? [invalid("parameters", "", "field can not be empty.")] : [];
  if (size(map) > MOST_BYTES) errors.push(tooLong("parameters", MOST_BYTES));
  return optional || keys.length > 0
    ? errors
    : [...errors, required("parameters", "must contain at least one key/value pair")];
}

/** Errors of a StorageClass. */
export function validateStorageClass(each: StorageClass): FieldError[] {
  const errors = [...provisioner("provisioner", each.provisioner), ...parameters(each.parameters, true)];
  const { reclaimPolicy: reclaim, volumeBindingMode: mode } = each;
  if (((reclaim as string | undefined) ?? "") !== "" && reclaim !== "Delete" && reclaim !== "Retain")
    errors.push(notSupported("reclaimPolicy", reclaim, ["Delete", "Retain"]));
  if (mode === undefined) errors.push(required("volumeBindingMode"));
  else if (mode !== "Immediate" && mode !== "WaitForFirstConsumer")
    errors.push(notSupported("volumeBindingMode", mode, ["Immediate", "WaitForFirstConsumer"]));
  return [...errors, ...topologies(each.allowedTopologies ?? [])];
}

function topologies(terms: readonly TopologySelectorTerm[]): FieldError[] {
  // A real server starts its list of known terms with empty ones.
  const known: string[] = terms.map(() => "");
  return terms.flatMap((term, index) => {
    const at = `allowedTopologies[${String(index)}].matchLabelExpressions`;
    const keys = new Map<string, string>();
    const errors = (term.matchLabelExpressions ?? []).flatMap(({ key, values: given }, position) => {
      const path = `${at}[${String(position)}]`;
      const values = (given as readonly string[] | null) ?? [];
      const found =
        values.length === 0
          ? [required(`${path}.values`)]
          : values.flatMap((value, place) =>
              values.indexOf(value) < place ? [duplicate(`${path}.values[${String(place)}]`, value)] : [],
            );
      found.push(...qualifiedName(`${path}.key`, key));
      if (keys.has(key)) found.push(duplicate(`${path}.key`, key));
      keys.set(key, [...new Set(values)].sort().join());
      return found;
    });
    const text = [...keys].sort().join(";");
    for (const other of known) if (other === text) errors.push(duplicate(at, ""));
    known.push(text);
    return errors;
  });
}

/** Errors of a changed StorageClass. */
export function validateStorageClassUpdate(each: StorageClass, old: StorageClass): FieldError[] {
  return [
    ...validateStorageClass(each),
    ...(sameValue(each.parameters, old.parameters)
      ? []
      : [invalid("parameters", shownMap(each, "parameters"), "field is immutable")]),
    ...immutable("provisioner", each.provisioner, old.provisioner),
    ...(["reclaimPolicy", "volumeBindingMode"] as const).flatMap((key) => immutableNamed(key, each[key], old[key])),
  ];
}

/** Errors of a VolumeAttachment. */
export function validateAttachment({ spec, status }: VolumeAttachment): FieldError[] {
  const errors = driverName("spec.attacher", spec.attacher);
  const { inlineVolumeSpec: inline, persistentVolumeName: name } = spec.source;
  const exactly = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (inline === undefined && name === undefined) errors.push(required("spec.source", exactly));
  else if (inline !== undefined && name !== undefined) errors.push(forbidden("spec.source", exactly));
  else if (name === "")
    errors.push(required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName"));
  else if (inline !== undefined) errors.push(...volumeSpecErrors(inline, "spec.source.inlineVolumeSpec"));
  errors.push(...dnsSubdomain("spec.nodeName", spec.nodeName), ...attachmentStatus(status));
  return name === undefined ? errors : [...errors, ...dnsSubdomain("spec.source.persistentVolumeName", name)];
}

function attachmentStatus(status: VolumeAttachment["status"]): FieldError[] {
  const problem = (key: "attachError" | "detachError", error: VolumeError | undefined): FieldError[] => [
    // A real server tells another limit than the one it keeps.
    ...((error?.message ?? "").length > MOST_MESSAGE ? [tooLong(`status.${key}.message`, MOST_BYTES)] : []),
    ...((error?.errorCode ?? 0) < 0
      ? [invalid(`status.${key}.errorCode`, error?.errorCode, "must be between 0 and 2147483647, inclusive")]
      : []),
  ];
  const errors =
    size(status?.attachmentMetadata ?? {}) > MOST_BYTES ? [tooLong("status.attachmentMetadata", MOST_BYTES)] : [];
  return [...errors, ...problem("attachError", status?.attachError), ...problem("detachError", status?.detachError)];
}

/** Errors of a changed VolumeAttachment: what it asks for stays. */
export function validateAttachmentUpdate(attachment: VolumeAttachment, old: VolumeAttachment): FieldError[] {
  const { attacher, nodeName, source } = attachment.spec;
  // The value is shown as Go prints its own struct.
  const shown = {
    Attacher: attacher,
    Source: {
      PersistentVolumeName: source.persistentVolumeName ?? null,
      InlineVolumeSpec: source.inlineVolumeSpec ?? null,
    },
    NodeName: nodeName,
  };
  return [
    ...validateAttachment(attachment),
    ...(sameValue(attachment.spec, old.spec) ? [] : [invalid("spec", shown, "field is immutable")]),
  ];
}

/** Errors of a CSINode. */
export function validateCsiNode({ spec }: CSINode): FieldError[] {
  const names = new Set<string>();
  return drivers(spec).flatMap(({ name, nodeID, topologyKeys, allocatable }, index) => {
    const at = `spec.drivers[${String(index)}]`;
    const keys = (topologyKeys as readonly string[] | null | undefined) ?? [];
    const errors = driverName(`${at}.name`, name);
    if (nodeID === "") errors.push(required(`${at}.nodeID`));
    if (nodeID.length > MOST_NODE_ID)
      errors.push(invalid(`${at}.nodeID`, nodeID, `must be ${String(MOST_NODE_ID)} characters or less`));
    errors.push(...nonNegative(`${at}.allocatable.count`, allocatable?.count));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    // Keys have no place of their own in errors.
    keys.forEach((key, place) => {
      if (key === "") errors.push(required(at));
      if (keys.indexOf(key) < place) errors.push(duplicate(at, key));
      errors.push(...qualifiedName(at, key));
    });
    return errors;
  });
}

const drivers = (spec: CSINode["spec"]): readonly CSINodeDriver[] => spec.drivers ?? [];

/** Errors of a changed CSINode: but for how much they take, its drivers stay as they are. */
export function validateCsiNodeUpdate(node: CSINode, old: CSINode): FieldError[] {
  const plain = ({ allocatable: _allocatable, ...rest }: CSINodeDriver): object => rest;
  const changed = drivers(old.spec).flatMap((before) =>
    drivers(node.spec)
      .filter((driver) => driver.name === before.name && !sameValue(plain(driver), plain(before)))
      .map((driver) =>
        invalid(
          "spec.drivers",
          { Name: driver.name, NodeID: driver.nodeID, TopologyKeys: driver.topologyKeys ?? null, Allocatable: null },
          "field is immutable",
        ),
      ),
  );
  return [...validateCsiNode(node), ...changed];
}

const FS_POLICIES = ["File", "None", "ReadWriteOnceWithFSType"];
const MODES = ["Persistent", "Ephemeral"];

/** Errors of a CSIDriver. */
export function validateCsiDriver({ spec }: CSIDriver): FieldError[] {
  const errors: FieldError[] = [];
  const {
    fsGroupPolicy,
    tokenRequests = [],
    volumeLifecycleModes: modes = [],
    nodeAllocatableUpdatePeriodSeconds: period,
  } = spec;
  if (fsGroupPolicy !== undefined && !FS_POLICIES.includes(fsGroupPolicy))
    errors.push(notSupported("spec.fsGroupPolicy", fsGroupPolicy, FS_POLICIES));
  errors.push(
    ...tokenErrors(tokenRequests),
    ...modes
      .filter((mode) => !MODES.includes(mode))
      .map((mode) => notSupported("spec.volumeLifecycleModes", mode, MODES)),
  );
  if (period !== undefined && period < 10)
    errors.push(
      invalid("spec.nodeAllocatableUpdatePeriodSeconds", period, "must be greater than or equal to 10 seconds"),
    );
  const secret = spec.serviceAccountTokenInSecrets;
  if (secret !== undefined && tokenRequests.length === 0)
    errors.push(
      invalid(
        "spec.serviceAccountTokenInSecrets",
        secret,
        "serviceAccountTokenInSecrets is set but no tokenRequests are specified",
      ),
    );
  return errors;
}

function tokenErrors(requests: readonly TokenRequest[]): FieldError[] {
  return requests.flatMap(({ audience, expirationSeconds: seconds }, index) => {
    const at = `spec.tokenRequests[${String(index)}]`;
    if (requests.findIndex((each) => each.audience === audience) < index)
      return [duplicate(`${at}.audience`, audience)];
    if (seconds === undefined) return [];
    if (seconds < SHORTEST_TOKEN)
      return [invalid(`${at}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes")];
    return seconds > 2 ** 32
      ? [invalid(`${at}.expirationSeconds`, seconds, "may not specify a duration larger than 2^32 seconds")]
      : [];
  });
}

/** Errors of a changed CSIDriver. */
export function validateCsiDriverUpdate(driver: CSIDriver, old: CSIDriver): FieldError[] {
  return [
    ...validateCsiDriver(driver),
    ...immutable("spec.attachedRequired", driver.spec.attachRequired, old.spec.attachRequired),
    ...immutable("spec.volumeLifecycleModes", driver.spec.volumeLifecycleModes, old.spec.volumeLifecycleModes),
  ];
}

/** Errors of a CSIStorageCapacity. */
export function validateCapacity({ nodeTopology, storageClassName, capacity }: CSIStorageCapacity): FieldError[] {
  return [
    ...selectorErrors(nodeTopology, "nodeTopology"),
    ...dnsSubdomain("storageClassName", storageClassName),
    ...(capacity === undefined ? [] : nonNegativeQuantity("capacity", capacity)),
  ];
}

/** Errors of a changed CSIStorageCapacity. */
export function validateCapacityUpdate(each: CSIStorageCapacity, old: CSIStorageCapacity): FieldError[] {
  return [
    ...validateCapacity(each),
    ...selectorImmutable("nodeTopology", each.nodeTopology, old.nodeTopology),
    ...immutable("storageClassName", each.storageClassName, old.storageClassName),
  ];
}

/** Errors of a VolumeAttributesClass. */
export function validateAttributesClass(each: VolumeAttributesClass): FieldError[] {
  return [...provisioner("driverName", each.driverName), ...parameters(each.parameters, false)];
}

/** Errors of a changed VolumeAttributesClass: all of it stays. */
export function validateAttributesClassUpdate(each: VolumeAttributesClass, old: VolumeAttributesClass): FieldError[] {
  const changed = (["driverName", "parameters"] as const)
    .filter((key) => !sameValue(each[key], old[key]))
    .map((key) => forbidden(key, `updates to ${key} are forbidden.`));
  return [...changed, ...validateAttributesClass(each)];
}
