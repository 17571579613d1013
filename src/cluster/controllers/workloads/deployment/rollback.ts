import type { Client } from "../../../../client/client.js";
import type { EventRecorder } from "../../../../controller/events/event-recorder.js";
import { Deployment, type ReplicaSet } from "../../../../kinds/apps/v1.js";
import type { PodTemplateSpec } from "../../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { hashLabel, isSameTemplate, ownAnnotations, revisionOf, rollbackAnnotation } from "./revisions.js";
import type { Rollout } from "./rollout.js";

/** Options for `rollBack`. */
export interface RollbackOptions {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly rollout: Rollout;
  readonly call: { readonly signal: AbortSignal };
}

/** Returns the revision that an annotation requests, 0 for the last one; `undefined` without a valid annotation. */
export function rollbackTarget({ metadata }: DeepReadonly<Deployment>): bigint | undefined {
  const text = metadata?.annotations?.[rollbackAnnotation] ?? "";
  return /^[+-]?\d{1,18}$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
}

/** Restores the template of the revision that the Deployment's annotation requests, and removes the annotation. */
export async function rollBack({ client, events, rollout, call }: RollbackOptions): Promise<void> {
  const { deployment, all } = rollout;
  const { metadata } = deployment;
  const target = rollbackTarget(deployment)!;
  const revisions = all.map(revisionOf).sort((a, b) => (a < b ? 1 : -1));
  const wanted = target === 0n ? (revisions[1] ?? 0n) : target;
  const found = wanted === 0n ? undefined : all.find((set) => revisionOf(set) === wanted);
  const { [rollbackAnnotation]: _, ...annotations } = metadata?.annotations ?? {};
  const cleared: DeepReadonly<Deployment> = { ...deployment, metadata: { ...metadata, annotations } };
  const isSame = found !== undefined && isSameTemplate(found.spec?.template, deployment.spec?.template);
  const written = found === undefined || isSame ? cleared : restored(cleared, found);
  await client
    .resource(Deployment)
    .namespace(metadata!.namespace!)
    .update(written as Deployment, { signal: call.signal });
  if (found !== undefined && !isSame) {
    const note = `Rolled back deployment "${metadata?.name}" to revision ${wanted}`;
    events.event(deployment, { reason: "DeploymentRollback", note });
    return;
  }
  const [reason, note] =
    found !== undefined
      ? [
          "DeploymentRollbackTemplateUnchanged",
          `The rollback revision contains the same template as current deployment "${metadata?.name}"`,
        ]
      : [
          "DeploymentRollbackRevisionNotFound",
          wanted === 0n ? "Unable to find last revision." : "Unable to find the revision to rollback to.",
        ];
  events.event(deployment, { type: "Warning", reason, note });
}

/** Returns a Deployment with the template of a ReplicaSet, and the annotations that the set inherited. */
function restored(deployment: DeepReadonly<Deployment>, set: DeepReadonly<ReplicaSet>): DeepReadonly<Deployment> {
  const { [hashLabel]: _, ...labels } = set.spec?.template?.metadata?.labels ?? {};
  const template = {
    ...set.spec?.template,
    metadata: { ...set.spec?.template?.metadata, labels },
  } as DeepReadonly<PodTemplateSpec>;
  const pick = (from: Readonly<Record<string, string>> | undefined, own: boolean): [string, string][] =>
    Object.entries(from ?? {}).filter(([name]) => ownAnnotations.has(name) === own);
  const annotations = Object.fromEntries([
    ...pick(deployment.metadata?.annotations, true),
    ...pick(set.metadata?.annotations, false),
  ]);
  return {
    ...deployment,
    metadata: { ...deployment.metadata, annotations },
    spec: { ...deployment.spec!, template },
  };
}
