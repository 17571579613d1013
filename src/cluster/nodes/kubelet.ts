import type { Change } from "../../cache/store/change.js";
import type { Client } from "../../client/client.js";
import type { Controller } from "../../controller/reconcile/controller.js";
import { createController } from "../../controller/reconcile/create-controller.js";
import { isNotFound } from "../../errors/predicates.js";
import { Node, Pod, Service } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import type { ClusterContext } from "../controllers/context.js";
import { isFinished } from "../controllers/shared/pods.js";
import { writeStatus } from "../controllers/shared/write-status.js";
import type { ImageScript } from "./containers/images.js";
import { recordNodeEvents } from "./node-events.js";
import { findMismatch, findShortage } from "./node-room.js";
import type { PodHost } from "./pod-host.js";
import { compareResizes } from "./resize-order.js";
import type { SavedNode, SimulatedNode } from "./simulated-node.js";
import { WrittenStatuses } from "./written-statuses.js";

/** Options for `createKubelets`. */
export interface KubeletOptions {
  /** Nodes by name. */
  readonly nodes: ReadonlyMap<string, SimulatedNode>;
  /** Returns the script of an image. */
  readonly script: (image: string) => ImageScript;
  /** Declared stages, which some pods are left to. */
  readonly stages: PodStages;
}

/** Declared stages for pods. */
export interface PodStages {
  /** True if stages for pods are declared. */
  readonly declared: boolean;
  /** Returns true for a pod that is left to stages: from the first time that it matches one. */
  takes(pod: DeepReadonly<Pod>, node: SimulatedNode): boolean;
  /** Returns true for a deleted pod whose removal is left to a stage. */
  removes(pod: DeepReadonly<Pod>): boolean;
}

/** The kubelets of the simulated nodes. */
export interface Kubelets {
  /** Controller that syncs pods with their nodes. */
  readonly controller: Controller;
  /** Brings the pods of a node up to date after it was away. */
  resync(node: string): void;
  /** Resumes the nodes from the states of a snapshot. */
  resume(states: ReadonlyMap<string, SavedNode>): void;
  /** Ends all pods without a trace. */
  stop(): void;
}

/**
 * Creates the kubelets of all simulated nodes, which play the containers of the pods assigned to their node, and report
 * and delete these pods.
 */
export function createKubelets(context: ClusterContext, options: KubeletOptions): Kubelets {
  const { nodes, script, stages } = options;
  const { client, clock, log } = context;
  const pods = context.cache(Pod);
  const machines = context.cache(Node);
  const stopEvents = recordNodeEvents(context, nodes);
  const places = new Map<string, SimulatedNode>();
  /** UID of the pod whose player takes over a new version, after which its status is written anyway. */
  let updating: string | undefined;
  const changed = ({ metadata }: DeepReadonly<Pod>): void => {
    if (metadata!.uid !== updating) controller.enqueue({ namespace: metadata!.namespace!, name: metadata!.name! });
  };
  const written = new WrittenStatuses();
  const object = (name: string): DeepReadonly<Node> | undefined => machines.store.get(name);
  const hosts = new Map(
    [...nodes.values()].map((node) => [node.name, podHost({ context, node, script, changed, object })]),
  );

  const controller = createController({
    name: "kubelet",
    for: client.resource(Pod),
    predicates: [({ object }) => object.spec?.nodeName !== undefined, (change) => !isIdle(change, written, options)],
    concurrency: 16,
    clock,
    log,
    async reconcile({ namespace, name }, call) {
      const { object: pod } = call;
      const key = `${namespace}/${name}`;
      const node = nodes.get(pod?.spec?.nodeName ?? "");
      if (node === undefined || pod === undefined) {
        const place = places.get(key);
        if (place?.state === "partitioned") return;
        written.forget(place?.player(key)?.uid ?? "");
        place?.drop(key);
        places.delete(key);
        if (place !== undefined) hosts.get(place.name)?.freed();
        return;
      }
      if (node.state !== "up") return;
      const handle = client.resource(Pod).namespace(namespace);
      const remove = (): Promise<void> => removePod(client, pod, call.signal);
      const isDeleted = pod.metadata?.deletionTimestamp !== undefined;
      if (isFinished(pod) && node.player(key)?.uid !== pod.metadata!.uid) {
        if (isDeleted) await remove();
        return;
      }
      if (stages.takes(pod, node)) {
        places.set(key, node);
        if (isDeleted && !stages.removes(pod)) await remove();
        return;
      }
      const before = places.get(key);
      // A pod of the same name ran elsewhere.
      if (before !== undefined && before !== node && before.state === "up") before.drop(key);
      places.set(key, node);
      const player = node.playerFor(key, pod, hosts.get(node.name)!);
      updating = player.uid;
      try {
        player.update(pod);
      } finally {
        updating = undefined;
      }
      // The server removes such a pod without waiting for its node.
      if (player.ended && isRemoved(pod)) return;
      const status = player.status();
      await written.during(player.uid, status, () => writeStatus<Pod>(handle, pod, status, call));
      if (player.ended && isDeleted) await remove();
    },
  });

  return {
    controller,
    resync(name) {
      for (const { metadata, spec } of pods.store.list())
        if (spec?.nodeName === name) controller.enqueue({ namespace: metadata!.namespace!, name: metadata!.name! });
      // Pods that were deleted in the absence of the node have no object that says so.
      for (const [key] of nodes.get(name)?.players ?? []) {
        const [namespace = "", pod = ""] = key.split("/");
        controller.enqueue({ namespace, name: pod });
      }
    },
    resume(states) {
      for (const node of nodes.values()) {
        const saved = states.get(node.name)!;
        node.resume(saved, hosts.get(node.name)!);
        for (const [key] of [...saved.pods, ...saved.staged]) places.set(key, node);
      }
    },
    stop() {
      stopEvents();
      for (const node of nodes.values()) node.dropAll();
    },
  };
}

