import type { ServedResource } from "./resources.js";

/** Returns the key of an object in etcd, as errors name it. Errors of dry runs omit the prefix. */
export function storageKey({ storagePath }: ServedResource, key: string, dryRun = false): string {
  return `${dryRun ? "" : "/registry"}/${storagePath}/${key}`;
}
