import type { ObjectMeta } from "../../../../meta/object.js";

/** Annotation that named the storage class before there was a field. */
export const OLD_CLASS = "volume.beta.kubernetes.io/storage-class";

/** Returns a warning if a volume or claim names its storage class by annotation. */
export function classWarnings(metadata: ObjectMeta | undefined): string[] {
  return metadata?.annotations?.[OLD_CLASS] === undefined
    ? []
    : [`metadata.annotations[${OLD_CLASS}]: deprecated since v1.8; use "storageClassName" instead`];
}

/** Adds a finalizer that is not there yet, in place. */
export function addFinalizer(object: { metadata?: ObjectMeta }, name: string): void {
  const metadata = (object.metadata ??= {});
  if (metadata.finalizers?.includes(name) !== true) metadata.finalizers = [...(metadata.finalizers ?? []), name];
}

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** Returns access modes as tables show them. */
export function accessModesText(modes: readonly string[] | undefined): string {
  return Object.entries(shortModes)
    .flatMap(([mode, short]) => (modes?.includes(mode) === true ? [short] : []))
    .join(",");
}
