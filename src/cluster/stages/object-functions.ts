import { formatTime } from "../../meta/time.js";
import type { SimulatedNode } from "../nodes/simulated-node.js";
import type { objectFunctions } from "./read-stages.js";
import type { TemplateFunction } from "./template/template-functions.js";

interface AnyObject {
  readonly metadata?:
    | {
        readonly name?: string | undefined;
        readonly namespace?: string | undefined;
        readonly uid?: string | undefined;
      }
    | undefined;
  readonly spec?: unknown;
  readonly status?: unknown;
}

const condition = (type: string, status: string, reason: string, message: string): object => ({
  type,
  status,
  reason,
  message,
});
const nodeConditions = [
  condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
  condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
  condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
  condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
  condition("NetworkUnavailable", "False", "RouteCreated", "RouteController created a route"),
];

/** Creates the functions of templates that depend on the object and the nodes. */
export function createObjectFunctions(
  object: AnyObject,
  machines: ReadonlyMap<string, SimulatedNode>,
  nowMs: number,
): Record<(typeof objectFunctions)[number], TemplateFunction> {
  const { name = "", namespace = "", uid = "" } = object.metadata ?? {};
  const { nodeName = "", hostNetwork = false } = (object.spec ?? {}) as { nodeName?: string; hostNetwork?: boolean };
  const nodeIp = (node: unknown): string => machines.get(String(node))?.hostIp ?? "";
  const podIp = (node: unknown, onHost: unknown): string => {
    if (onHost === true) return nodeIp(node);
    const { podIP } = (object.status ?? {}) as { podIP?: string };
    return podIP ?? machines.get(String(node))?.stagedIp(`${namespace}/${name}`, uid) ?? "";
  };
  const listed = (address: string): string[] => (address === "" ? [] : [address]);
  const ownNode = machines.has(name) ? name : nodeName;
  return {
    NodeConditions: () => nodeConditions,
    NodeIP: () => nodeIp(ownNode),
    NodeIPWith: nodeIp,
    NodeIPsWith: (node) => listed(nodeIp(node)),
    NodeName: () => ownNode,
    NodePort: () => 10_250,
    Now: () => formatTime(nowMs),
    PodIP: () => podIp(nodeName, hostNetwork),
    PodIPWith: podIp,
    PodIPsWith: (node, onHost) => listed(podIp(node, onHost)),
    StartTime: () => formatTime(nowMs),
    Version: () => "kubestream",
  };
}
