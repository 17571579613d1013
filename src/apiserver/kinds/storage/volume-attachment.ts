import type { VolumeAttachment, VolumeError } from "../../../kinds/storage/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { volumeSpecErrors } from "../core/volume/persistent-volume.js";
import { driverName } from "../core/volume/volume-errors.js";
import * as check from "../shared/checks.js";
import { forbidden, required, tooLong } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { allMetadata } from "../shared/metadata-rules.js";
import { mostBytes, sizeOfMap } from "./parameters.js";

const mostMessage = 1024;

function validate({ spec, status }: VolumeAttachment): FieldError[] {
  return [
    ...driverName("spec.attacher", spec.attacher),
    ...sourceErrors(spec.source, "spec.source"),
    ...check.dnsSubdomain("spec.nodeName", spec.nodeName),
    ...(sizeOfMap(status?.attachmentMetadata) > mostBytes ? [tooLong("status.attachmentMetadata", mostBytes)] : []),
    ...problemErrors(status?.attachError, "status.attachError"),
    ...problemErrors(status?.detachError, "status.detachError"),
  ];
}

function sourceErrors(source: VolumeAttachment["spec"]["source"], at: string): FieldError[] {
  const { inlineVolumeSpec: inline, persistentVolumeName: name } = source;
  const field = `${at}.persistentVolumeName`;
  const names = name === undefined ? [] : check.dnsSubdomain(field, name);
  const exactly = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (inline !== undefined && name !== undefined) return [forbidden(at, exactly), ...names];
  if (inline !== undefined) return volumeSpecErrors(inline, `${at}.inlineVolumeSpec`);
  if (name === undefined) return [required(at, exactly)];
  return name === "" ? [required(field), ...names] : names;
}

function problemErrors(error: VolumeError | undefined, at: string): FieldError[] {
  return [
    ...((error?.message ?? "").length > mostMessage ? [tooLong(`${at}.message`, mostMessage)] : []),
    ...check.nonNegative(`${at}.errorCode`, error?.errorCode),
  ];
}

function validateUpdate(attachment: VolumeAttachment, old: VolumeAttachment): FieldError[] {
  return [...validate(attachment), ...check.immutable("spec", attachment.spec, old.spec)];
}

export const volumeAttachment: KindDefinition = defineBuiltin<VolumeAttachment>({
  resource: "storage.k8s.io/volumeattachments",
  requiresVersionOnUpdate: true,
  metadata: { checkedAsNew: "everywhere", keptByStatus: allMetadata },
  deletion: { returnsObject: true },
  prepare: {
    create(attachment) {
      attachment.status = { attached: false };
    },
  },
  validate: { create: validate, update: validateUpdate, status: validateUpdate },
  printer: {
    columns: "Attacher/name,PV,Node,Attached:boolean,Age",
    cells: ({ spec, status }, age) => [
      spec.attacher,
      spec.source.persistentVolumeName ?? "",
      spec.nodeName,
      status?.attached ?? false,
      age,
    ],
  },
});
