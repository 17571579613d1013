import type { Client } from "../../client/client.js";
import type { Resource } from "../../client/resource/resource.js";
import type { Controller, ReconcileContext } from "../../controller/reconcile/controller.js";
import { createController } from "../../controller/reconcile/create-controller.js";
import { createDiscovery } from "../../discovery/discovery.js";
import { isNotFound } from "../../errors/predicates.js";
import { parseYaml } from "../../internal/yaml/yaml.js";
import { CustomResourceDefinition } from "../../kinds/apiextensions/v1.js";
import type { Pod } from "../../kinds/core/v1.js";
import type { Kind } from "../../meta/kind.js";
import type { DeepReadonly, KubernetesObject } from "../../meta/object.js";
import type { Patch } from "../../patch/patch-types.js";
import type { ClusterContext } from "../controllers/context.js";
import { startController } from "../controllers/start-controller.js";
import type { PodStages } from "../nodes/kubelet.js";
import type { SimulatedNode } from "../nodes/simulated-node.js";
import { chooseStage, delayOf } from "./choose-stage.js";
import { createObjectFunctions } from "./object-functions.js";
import type { CompiledStage } from "./read-stages.js";
import { renderTemplate } from "./template/render-template.js";
import { generalFunctions } from "./template/template-functions.js";

/** Plays declared stages. */
export interface StagePlayer extends PodStages {
  /** Starts with the kinds that the server serves. Others start when their definition is established. */
  start(): Promise<void>;
  /** Stops all stages. */
  stop(): Promise<void>;
}

type AnyObject = KubernetesObject & { readonly status?: object | undefined };

/** Time in milliseconds after which a pod on a node without a connection is considered again. */
const retryMs = 10_000;

/** Creates a player of stages. */
export function createStagePlayer(
  context: ClusterContext,
  stages: readonly CompiledStage[],
  machines: ReadonlyMap<string, SimulatedNode>,
): StagePlayer {
  const podStages = stages.filter(({ kind, apiVersion }) => kind === "Pod" && apiVersion === "v1");
  const running = new Map<string, Controller>();
  let stopped = false;
  let unfollow: (() => void) | undefined;
  const byKind = new Map<string, CompiledStage[]>();
  for (const stage of stages) {
    const key = `${stage.apiVersion} ${stage.kind}`;
    byKind.set(key, [...(byKind.get(key) ?? []), stage]);
  }
  const startServed = async (): Promise<void> => {
    const discovery = createDiscovery(context.client);
    for (const [key, own] of byKind) {
      if (running.has(key)) continue;
      const [apiVersion = "", kind = ""] = key.split(" ");
      const resource = await discovery.find({ apiVersion, kind });
      if (resource === undefined || stopped || running.has(key)) continue;
      const controller = createKindController(context, resource, own, machines);
      running.set(key, controller);
      startController(context, controller);
    }
  };
  return {
    async start() {
      if (stages.length === 0) return;
      await startServed();
      if (running.size === byKind.size) return;
      const { remove } = context.cache(CustomResourceDefinition).addHandler(() => {
        if (running.size === byKind.size) return;
        // The next change of a definition tries again.
        startServed().catch((error: unknown) => {
          if (!stopped) context.log({ level: "warn", message: "stages for new kinds could not be started", error });
        });
      });
      unfollow = remove;
    },
    async stop() {
      stopped = true;
      unfollow?.();
      await Promise.all([...running.values()].map((controller) => controller.stop({ drainTimeoutMs: 0 })));
    },
    declared: podStages.length > 0,
    takes(pod, node) {
      if (podStages.length === 0) return false;
      const { uid, namespace, name } = pod.metadata!;
      const key = `${namespace}/${name}`;
      if (!node.isStaged(key, uid!) && podStages.some(({ matches }) => matches(pod))) node.stage(key, uid!);
      return node.isStaged(key, uid!);
    },
    removes: (pod) => podStages.some(({ next, matches }) => next.delete === true && matches(pod)),
  };
}

interface Pending {
  readonly uid: string;
  readonly stage: CompiledStage;
  readonly dueMs: number;
}

