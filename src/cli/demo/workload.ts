import type { Client } from "../../client/client.js";
import type { Resource } from "../../client/resource/resource.js";
import type { Clock } from "../../internal/clock.js";
import { sleep } from "../../internal/clock.js";
import type { PodStatus } from "../../kinds/core/v1.js";
import { Namespace, Pod } from "../../kinds/core/v1.js";

/** Options for `createWorkload`. */
export interface WorkloadOptions {
  /** Number of pods to start with and to keep, on average. */
  readonly pods: number;
  /** Changes per second. */
  readonly rate: number;
  /** Called while the first pods are created. */
  readonly onProgress: (made: number) => void;
  /** Stops the preparation and the churn. */
  readonly signal: AbortSignal;
  /** Clock for the pace of the changes. */
  readonly clock: Clock;
}

const namespaces = ["web", "api", "batch", "data", "search", "payments", "ingress", "monitoring"];
const tickMs = 50;
const parallel = 16;

type Phase = NonNullable<PodStatus["phase"]>;

interface Member {
  readonly namespace: string;
  readonly name: string;
  phase: Phase;
}

/** Pods that are created, change phase and are deleted at a steady rate. */
export interface Workload {
  /** Creates the namespaces and the first pods. */
  prepare(): Promise<void>;
  /** Changes pods until the signal aborts. Rejects if the server refuses a change. */
  run(): Promise<void>;
}

/** Creates a workload on the client's server. */
export function createWorkload(client: Client, options: WorkloadOptions): Workload {
  const { signal, clock } = options;
  const handles = new Map<string, Resource<Pod, { status: Pod }>>(
    namespaces.map((name) => [name, client.resource(Pod).namespace(name)]),
  );
  const members: Member[] = [];
  let made = 0;
  let beats = 0;

  const create = async (phase: Phase): Promise<void> => {
    const namespace = pick(namespaces);
    const name = `${namespace}-${(made++).toString(36).padStart(5, "0")}`;
    const handle = handles.get(namespace)!;
    await handle.create(podOf(name), { signal });
    await handle.subresource("status").patch(name, statusPatch(phase), { signal });
    members.push({ namespace, name, phase });
  };

  const remove = async (): Promise<void> => {
    const member = takeOut(members);
    if (member !== undefined)
      await handles.get(member.namespace)!.delete(member.name, { gracePeriodSeconds: 0, signal });
  };

  const advance = async (): Promise<void> => {
    const member = members[Math.floor(Math.random() * members.length)];
    if (member === undefined) return;
    const handle = handles.get(member.namespace)!;
    const phase = nextPhase(member.phase);
    if (phase === member.phase) {
      await handle.patch(
        member.name,
        { type: "merge", patch: { metadata: { annotations: { "demo.example/beat": String(beats++) } } } },
        { signal },
      );
    } else {
      member.phase = phase;
      await handle.subresource("status").patch(member.name, statusPatch(phase), { signal });
    }
  };

  const step = (): Promise<void> => {
    const dice = Math.random();
    if (dice < 0.7) return advance();
    return dice < 0.85 === members.length > options.pods ? remove() : create("Pending");
  };

  return {
    async prepare() {
      for (const name of namespaces) await client.resource(Namespace).create({ metadata: { name } }, { signal });
      let left = options.pods;
      const worker = async (): Promise<void> => {
        while (left-- > 0) {
          await create(firstPhase());
          if (members.length % 100 === 0) options.onProgress(members.length);
        }
      };
      await Promise.all(Array.from({ length: parallel }, worker));
    },
    async run() {
      let owed = 0;
      let last = clock.monotonic();
      while (!signal.aborted) {
        await sleep(tickMs, clock, signal);
        const now = clock.monotonic();
        // Don't catch up on changes that were missed while the process was paused.
        owed = Math.min(owed + ((now - last) / 1_000) * options.rate, options.rate);
        last = now;
        for (; owed >= 1; owed--) await step();
      }
    },
  };
}

function podOf(name: string): Pod {
  return {
    metadata: { name, labels: { app: name.slice(0, name.lastIndexOf("-")), tier: pick(["front", "back"]) } },
    spec: {
      containers: [
        {
          name: "main",
          image: `registry.example/${pick(["server", "worker", "cache"])}:1.${String(Math.floor(Math.random() * 40))}`,
          resources: { requests: { cpu: "100m", memory: "128Mi" } },
        },
      ],
    },
  };
}

function statusPatch(phase: Phase): {
  readonly type: "merge";
  readonly patch: { readonly status: { readonly phase: Phase } };
} {
  return { type: "merge", patch: { status: { phase } } };
}

function firstPhase(): Phase {
  const dice = Math.random();
  if (dice < 0.9) return "Running";
  return dice < 0.95 ? "Pending" : "Succeeded";
}

/** Returns the same phase most of the time, which only touches the pod. */
function nextPhase(phase: Phase): Phase {
  if (phase === "Pending") return "Running";
  if (Math.random() < 0.7) return phase;
  if (phase === "Running") return pick<Phase>(["Succeeded", "Failed", "Running", "Running", "Running"]);
  return "Pending";
}

function pick<T>(values: readonly T[]): T {
  return values[Math.floor(Math.random() * values.length)]!;
}

/** Removes a random element in constant time. */
function takeOut<T>(values: T[]): T | undefined {
  const last = values.pop();
  if (last === undefined || values.length === 0) return last;
  const index = Math.floor(Math.random() * (values.length + 1));
  if (index === values.length) return last;
  const taken = values[index];
  values[index] = last;
  return taken;
}
