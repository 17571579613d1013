import type { PersistentVolumeClaim, Pod, Service } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { compareQuantities, formatQuantity, type ParsedQuantity, parseQuantity } from "../../../meta/quantity.js";
import { parseTime } from "../../../meta/time.js";
import { addAmount, podTotals, type Totals } from "../shared/pod-totals.js";
import { isFinished } from "../shared/pods.js";

/** Amounts by the names that a quota limits. */
export type Usage = Totals;

const one = parseQuantity("1");
/** Resources that a quota can name without a prefix for their requests. */
const plain = new Set(["cpu", "memory", "ephemeral-storage"]);

/** Adds an amount to a usage. */
export function addUsage(usage: Usage, name: string, amount: ParsedQuantity = one): void {
  addAmount(usage, name, amount);
}

/**
 * Returns true for a pod that uses resources: it hasn't ended, and isn't stuck after its deletion, such as on a lost node.
 */
export function isCharged(pod: DeepReadonly<Pod>, nowMs: number): boolean {
  if (isFinished(pod)) return false;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata ?? {};
  const deletedMs = parseTime(deletionTimestamp)?.getTime() ?? Number.POSITIVE_INFINITY;
  return nowMs <= deletedMs + deletionGracePeriodSeconds * 1_000;
}

/** Adds what a pod uses that runs or will run. */
export function addPod(usage: Usage, { spec }: DeepReadonly<Pod>): void {
  addUsage(usage, "pods");
  for (const [name, amount] of podTotals(spec!, "requests")) {
    addUsage(usage, `requests.${name}`, amount);
    if (plain.has(name) || name.startsWith("hugepages-")) addUsage(usage, name, amount);
  }
  for (const [name, amount] of podTotals(spec!, "limits")) addUsage(usage, `limits.${name}`, amount);
}

/** Adds what a Service uses. */
export function addService(usage: Usage, { spec }: DeepReadonly<Service>): void {
  addUsage(usage, "services");
  const ports = spec?.ports ?? [];
  const isBalanced = spec?.type === "LoadBalancer";
  if (isBalanced) addUsage(usage, "services.loadbalancers");
  if (!isBalanced && spec?.type !== "NodePort") return;
  const counted =
    isBalanced && spec?.allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort }) => nodePort) : ports;
  addUsage(usage, "services.nodeports", parseQuantity(String(counted.length)));
}

/** Adds what a claim uses: the larger one of the requested and the allocated storage. */
export function addClaim(usage: Usage, { metadata, spec, status }: DeepReadonly<PersistentVolumeClaim>): void {
  const requested = spec?.resources?.requests?.["storage"];
  const allocated = status?.allocatedResources?.["storage"];
  const storage =
    allocated !== undefined && (requested === undefined || compareQuantities(allocated, requested) > 0)
      ? allocated
      : requested;
  const className = metadata?.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? "";
  const prefix = `${className}.storageclass.storage.k8s.io/`;
  addUsage(usage, "count/persistentvolumeclaims");
  for (const each of className === "" ? [""] : ["", prefix]) {
    addUsage(usage, `${each}persistentvolumeclaims`);
    if (storage !== undefined) addUsage(usage, `${each}requests.storage`, wholeBytes(parseQuantity(storage)));
  }
}

/** Rounds an amount up to whole bytes. */
function wholeBytes(amount: ParsedQuantity): ParsedQuantity {
  if (amount.exponent >= 0) return amount;
  const unit = 10n ** BigInt(-amount.exponent);
  return { ...amount, digits: (amount.digits + unit - 1n) / unit, exponent: 0 };
}

/** Returns the used amount of each limited name, in the notation of quantities. */
export function usedOf(usage: Usage, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => {
      const amount = usage.get(name);
      return [name, amount === undefined ? "0" : formatQuantity(amount)];
    }),
  );
}
