import type { Container, ContainerStatus, VolumeMount, VolumeMountStatus } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { ReportedState } from "./containers/container-phase.js";
import type { ContainerPlayer } from "./containers/container-player.js";
import type { PodResources } from "./pod-resources.js";

/** Role of a container in its pod. */
export type ContainerRole = "init" | "sidecar" | "main" | "ephemeral";

/** State of a container on a node. */
export interface ContainerState {
  /** Player of the container; `undefined` before its first start. */
  readonly player: ContainerPlayer | undefined;
  readonly resources: Pick<PodResources, "allocated" | "actual">;
  /** Reason with which a container waits that isn't created yet. */
  readonly defaultWaiting: string;
  readonly role: ContainerRole;
}

/** Returns the status of a container. */
export function containerStatus(
  container: DeepReadonly<Container>,
  { player, resources: amounts, defaultWaiting, role }: ContainerState,
): ContainerStatus {
  const { name, image = "", volumeMounts = [] } = container;
  const state = player?.state ?? { waiting: { reason: defaultWaiting } };
  const last = player?.lastTerminated;
  const hasId = player !== undefined && player.id !== "";
  const isUp = "running" in state;
  const allocated = amounts.allocated(container);
  const resources = isUp ? amounts.actual(container) : allocated;
  return {
    name,
    state,
    lastState: last === undefined ? {} : { terminated: last },
    ready: isReady(role, state, player),
    restartCount: player?.runs.restartCount ?? 0,
    image,
    imageID: hasId ? imageId(image) : "",
    ...(hasId && { containerID: player.id }),
    ...(role !== "ephemeral" && { started: isUp && player?.started === true }),
    ...(hasId && allocated.requests && { allocatedResources: { ...allocated.requests } }),
    ...(hasId && { resources: resources as NonNullable<ContainerStatus["resources"]> }),
    ...(volumeMounts.length > 0 && { volumeMounts: volumeMounts.map(mountStatus) }),
  };
}

/** Returns true for an init container that has succeeded, and for a sidecar or main container that is ready. */
function isReady(role: ContainerRole, state: ReportedState, player: ContainerPlayer | undefined): boolean {
  if (role === "init") return "terminated" in state && state.terminated.exitCode === 0;
  return role !== "ephemeral" && player?.ready === true;
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
