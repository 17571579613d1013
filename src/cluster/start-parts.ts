import { isAlreadyExists } from "../errors/predicates.js";
import { CSIDriver, StorageClass } from "../kinds/storage/v1.js";
import type { Kind } from "../meta/kind.js";
import { defaultControllers } from "./all-controllers.js";
import type { ClusterHandles } from "./cluster.js";
import type { ClusterContext } from "./controllers/context.js";
import { forAll } from "./controllers/shared/in-lanes.js";
import { listEvents } from "./events.js";
import { explainObject } from "./explain.js";
import type { NodeDiagnostics } from "./explain-pod.js";
import { createNodeHandle, createPodHandles } from "./nodes/create-handles.js";
import type { NodeTemplate } from "./nodes/node-agent.js";
import { SimulatedNode } from "./nodes/simulated-node.js";
import { type PartsOptions, runParts, type SavedParts } from "./run-parts.js";
import { waitForObject } from "./until.js";

/** The running parts of a cluster that are clients of its API server. */
export interface StartedParts {
  readonly context: ClusterContext;
  readonly handles: Omit<ClusterHandles, "close" | typeof Symbol.asyncDispose>;
  /** Creates the default storage class and the nodes. */
  install(): Promise<void>;
  /** Returns the state for a snapshot. */
  save(): SavedParts;
  /** Stops the parts, calls `reset`, and starts new ones from the state of a snapshot. */
  restart(saved: SavedParts, reset: () => void): Promise<void>;
  /** Stops the parts. The API server and its objects stay. */
  stop(): Promise<void>;
}

/** Driver of the default storage class, whose volumes needn't be attached. */
const standardDriver = { metadata: { name: "simulated.volumes" }, spec: { attachRequired: false } };

/** Storage class for claims that name none. */
const standardClass = {
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "simulated/volumes",
  volumeBindingMode: "WaitForFirstConsumer" as const,
};

/** Starts controllers, a scheduler and simulated nodes as clients of an API server. */
export function startParts(options: PartsOptions): StartedParts {
  const { client, clock, machines, settled } = options;
  let parts = runParts(options);
  const diagnostics = nodeDiagnostics(machines);
  return {
    get context() {
      return parts.context;
    },
    handles: {
      client,
      now: () => clock.now(),
      events: async (name) => {
        await settled();
        return await listEvents(client, name);
      },
      controllers: {
        names: options.controllers,
        pause: (name) => parts.controllers.pause(name),
        resume: (name) => parts.controllers.resume(name),
      },
      pods: (selector = {}) => createPodHandles(() => parts, selector),
      nodes: (name) => createNodeHandle(() => parts, name),
      async until(kind, name, condition, wait = {}) {
        checkName(kind, name);
        return await waitForObject({
          informer: parts.context.cache(kind),
          clock,
          settled,
          name,
          condition,
          explain: async () => {
            const lines = [await explainObject(client, kind, name, diagnostics)];
            const { controllers } = options;
            const { paused } = parts.controllers;
            if (!defaultControllers.every((each) => controllers.includes(each)))
              lines.push(`running controllers: ${controllers.join(", ") || "none"}`);
            if (paused.size > 0) lines.push(`paused controllers: ${[...paused].join(", ")}`);
            return `${lines.join("\n")}${parts.problems.about(name)}`;
          },
          ...wait,
        });
      },
    },
    async install() {
      if (options.controllers.includes("persistentvolume-binder")) {
        const ignoreExisting = (error: unknown): void => {
          if (!isAlreadyExists(error)) throw error;
        };
        await client.resource(CSIDriver).create(standardDriver).catch(ignoreExisting);
        await client.resource(StorageClass).create(standardClass).catch(ignoreExisting);
      }
      await forAll([...parts.agents.values()], (agent) => agent.start());
      await parts.stages.start();
    },
    save: () => ({
      nodes: new Map([...machines].map(([name, machine]) => [name, machine.save()])),
      controllers: parts.controllers.save(),
    }),
    async restart(saved, reset) {
      await parts.stop();
      await settled();
      reset();
      parts = runParts(options, saved);
      const up = [...machines.values()].filter(({ state }) => state === "up");
      clock.exactUpkeep = up.length < machines.size;
      await forAll(up, ({ name }) => parts.agents.get(name)!.resume());
      await parts.stages.start();
    },
    stop: () => parts.stop(),
  };
}

/** Throws a `RangeError` if the name of a namespaced object lacks its namespace, or another one has one. */
function checkName({ kind, scope }: Kind, name: string): void {
  const isNamespaced = scope === "Namespaced";
  if (isNamespaced === name.includes("/")) return;
  const form = isNamespaced ? `has a namespace: write "NAMESPACE/${name}"` : "has no namespace: write only its name";
  throw new RangeError(`until: ${JSON.stringify(name)}: a ${kind} ${form}`);
}

/** Lines of a container's output that explanations show. */
const outputLines = 3;

function nodeDiagnostics(machines: ReadonlyMap<string, SimulatedNode>): NodeDiagnostics {
  return {
    nodeProblem(name) {
      const state = machines.get(name)?.state;
      return state === "up" ? undefined : state;
    },
    lastOutput({ metadata, spec }, name) {
      const player = machines.get(spec?.nodeName ?? "")?.player(`${metadata?.namespace}/${metadata?.name}`);
      const runs = player?.uid === metadata?.uid ? player?.containers.get(name)?.runs : undefined;
      const log = runs?.log.length === 0 ? (runs.previousLog ?? runs.log) : runs?.log;
      return (log?.from(log.length - outputLines) ?? []).map(({ text }) => text.trimEnd().slice(0, 200));
    },
  };
}

/** Returns the simulated machines of a number of nodes or of descriptions. Throws a `RangeError` for an invalid number. */
export function createMachines(nodes: number | readonly NodeTemplate[]): {
  readonly templates: readonly NodeTemplate[];
  readonly machines: ReadonlyMap<string, SimulatedNode>;
} {
  const templates = nodeTemplates(nodes);
  return { templates, machines: new Map(templates.map(({ name }, index) => [name, new SimulatedNode(name, index)])) };
}

function nodeTemplates(nodes: number | readonly NodeTemplate[]): readonly NodeTemplate[] {
  if (typeof nodes !== "number") return nodes;
  if (!Number.isSafeInteger(nodes) || nodes < 0)
    throw new RangeError(`nodes must be a non-negative integer, not ${nodes}`);
  return Array.from({ length: nodes }, (_, index) => ({ name: `node-${index + 1}` }));
}
