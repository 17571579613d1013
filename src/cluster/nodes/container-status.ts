import type { Container, ContainerStatus, VolumeMount, VolumeMountStatus } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { ContainerPlayer } from "./containers/container-player.js";
import type { PodResources } from "./pod-resources.js";

/** State of a container on a node. */
export interface ContainerState {
  /** Player of the container; `undefined` before its first start. */
  readonly player: ContainerPlayer | undefined;
  readonly resources: Pick<PodResources, "allocated" | "actual">;
  /** Reason with which a container waits that isn't created yet. */
  readonly defaultWaiting: string;
  readonly isInit: boolean;
}

/** Returns the status of a container. */
export function containerStatus(
  container: DeepReadonly<Container>,
  { player, resources: amounts, defaultWaiting, isInit }: ContainerState,
): ContainerStatus {
  const { name, image = "", volumeMounts = [] } = container;
  const state = player?.state ?? { waiting: { reason: defaultWaiting } };
  const last = player?.lastTerminated;
  const hasId = player !== undefined && player.id !== "";
  const completed = isInit && "terminated" in state && state.terminated.exitCode === 0;
  const isUp = "running" in state;
  const allocated = amounts.allocated(container);
  const resources = isUp ? amounts.actual(container) : allocated;
  return {
    name,
    state,
    lastState: last === undefined ? {} : { terminated: last },
    ready: completed || player?.ready === true,
    restartCount: player?.runs.restartCount ?? 0,
    image,
    imageID: hasId ? imageId(image) : "",
    ...(hasId && { containerID: player.id }),
    started: isUp && player?.started === true,
    ...(hasId && allocated.requests && { allocatedResources: { ...allocated.requests } }),
    ...(hasId && { resources: resources as NonNullable<ContainerStatus["resources"]> }),
    ...(volumeMounts.length > 0 && { volumeMounts: volumeMounts.map(mountStatus) }),
  };
}

function mountStatus({ name, mountPath, readOnly, recursiveReadOnly }: DeepReadonly<VolumeMount>): VolumeMountStatus {
  if (readOnly !== true) return { name, mountPath };
  const isRecursive = recursiveReadOnly === "Enabled" || recursiveReadOnly === "IfPossible";
  return { name, mountPath, readOnly, recursiveReadOnly: isRecursive ? "Enabled" : "Disabled" };
}

const imageIds = new Map<string, string>();

/** Returns a stable identifier for an image, in the form of a digest. */
function imageId(image: string): string {
  let id = imageIds.get(image);
  if (id === undefined) {
    let digest = "";
    for (let part = 0; part < 8; part++) {
      let hash = 0x811c9dc5 + part;
      for (let index = 0; index < image.length; index++)
        hash = Math.imul(hash ^ image.charCodeAt(index), 0x01000193) >>> 0;
      digest += hash.toString(16).padStart(8, "0");
    }
    const name = image.lastIndexOf("/") + 1;
    id = `${image.slice(0, name)}${image.slice(name).replace(/[:@].*/s, "")}@sha256:${digest}`;
    if (imageIds.size < 10_000) imageIds.set(image, id);
  }
  return id;
}
