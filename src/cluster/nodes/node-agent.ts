import type { Resource } from "../../client/resource/resource.js";
import { isAlreadyExists, isConflict, isNotFound } from "../../errors/predicates.js";
import type { Timer } from "../../internal/clock.js";
import { Lease } from "../../kinds/coordination/v1.js";
import { Node, type NodeCondition, type NodeStatus, type Taint } from "../../kinds/core/v1.js";
import type { DeepReadonly, KubernetesObject } from "../../meta/object.js";
import { formatMicroTime, formatTime } from "../../meta/time.js";
import { createOrUpdate } from "../../objects/create-or-update.js";
import { ownerReference } from "../../objects/owner-references.js";
import type { ClusterContext } from "../controllers/context.js";
import { attachedByController } from "../controllers/shared/attached-volumes.js";
import type { SimulatedNode } from "./simulated-node.js";

/** Description of a simulated node. */
export interface NodeTemplate {
  /** Name of the node. */
  readonly name: string;
  /** Labels in addition to the well-known ones. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Taints. */
  readonly taints?: readonly DeepReadonly<Taint>[] | undefined;
  /** Resources, such as `{ cpu: "8", memory: "32Gi", pods: "110" }`. Missing ones have these values. */
  readonly capacity?: Readonly<Record<string, string>> | undefined;
}

/** The part of a simulated node that registers it and renews its lease. */
export interface NodeAgent {
  /** Creates the node, and starts the heartbeats. */
  start(): Promise<void>;
  /** Starts the heartbeats of a node that exists. */
  resume(): Promise<void>;
  /** Stops the heartbeats, like a machine that fails. The objects stay. */
  stop(): void;
}

/** Period of the heartbeats, and time after which a lease expires. */
const renewMs = 10_000;
const leaseSeconds = 40;
/** Period of the reports of the node's status. */
const reportMs = 300_000;
const defaultCapacity = { cpu: "8", memory: "32Gi", "ephemeral-storage": "100Gi", pods: "110" };

/** Options for `createNodeAgent`. */
export interface NodeAgentOptions {
  readonly template: NodeTemplate;
  readonly machine: SimulatedNode;
  /** True if no controller removes the taint that the server gives to a new node. */
  readonly removesStartTaint: boolean;
}

