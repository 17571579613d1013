/**
 * Folder of a group under kinds/: the group's name up to the first dot, `core` for the core group, and as in the Go
 * packages where that says nothing (`internal.apiserver.k8s.io` is `apiserverinternal`).
 */
export function folderOf(group: string): string {
  if (group === "") return "core";
  if (group === "internal.apiserver.k8s.io") return "apiserverinternal";
  return group.split(".")[0] ?? group;
}

/** Place of a definition: the folder and version of its group, and the type's own name. */
export interface Home {
  folder: string;
  version: string;
  type: string;
}

/** The home of a definition as `io.k8s.api.core.v1.PodSpec`; undefined for apimachinery's, which are hand-written in meta/. */
export function homeOf(definition: string): Home | undefined {
  if (definition.startsWith("io.k8s.apimachinery.")) return undefined;
  const [type, version, folder] = definition.split(".").reverse();
  if (type === undefined || version === undefined || folder === undefined)
    throw new Error(`cannot place ${definition}`);
  return { folder, version, type };
}
