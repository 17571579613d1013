import type { ObjectMeta } from "../../../../meta/object.js";

/** Deprecated annotation for the storage class. */
export const oldClassAnnotation = "volume.beta.kubernetes.io/storage-class";

/** Returns a warning if a volume or claim uses the deprecated annotation. */
export function classWarnings(metadata: ObjectMeta | undefined): string[] {
  return metadata?.annotations?.[oldClassAnnotation] === undefined
    ? []
    : [`metadata.annotations[${oldClassAnnotation}]: deprecated since v1.8; use "storageClassName" instead`];
}

/** Adds a finalizer in place, unless it exists. */
export function addFinalizer(object: { metadata?: ObjectMeta | undefined }, name: string): void {
  const metadata = (object.metadata ??= {});
  if (metadata.finalizers?.includes(name) !== true) metadata.finalizers = [...(metadata.finalizers ?? []), name];
}

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

/** Formats access modes for tables. */
export function accessModesText(modes: readonly string[] | undefined): string {
  return Object.entries(shortModes)
    .flatMap(([mode, short]) => (modes?.includes(mode) === true ? [short] : []))
    .join(",");
}
