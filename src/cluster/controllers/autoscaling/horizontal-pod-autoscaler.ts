import type { Resource } from "../../../client/resource/resource.js";
import type { Controller, ReconcileContext, ReconcileResult } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { generationChanged } from "../../../controller/reconcile/predicates.js";
import { createDiscovery } from "../../../discovery/discovery.js";
import { isNotFound } from "../../../errors/predicates.js";
import { StatusError } from "../../../errors/status-error.js";
import type { Scale } from "../../../kinds/autoscaling/v1.js";
import {
  HorizontalPodAutoscaler,
  type HorizontalPodAutoscalerCondition,
  type HorizontalPodAutoscalerStatus,
} from "../../../kinds/autoscaling/v2.js";
import { Pod } from "../../../kinds/core/v1.js";
import type { Kind } from "../../../meta/kind.js";
import type { DeepReadonly, ObjectMeta } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";
import { scale } from "../../../operations/scale.js";
import type { ClusterContext } from "../context.js";
import { serverMessage } from "../shared/server-message.js";
import { writeStatus } from "../shared/write-status.js";
import { type Decision, decideReplicas } from "./decide.js";
import type { ScalingHistory } from "./limits.js";
import { unservedApi } from "./metric-failure.js";
import { createScaledPods } from "./scaled-pods.js";

/** Period in which the metrics are read. */
const periodMs = 15_000;
type Autoscaler = DeepReadonly<HorizontalPodAutoscaler>;
type ScalableKind = Kind<object, "Namespaced", { scale: Scale }>;
/**
 * Creates the controller that scales workloads by the usage of their pods.
 * @see https://kubernetes.io/docs/concepts/workloads/autoscaling/horizontal-pod-autoscale/
 */
export function createHorizontalPodAutoscalerController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const pods = context.cache(Pod);
  const events = context.recorder("horizontal-pod-autoscaler");
  const discovery = createDiscovery(client, { clock });
  const histories = new Map<string, ScalingHistory>();
  const selectors = createScaledPods(pods);
  // When each autoscaler acts next. A new or changed one waits for its period, like upstream.
  const due = new Map<string, number>();

  async function reconcile(autoscaler: Autoscaler, call: ReconcileContext<HorizontalPodAutoscaler>): Promise<void> {
    const { namespace = "" } = autoscaler.metadata ?? {};
    const { apiVersion = "v1", kind, name } = autoscaler.spec.scaleTargetRef;
    const { signal } = call;
    const key = keyOf(autoscaler.metadata!);
    const report = (decision: Omit<Decision, "why">, current: number, scaled = false): Promise<unknown> =>
      writeStatus<HorizontalPodAutoscaler>(
        client.resource(HorizontalPodAutoscaler).namespace(namespace),
        autoscaler,
        statusOf(autoscaler, decision, { current, scaled, nowMs: clock.now() }),
        call,
      );
    const target = await discovery.find({ apiVersion, kind }, { signal });
    const handle = target && client.resource(target as ScalableKind).namespace(namespace);
    const found = await readScale(handle, autoscaler.spec.scaleTargetRef, signal);
    if (typeof found === "string" || handle === undefined) {
      const note = String(found);
      events.event(autoscaler, { type: "Warning", reason: "FailedGetScale", note });
      const message = `the HPA controller was unable to get the target's current scale: ${note}`;
      const verdicts = [{ type: "AbleToScale", status: "False", reason: "FailedGetScale", message }];
      await report({ replicas: 0, verdicts, metrics: [] }, autoscaler.status?.currentReplicas ?? 0);
      return;
    }
    const current = found.spec?.replicas ?? 0;
    const history: ScalingHistory = histories.get(key) ?? {
      recommendations: [{ replicas: current, atMs: clock.now() }],
      changes: [],
    };
    histories.set(key, history);
    const rivals = selectors.note(autoscaler, found);
    const resourceOf = async (apiVersion: string, kind: string): Promise<string | undefined> => {
      const served = await discovery.find({ apiVersion, kind }, { signal });
      return served && [served.plural, served.group].filter((part) => part !== "").join(".");
    };
    const parts = { client, pods, clock, signal, rivals, resourceOf };
    const decision = await decideReplicas(parts, autoscaler, found, history);
    for (const { reason, note } of decision.warnings ?? []) events.event(autoscaler, { type: "Warning", reason, note });
    if (decision.replicas === current) {
      await report(decision, current);
      return;
    }
    const change = `New size: ${decision.replicas}; reason: ${decision.why}`;
    const others = decision.verdicts.filter(({ type }) => type !== "AbleToScale");
    try {
      await scale(handle, name, decision.replicas, { signal });
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const problem = serverMessage(error);
      events.event(autoscaler, { type: "Warning", reason: "FailedRescale", note: `${change}; error: ${problem}` });
      const message = `the HPA controller was unable to update the target scale: ${problem}`;
      const failed = { type: "AbleToScale", status: "False", reason: "FailedUpdateScale", message };
      const reported = autoscaler.status?.desiredReplicas ?? 0;
      await report({ ...decision, reported, verdicts: [failed, ...others] }, current);
      return;
    }
    history.changes.push({ by: decision.replicas - current, atMs: clock.now() });
    events.event(autoscaler, { reason: "SuccessfulRescale", note: change });
    const message = `the HPA controller was able to update the target scale to ${decision.replicas}`;
    const rescaled = { type: "AbleToScale", status: "True", reason: "SucceededRescale", message };
    await report({ ...decision, verdicts: [rescaled, ...others] }, current, true);
  }

  return createController({
    name: "horizontal-pod-autoscaler",
    for: client.resource(HorizontalPodAutoscaler),
    // Its own statuses don't change what it does next.
    predicates: [generationChanged()],
    concurrency: 5,
    clock,
    log,
    async reconcile(request, call): Promise<ReconcileResult | undefined> {
      const key = keyOf(request);
      if (call.object === undefined) {
        histories.delete(key);
        due.delete(key);
        selectors.forget(key);
        return undefined;
      }
      const next = due.get(key) ?? clock.monotonic() + periodMs;
      due.set(key, next);
      const waitMs = next - clock.monotonic();
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      await reconcile(call.object, call);
      due.set(key, clock.monotonic() + periodMs);
      return { requeueAfterMs: periodMs };
    },
  });
}