/** Returns true for a change that leaves the kubelet nothing to do: its own status, or metadata alone. */
function isIdle(change: Change<Pod>, written: WrittenStatuses, { nodes, stages }: KubeletOptions): boolean {
  if (change.type !== "updated" || !written.explain(change)) return false;
  const { object: pod } = change;
  const { namespace, name, uid } = pod.metadata!;
  const player = nodes.get(pod.spec?.nodeName ?? "")?.player(`${namespace}/${name}`);
  // A status may make a stage take the pod, and a resize looks for room each time.
  if (player === undefined || player.uid !== uid || stages.declared || player.waitsForRoom) return false;
  player.acknowledge(pod);
  return true;
}

/**
 * Removes a pod whose containers have ended. A conflict is tried again: if another pod has the name, the next attempt
 * sees that one.
 */
async function removePod(client: Client, { metadata }: DeepReadonly<Pod>, signal: AbortSignal): Promise<void> {
  const { namespace = "", name = "", uid = "" } = metadata!;
  const pods = client.resource(Pod).namespace(namespace);
  await pods.delete(name, { gracePeriodSeconds: 0, preconditions: { uid }, signal }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** Returns true for a deleted pod that nothing keeps any longer. */
function isRemoved({ metadata }: DeepReadonly<Pod>): boolean {
  return metadata?.deletionGracePeriodSeconds === 0 && (metadata.finalizers ?? []).length === 0;
}

interface HostOptions {
  readonly context: ClusterContext;
  readonly node: SimulatedNode;
  readonly script: (image: string) => ImageScript;
  readonly changed: (pod: DeepReadonly<Pod>) => void;
  /** Returns the object of a node. */
  readonly object: (node: string) => DeepReadonly<Node> | undefined;
}

/** Returns the services of a node for its pods. */
function podHost({ context, node, script, changed, object }: HostOptions): PodHost {
  const { client, clock } = context;
  return {
    client,
    clock,
    script,
    node: node.name,
    hostIp: node.hostIp,
    presentImages: node.presentImages,
    async services({ metadata, spec }) {
      const informer = context.cache(Service);
      await informer.synced();
      const { store } = informer;
      const own = spec?.enableServiceLinks === false ? [] : store.list({ namespace: metadata!.namespace! });
      return [store.get("default/kubernetes"), ...own].filter((service) => service !== undefined);
    },
    allocateIp: () => node.allocateIp(),
    releaseIp: (address) => node.releaseIp(address),
    event(pod, { type, reason, note, container }) {
      if (node.state !== "up") return;
      const lists = ["containers", "initContainers", "ephemeralContainers"] as const;
      const list = lists.find((each) => pod.spec?.[each]?.some(({ name }) => name === container));
      const regarding = {
        apiVersion: "v1",
        kind: "Pod",
        namespace: pod.metadata!.namespace!,
        name: pod.metadata!.name!,
        uid: pod.metadata!.uid!,
        ...(container !== undefined && {
          // In one piece, unlike a template: many events wait to be sent.
          fieldPath: ["spec.", list, "{", container, "}"].join(""),
        }),
      };
      context.recorder("kubelet", node.name).event(regarding, { type, reason, note });
    },
    shortage: (uid, requests) => findShortage(requests, node.requests(uid), object(node.name)?.status?.allocatable),
    mismatch: (pod) => findMismatch(pod, node.otherPods(pod.metadata!.uid!), object(node.name)),
    freed() {
      const waiting = [...node.players].filter(([, player]) => player.waitsForRoom).map(([, player]) => player.pod());
      for (const pod of waiting.sort(compareResizes)) changed(pod);
    },
    changed,
  };
}