/** Creates the controller that plays the stages of a kind. */
function createKindController(
  context: ClusterContext,
  kind: Kind,
  stages: readonly CompiledStage[],
  machines: ReadonlyMap<string, SimulatedNode>,
): Controller {
  const { client, clock, log, random } = context;
  const pending = new Map<string, Pending>();
  const isPod = kind.kind === "Pod" && kind.group === "";
  return createController({
    name: `stage-${kind.kind.toLowerCase()}`,
    for: client.resource(kind as Kind<AnyObject>),
    clock,
    log,
    async reconcile({ namespace, name }, call) {
      const { object } = call;
      const key = `${namespace ?? ""}/${name}`;
      const matching = object === undefined ? [] : stages.filter(({ matches }) => matches(object));
      if (object === undefined || matching.length === 0) {
        pending.delete(key);
        return undefined;
      }
      if (isPod) {
        const node = machines.get((object as DeepReadonly<Pod>).spec?.nodeName ?? "");
        if (node === undefined) return undefined;
        if (node.state !== "up") return { requeueAfterMs: retryMs };
        node.stage(key, object.metadata!.uid!);
      }
      const now = clock.now();
      let next = pending.get(key);
      if (next === undefined || next.uid !== object.metadata!.uid || !matching.includes(next.stage)) {
        const stage = chooseStage(matching, object, random);
        next = { uid: object.metadata!.uid!, stage, dueMs: now + delayOf(stage, object, now, random) };
        pending.set(key, next);
      }
      if (next.dueMs > now) return { requeueAfterMs: next.dueMs - now };
      await applyStage(context, { kind, stage: next.stage, object, machines, call });
      pending.delete(key);
      return undefined;
    },
  });
}

interface StageCall {
  readonly kind: Kind;
  readonly stage: CompiledStage;
  readonly object: DeepReadonly<AnyObject>;
  readonly machines: ReadonlyMap<string, SimulatedNode>;
  readonly call: Pick<ReconcileContext<AnyObject>, "signal">;
}

/** Changes an object as its stage says. */
async function applyStage(context: ClusterContext, { kind, stage, object, machines, call }: StageCall): Promise<void> {
  const { namespace, name, uid, finalizers = [] } = object.metadata!;
  const handle = handleOf(context.client, kind, namespace);
  const { event, finalizers: change, delete: deletes, statusSubresource = "status" } = stage.next;
  if (event !== undefined) {
    const { type = "Normal", reason = stage.name, message = "" } = event;
    const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
    const regarding = { apiVersion, kind: kind.kind, name: name!, uid: uid!, ...(namespace && { namespace }) };
    const details = { type: type as "Normal" | "Warning", reason, note: message, action: stage.name };
    context.recorder("stage-controller").event(regarding, details);
  }
  if (change !== undefined) {
    const removed = new Set((change.remove ?? []).map(({ value }) => value));
    const kept = change.empty === true ? [] : finalizers.filter((each) => !removed.has(each));
    const wanted = [...new Set([...kept, ...(change.add ?? []).map(({ value }) => value)])];
    if (wanted.join() !== finalizers.join())
      await handle.patch(
        name!,
        { type: "merge", patch: { metadata: { finalizers: wanted } } },
        { signal: call.signal },
      );
  }
  if (deletes === true) {
    await handle
      .delete(name!, { gracePeriodSeconds: 0, preconditions: { uid: uid! }, signal: call.signal })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    return;
  }
  if (stage.template === undefined) return;
  const functions = { ...generalFunctions, ...createObjectFunctions(object, machines, context.clock.now()) };
  let status: unknown;
  try {
    status = parseYaml(renderTemplate(stage.template, object, functions));
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new TypeError(`stage ${stage.name}: statusTemplate: ${problem}`, { cause: error });
  }
  const definitions = context.cache(CustomResourceDefinition);
  await definitions.synced({ signal: call.signal });
  const isCustom = definitions.store.get(`${kind.plural}.${kind.group}`) !== undefined;
  // Lists such as conditions are merged by their keys where the API knows them.
  const type = isCustom ? "merge" : "strategic";
  const subresource = handle.subresource(statusSubresource);
  await subresource.patch(name!, { type, patch: { status } } as Patch<object>, { signal: call.signal });
}

/** Handle of a kind that is known at run time only. */
interface AnyHandle extends Pick<Resource<object>, "patch" | "delete"> {
  subresource(name: string): Pick<Resource<object>, "patch">;
}

function handleOf(client: Client, kind: Kind, namespace: string | undefined): AnyHandle {
  const all = client.resource(kind);
  return namespace === undefined ? all : all.namespace(namespace);
}
