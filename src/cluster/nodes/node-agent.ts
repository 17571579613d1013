import type { Timer } from "../../internal/clock.js";
import { Lease } from "../../kinds/coordination/v1.js";
import { Node, type NodeCondition, type NodeStatus, type Taint } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { formatMicroTime, formatTime } from "../../meta/time.js";
import { createOrUpdate } from "../../objects/create-or-update.js";
import { ownerReference } from "../../objects/owner-references.js";
import type { ClusterContext } from "../controllers/context.js";

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
  /** Stops the heartbeats, like a machine that fails. The objects stay. */
  stop(): void;
}

/** Period of the heartbeats, and time after which a lease expires. */
const renewMs = 10_000;
const leaseSeconds = 40;
const defaultCapacity = { cpu: "8", memory: "32Gi", "ephemeral-storage": "100Gi", pods: "110" };

/** Creates the agent of a node. `index` is the number of the node, which determines its addresses. */
export function createNodeAgent(context: ClusterContext, template: NodeTemplate, index: number): NodeAgent {
  const { client, clock } = context;
  const nodes = client.resource(Node);
  const leases = client.resource(Lease).namespace("kube-node-lease");
  const { name } = template;
  let heartbeat: Timer | undefined;
  let node: Node | undefined;

  const renew = async (): Promise<void> => {
    await createOrUpdate(leases, name, (lease) => {
      lease.metadata = { ...lease.metadata, ...(node && { ownerReferences: [ownerReference(node)] }) };
      lease.spec = {
        holderIdentity: name,
        leaseDurationSeconds: leaseSeconds,
        renewTime: formatMicroTime(clock.now()),
      };
    });
  };
  const arm = (): void => {
    // A failed renewal is repeated with the next heartbeat.
    heartbeat = clock.setTimer(() => void renew().then(arm, arm), renewMs, { upkeep: true });
  };
  return {
    async start() {
      const { object } = await createOrUpdate(nodes, name, (existing) => {
        existing.metadata = { ...existing.metadata, labels: { ...existing.metadata?.labels, ...labelsOf(template) } };
        const podCIDR = `10.244.${index}.0/24`;
        existing.spec ??= {
          podCIDR,
          podCIDRs: [podCIDR],
          ...(template.taints && { taints: structuredClone(template.taints) as Taint[] }),
        };
      });
      node = await nodes.subresource("status").update(name, (fresh) => {
        fresh.status = { ...fresh.status, ...statusOf(template, index, clock.now()) };
      });
      node = { ...object, ...node };
      await renew();
      arm();
    },
    stop() {
      heartbeat?.cancel();
    },
  };
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

function statusOf({ name, capacity: given }: NodeTemplate, index: number, nowMs: number): NodeStatus {
  const capacity = { ...defaultCapacity, ...given };
  const time = formatTime(nowMs);
  const condition = (type: string, status: string, reason: string, message: string): NodeCondition => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  });
  return {
    capacity,
    allocatable: capacity,
    addresses: [
      { type: "InternalIP", address: `172.18.${index >> 8}.${(index & 255) + 2}` },
      { type: "Hostname", address: name },
    ],
    conditions: [
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
      condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
      condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
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