/** Reads the scale of a target. Returns the reason as a text if it can't be read. */
async function readScale(
  handle: Resource<object, { scale: Scale }> | undefined,
  { apiVersion = "v1", kind, name }: Autoscaler["spec"]["scaleTargetRef"],
  signal: AbortSignal,
): Promise<Scale | string> {
  const [group] = apiVersion.includes("/") ? apiVersion.split("/") : [""];
  if (handle === undefined) return `no matches for kind "${kind}" in group "${group}"`;
  try {
    return await handle.subresource("scale").get(name, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    // The answer of a server that doesn't serve the path names no object.
    return error.status.details?.name === undefined ? unservedApi : (error.status.message ?? "");
  }
}

function keyOf({ namespace = "", name = "" }: Pick<ObjectMeta, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}

function statusOf(
  { metadata, status: old }: Autoscaler,
  { replicas, reported = replicas, verdicts, metrics }: Omit<Decision, "why">,
  { current, scaled, nowMs }: { readonly current: number; readonly scaled: boolean; readonly nowMs: number },
): HorizontalPodAutoscalerStatus {
  const now = formatTime(nowMs);
  const conditions = new Map(
    (old?.conditions ?? []).map((each) => [each.type, each as HorizontalPodAutoscalerCondition]),
  );
  for (const verdict of verdicts) {
    const known = conditions.get(verdict.type);
    const lastTransitionTime = known?.status === verdict.status ? known.lastTransitionTime : now;
    conditions.set(verdict.type, { ...verdict, lastTransitionTime });
  }
  const lastScaleTime = scaled ? now : old?.lastScaleTime;
  return {
    observedGeneration: metadata!.generation!,
    ...(lastScaleTime !== undefined && { lastScaleTime }),
    currentReplicas: current,
    desiredReplicas: reported,
    ...(metrics.length > 0 && { currentMetrics: [...metrics] }),
    conditions: [...conditions.values()],
  };
}
