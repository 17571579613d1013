import type { ParsedQuantity } from "../../meta/quantity.js";
import { addQuantities, compareQuantities, formatQuantity, parseQuantity } from "../../meta/quantity.js";

/** Amounts by resource name. */
export type ResourceList = Record<string, string>;

/** The parts of a container that admission checks. */
export interface Container {
  name: string;
  restartPolicy?: string;
  resources?: { requests?: ResourceList; limits?: ResourceList };
  ports?: { hostPort?: number }[];
  livenessProbe?: Handler;
  readinessProbe?: Handler;
  startupProbe?: Handler;
  lifecycle?: { postStart?: Handler; preStop?: Handler };
  securityContext?: SecurityContext;
}

/** A probe or lifecycle handler with a host. */
export interface Handler {
  httpGet?: { host?: string };
  tcpSocket?: { host?: string };
}

/** Security settings of a pod or container. */
export interface SecurityContext {
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  runAsNonRoot?: boolean;
  runAsUser?: number;
  procMount?: string;
  capabilities?: { add?: string[]; drop?: string[] };
  seccompProfile?: { type: string };
  appArmorProfile?: { type: string };
  seLinuxOptions?: { type?: string; user?: string; role?: string };
  windowsOptions?: { hostProcess?: boolean };
  sysctls?: { name: string }[];
}

/** The parts of a pod's spec that admission checks. */
export interface PodSpec {
  containers: Container[];
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  volumes?: (Record<string, unknown> & { name: string })[];
  resources?: { requests?: ResourceList; limits?: ResourceList };
  overhead?: ResourceList;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  hostUsers?: boolean;
  os?: { name: string };
  securityContext?: SecurityContext;
  priority?: number;
  priorityClassName?: string;
  preemptionPolicy?: string;
  activeDeadlineSeconds?: number;
  terminationGracePeriodSeconds?: number;
}

type Amounts = Map<string, ParsedQuantity>;

function add(total: Amounts, list: ResourceList | undefined): void {
  for (const [name, text] of Object.entries(list ?? {})) {
    const amount = parseQuantity(text);
    const known = total.get(name);
    total.set(name, known === undefined ? amount : addQuantities(known, amount));
  }
}

function raise(total: Amounts, floor: Amounts): void {
  for (const [name, amount] of floor) {
    const known = total.get(name);
    if (known === undefined || compareQuantities(amount, known) > 0) total.set(name, amount);
  }
}

/**
 * Returns the total requests or limits of a pod: the sum of its containers, or the largest init container plus the
 * sidecars started before it, whichever is more. Pod-level amounts override cpu, memory and huge pages.
 */
export function podAmounts(spec: PodSpec, which: "requests" | "limits"): ResourceList {
  return formatAmounts(amountsOf(spec, which));
}

/** Returns the total requests or limits of a pod with its overhead, which a quota counts. An overhead isn't a limit of its own. */
export function podAmountsWithOverhead(spec: PodSpec, which: "requests" | "limits"): ResourceList {
  const total = amountsOf(spec, which);
  const overhead = Object.entries(spec.overhead ?? {}).filter(([name]) => which === "requests" || total.has(name));
  add(total, Object.fromEntries(overhead));
  return formatAmounts(total);
}

function formatAmounts(amounts: Amounts): ResourceList {
  return Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
}

function amountsOf(spec: PodSpec, which: "requests" | "limits"): Amounts {
  const total: Amounts = new Map();
  for (const container of spec.containers) add(total, container.resources?.[which]);
  const sidecars: Amounts = new Map();
  const init: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const amounts = container.resources?.[which];
    if (container.restartPolicy === "Always") {
      add(total, amounts);
      add(sidecars, amounts);
      raise(init, sidecars);
    } else {
      const during: Amounts = new Map(sidecars);
      add(during, amounts);
      raise(init, during);
    }
  }
  raise(total, init);
  for (const [name, text] of Object.entries(spec.resources?.[which] ?? {})) {
    if (name === "cpu" || name === "memory" || name.startsWith("hugepages-")) total.set(name, parseQuantity(text));
  }
  return total;
}
