import type { PersistentVolume } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { provisionedBy } from "./annotations.js";

type Volume = DeepReadonly<PersistentVolume>;

/** Action on a volume whose claim is gone, or the reason and message with which it fails. */
export type Reclamation = "delete" | "keep" | "recycle" | { readonly reason: string; readonly message: string };

/** Returns what the reclaim policy of a volume requires when its claim is gone. */
export function reclamationOf(volume: Volume): Reclamation {
  const { persistentVolumeReclaimPolicy, hostPath, nfs } = volume.spec ?? {};
  if (persistentVolumeReclaimPolicy === "Delete") return deletionOf(volume);
  if (persistentVolumeReclaimPolicy !== "Recycle") return "keep";
  return (hostPath ?? nfs)
    ? "recycle"
    : { reason: "VolumeFailedRecycle", message: "No recycler plugin found for the volume!" };
}

/** A provisioner deletes what it created. Of other volumes, only those in directories for temporary files can be deleted. */
function deletionOf({ metadata, spec }: Volume): Reclamation {
  if (metadata?.annotations?.[provisionedBy]) return "delete";
  if (spec?.csi !== undefined) return "keep";
  const path = spec?.hostPath?.path;
  if (path !== undefined && /\/tmp\/.+/.test(path)) return "delete";
  const message =
    path === undefined
      ? `error getting deleter volume plugin for volume "${metadata?.name}": no deletable volume plugin matched`
      : `host_path deleter only supports /tmp/.+ but received provided ${path}`;
  return { reason: "VolumeFailedDelete", message };
}
