import type { Controller } from "../../controller/reconcile/controller.js";
import { createController } from "../../controller/reconcile/create-controller.js";
import { isNotFound } from "../../errors/predicates.js";
import { type Container, type ContainerStatus, Pod, type PodCondition, type PodStatus } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { formatTime } from "../../meta/time.js";
import type { ClusterContext } from "../controllers/context.js";
import { isFinished } from "../controllers/shared/pods.js";
import { writeStatus } from "../controllers/shared/write-status.js";

/** Options for `createKubelets`. */
export interface KubeletOptions {
  /** Returns the address of a running node by its name; `undefined` for a node that isn't simulated or is down. */
  readonly hostIp: (node: string) => string | undefined;
  /** Returns an unused pod address of a node. */
  readonly allocateIp: (node: string) => string;
}

/**
 * Creates the controller that plays the kubelets of all simulated nodes: it starts the containers of pods that are
 * assigned to a node, and completes the deletion of pods.
 */
export function createKubelets(context: ClusterContext, { hostIp, allocateIp }: KubeletOptions): Controller {
  const { client, clock, log } = context;
  return createController({
    name: "kubelet",
    for: client.resource(Pod),
    predicates: [({ object }) => object.spec?.nodeName !== undefined],
    concurrency: 16,
    clock,
    log,
    async reconcile({ namespace, name }, call) {
      const { object: pod, signal } = call;
      const host = hostIp(pod?.spec?.nodeName ?? "");
      if (pod === undefined || host === undefined) return;
      const pods = client.resource(Pod).namespace(namespace);
      if (pod.metadata?.deletionTimestamp !== undefined) {
        const preconditions = { uid: pod.metadata.uid! };
        await pods.delete(name, { gracePeriodSeconds: 0, preconditions, signal }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
        return;
      }
      if (isFinished(pod)) return;
      const podIP = pod.status?.podIP ?? allocateIp(pod.spec!.nodeName!);
      await writeStatus<Pod>(pods, pod, runningStatus(pod, { host, podIP, nowMs: clock.now() }), call);
    },
  });
}

/** Returns the status of a pod whose containers all run. */
function runningStatus(
  pod: DeepReadonly<Pod>,
  { host, podIP, nowMs }: { host: string; podIP: string; nowMs: number },
): PodStatus {
  const now = formatTime(nowMs);
  const old = structuredClone(pod.status ?? {}) as PodStatus;
  const condition = (type: string): PodCondition => {
    const known = old.conditions?.find((other) => other.type === type);
    return known?.status === "True" ? known : { type, status: "True", lastTransitionTime: now };
  };
  const container = ({ name, image = "" }: DeepReadonly<Container>): ContainerStatus => ({
    name,
    image,
    imageID: `${image}@sha256:0`,
    containerID: `kubestream://${pod.metadata!.uid!}/${name}`,
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: old.startTime ?? now } },
  });
  const scheduled = old.conditions?.filter(({ type }) => type === "PodScheduled") ?? [];
  return {
    ...old,
    phase: "Running",
    hostIP: host,
    hostIPs: [{ ip: host }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: old.startTime ?? now,
    observedGeneration: pod.metadata!.generation!,
    conditions: [
      ...["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"].map(condition),
      ...scheduled,
    ],
    containerStatuses: (pod.spec?.containers ?? []).map(container),
  };
}