/** Creates the agent of a node. */
export function createNodeAgent(context: ClusterContext, options: NodeAgentOptions): NodeAgent {
  const { template, machine, removesStartTaint } = options;
  const { client, clock } = context;
  const nodes = client.resource(Node);
  const leases = client.resource(Lease).namespace("kube-node-lease");
  const { name } = template;
  const timers = new Map<() => Promise<void>, Timer>();
  let node: Node | undefined;
  let lease: Lease | undefined;
  let registered = false;

  const renew = async (): Promise<void> => {
    const spec = {
      holderIdentity: name,
      leaseDurationSeconds: leaseSeconds,
      renewTime: formatMicroTime(clock.now()),
    };
    if (lease !== undefined) {
      try {
        lease = await leases.update({ ...lease, spec });
        return;
      } catch (error) {
        // It was changed or deleted by others.
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
    lease = await createFirst(leases, name, (existing) => {
      existing.metadata = { ...existing.metadata, ...(node && { ownerReferences: [ownerReference(node)] }) };
      existing.spec = spec;
    });
  };
  const report = async (): Promise<void> => {
    // Like a kubelet's, the patch leaves the conditions of others, and doesn't conflict with writes of others.
    const status = statusOf(template, machine, node?.status, clock.now());
    node = await nodes.subresource("status").patch(name, { type: "strategic", patch: { status } });
  };
  /** Removes the taint that the server gives to a new node. */
  const removeStartTaint = async (): Promise<void> => {
    const taints = node?.spec?.taints?.filter(({ key }) => key !== "node.kubernetes.io/not-ready") ?? [];
    if (taints.length === (node?.spec?.taints?.length ?? 0)) return;
    await nodes.patch(name, { type: "merge", patch: { spec: { taints: taints.length > 0 ? taints : null } } });
  };
  const repeat = (work: () => Promise<void>, everyMs: number): void => {
    const run = (): void => {
      // Unless the heartbeats were stopped, or started again, while the work was running.
      const again = (): void => {
        if (timers.get(work) === timer) repeat(work, everyMs);
      };
      // A failure is repaired by the next heartbeat.
      work().then(again, again);
    };
    const timer = clock.setTimer(run, everyMs, { upkeep: true });
    timers.set(work, timer);
  };
  const startHeartbeats = (): void => {
    registered = true;
    repeat(renew, renewMs);
    repeat(report, reportMs);
  };
  return {
    async resume() {
      [node, lease] = await Promise.all([nodes.getOptional(name), leases.getOptional(name)]);
      startHeartbeats();
    },
    async start() {
      node = await createFirst(nodes, name, (existing) => {
        const { metadata } = existing;
        existing.metadata = {
          ...metadata,
          labels: { ...metadata?.labels, ...labelsOf(template) },
          annotations: { ...metadata?.annotations, [attachedByController]: "true" },
        };
        const { podRange } = machine;
        existing.spec ??= {
          podCIDR: podRange,
          podCIDRs: [podRange],
          ...(template.taints && { taints: structuredClone(template.taints) as Taint[] }),
        };
        // Only a new node takes it over.
        existing.status = statusOf(template, machine, existing.status, clock.now());
      });
      await report();
      await renew();
      if (removesStartTaint && !registered) await removeStartTaint();
      startHeartbeats();
    },
    stop() {
      for (const timer of timers.values()) timer.cancel();
      timers.clear();
    },
  };
}

/** Creates an object, or changes the one that exists. Like a kubelet's registration, it reads nothing if it needn't. */
async function createFirst<T extends KubernetesObject>(
  handle: Pick<Resource<T>, "get" | "create" | "update" | "patch" | "description">,
  name: string,
  change: (object: T) => void,
): Promise<T> {
  const wanted = { metadata: { name } } as T;
  change(wanted);
  try {
    return await handle.create(wanted as never);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return (await createOrUpdate(handle, name, change)).object;
  }
}

function labelsOf({ name, labels }: NodeTemplate): Record<string, string> {
  return {
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
    "kubernetes.io/arch": "amd64",
    "beta.kubernetes.io/os": "linux",
    "beta.kubernetes.io/arch": "amd64",
    ...labels,
  };
}

function statusOf(
  { name, capacity: given }: NodeTemplate,
  { hostIp, kubeletPort }: SimulatedNode,
  old: NodeStatus | undefined,
  nowMs: number,
): NodeStatus {
  const capacity = { ...defaultCapacity, ...given };
  const time = formatTime(nowMs);
  const condition = (type: string, status: string, reason: string, message: string): NodeCondition => {
    const known = old?.conditions?.find((other) => other.type === type);
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime! : time;
    return { type, status, reason, message, lastHeartbeatTime: time, lastTransitionTime };
  };
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: "InternalIP", address: hostIp },
      // An API server may try this address first, so it has to lead to the kubelet.
      { type: "Hostname", address: kubeletPort === undefined ? name : hostIp },
    ],
    conditions: [
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
      condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
      condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort ?? 10_250 } },
    declaredFeatures: [
      // Without it, an API server since 1.36 translates WebSockets of clients to SPDY, like older ones.
      ...(kubeletPort === undefined ? [] : ["ExtendWebSocketsToKubelet"]),
      "InPlacePodLevelResourcesVerticalScaling",
      "InPlacePodVerticalScalingInitContainers",
      "RestartAllContainersOnContainerExits",
    ],
    nodeInfo: {
      architecture: "amd64",
      bootID: "",
      containerRuntimeVersion: "kubestream://1",
      kernelVersion: "",
      kubeProxyVersion: "",
      kubeletVersion: "v1.36.3",
      machineID: "",
      operatingSystem: "linux",
      osImage: "",
      systemUUID: "",
    },
  };
}
