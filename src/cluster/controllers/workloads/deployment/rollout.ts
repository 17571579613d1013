import type { Client } from "../../../../client/client.js";
import type { Resource } from "../../../../client/resource/resource.js";
import type { EventRecorder } from "../../../../controller/events/event-recorder.js";
import { isAlreadyExists } from "../../../../errors/predicates.js";
import { deepEqual } from "../../../../internal/deep-equal.js";
import { Deployment, ReplicaSet } from "../../../../kinds/apps/v1.js";
import type { DeepReadonly } from "../../../../meta/object.js";
import { getControllerOwner } from "../../../../objects/owner-references.js";
import { serverMessage } from "../../shared/server-message.js";
import { currentReplicas, oldestFirst, specReplicas } from "./replica-counts.js";
import {
  currentAnnotations,
  findCurrent,
  isSameTemplate,
  newReplicaSet,
  revisionAnnotation,
  revisionOf,
  scaleAnnotations,
} from "./revisions.js";
import { type ConditionState, conditionOf, progressDeadlineMs } from "./status.js";

/** One reconcile of a Deployment: its ReplicaSets as they are after the writes so far. */
export interface Rollout {
  /** The Deployment, with its revision. */
  readonly deployment: DeepReadonly<Deployment>;
  /** ReplicaSet of the current template; `undefined` until it's created. */
  readonly current: DeepReadonly<ReplicaSet> | undefined;
  /** The other ReplicaSets. */
  readonly old: readonly DeepReadonly<ReplicaSet>[];
  /** All of them. */
  readonly all: readonly DeepReadonly<ReplicaSet>[];
  /** Conditions that the writes so far lead to. */
  readonly conditions: readonly ConditionState[];
  /** Number of taken names, if it changed. */
  readonly collisionCount: number | undefined;
  /** Finds the current ReplicaSet and writes the revisions. Creates the set if it's missing and `create` is true. */
  sync(options: { readonly create: boolean }): Promise<void>;
  /** Scales a ReplicaSet. */
  scale(set: DeepReadonly<ReplicaSet>, replicas: number): Promise<void>;
  /** Deletes empty old ReplicaSets beyond the history limit. */
  cleanUp(): Promise<void>;
}

/** Options for `createRollout`. */
export interface RolloutOptions {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly deployment: DeepReadonly<Deployment>;
  readonly sets: readonly DeepReadonly<ReplicaSet>[];
  readonly call: { readonly signal: AbortSignal; recordWrite(...objects: readonly object[]): void };
}

class DeploymentRollout implements Rollout {
  deployment: DeepReadonly<Deployment>;
  current: DeepReadonly<ReplicaSet> | undefined;
  collisionCount: number | undefined;
  readonly conditions: ConditionState[] = [];
  readonly #sets: Map<string, DeepReadonly<ReplicaSet>>;
  readonly #options: RolloutOptions;

  constructor(options: RolloutOptions) {
    this.#options = options;
    this.deployment = options.deployment;
    this.#sets = new Map(options.sets.map((set) => [set.metadata!.uid!, set]));
    this.current = findCurrent(options.deployment, options.sets);
  }

  get all(): readonly DeepReadonly<ReplicaSet>[] {
    return [...this.#sets.values()];
  }

  get old(): readonly DeepReadonly<ReplicaSet>[] {
    return this.all.filter(({ metadata }) => metadata?.uid !== this.current?.metadata?.uid);
  }

  async sync({ create }: { readonly create: boolean }): Promise<void> {
    const revision = this.old.map(revisionOf).reduce((most, each) => (each > most ? each : most), 0n) + 1n;
    const { current } = this;
    if (current === undefined) {
      if (!create) return;
      await this.#create(revision);
      await this.#setRevision(String(revision));
      return;
    }
    const annotations = currentAnnotations(this.deployment, current, revision);
    const { minReadySeconds } = this.deployment.spec!;
    if (
      !deepEqual(annotations, current.metadata?.annotations) ||
      (minReadySeconds ?? 0) !== (current.spec?.minReadySeconds ?? 0)
    ) {
      await this.#update({
        ...current,
        metadata: { ...current.metadata, annotations },
        spec: { ...current.spec!, minReadySeconds },
      });
    }
    await this.#setRevision(annotations[revisionAnnotation] ?? String(revision));
    if (progressDeadlineMs(this.deployment) !== undefined && !conditionOf(this.deployment.status, "Progressing"))
      this.#progressed("FoundNewReplicaSet", `Found new replica set "${current.metadata?.name}"`);
  }

  async scale(set: DeepReadonly<ReplicaSet>, replicas: number): Promise<void> {
    const before = specReplicas(set);
    const annotations = { ...set.metadata?.annotations, ...scaleAnnotations(this.deployment) };
    if (before === replicas && deepEqual(annotations, set.metadata?.annotations)) return;
    await this.#update({ ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec!, replicas } });
    if (before !== replicas) this.#noteScaling(set.metadata!.name!, before, replicas);
  }

  async cleanUp(): Promise<void> {
    const limit = this.deployment.spec?.revisionHistoryLimit ?? 10;
    const empty = oldestFirst(this.old)
      .sort((a, b) => (revisionOf(a) < revisionOf(b) ? -1 : 1))
      .filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    for (const { metadata, spec, status } of empty.slice(0, Math.max(0, empty.length - limit))) {
      const idle = (status?.replicas ?? 0) === 0 && (spec?.replicas ?? 1) === 0;
      if (!idle || (status?.observedGeneration ?? 0) < (metadata?.generation ?? 0)) continue;
      const { signal } = this.#options.call;
      await this.#handle.delete(metadata!.name!, { preconditions: { uid: metadata!.uid! }, signal });
      this.#sets.delete(metadata!.uid!);
    }
  }

  /** Creates the ReplicaSet of the current template. */
  async #create(revision: bigint): Promise<void> {
    const wanted = newReplicaSet(this.deployment, revision);
    wanted.spec!.replicas = currentReplicas(this.deployment, this.all, 0);
    const name = wanted.metadata!.name!;
    const { signal } = this.#options.call;
    let created: ReplicaSet;
    try {
      created = await this.#handle.create(wanted, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) {
        const note = `Failed to create new replica set "${name}": ${serverMessage(error)}`;
        const reason = "ReplicaSetCreateError";
        if (progressDeadlineMs(this.deployment) !== undefined) this.#progressed(reason, note, "False");
        this.#options.events.event(this.deployment, { type: "Warning", reason, note });
        throw error;
      }
      created = await this.#handle.get(name, { signal });
      const owner = getControllerOwner(created);
      if (
        owner?.uid !== this.deployment.metadata?.uid ||
        !isSameTemplate(created.spec?.template, wanted.spec?.template)
      ) {
        // The name belongs to something else: the next attempt uses another hash.
        this.collisionCount = (this.deployment.status?.collisionCount ?? 0) + 1;
        throw error;
      }
      this.#keep(created);
      this.current = created;
      return;
    }
    this.#keep(created);
    this.current = created;
    this.#noteScaling(name, 0, specReplicas(created));
    if (progressDeadlineMs(this.deployment) !== undefined)
      this.#progressed("NewReplicaSetCreated", `Created new replica set "${name}"`);
  }

  async #setRevision(revision: string): Promise<void> {
    const { metadata } = this.deployment;
    if (metadata?.annotations?.[revisionAnnotation] === revision) return;
    const { client, call } = this.#options;
    const annotations = { ...metadata?.annotations, [revisionAnnotation]: revision };
    const changed = { ...this.deployment, metadata: { ...metadata, annotations } };
    const deployments = client.resource(Deployment).namespace(metadata!.namespace!);
    // With the status: annotations that are written in another way start a new generation.
    const written = await deployments.subresource("status").update(changed, { signal: call.signal });
    call.recordWrite(written);
    this.deployment = written;
  }

  async #update(set: DeepReadonly<ReplicaSet>): Promise<void> {
    this.#keep(await this.#handle.update(set, { signal: this.#options.call.signal }));
  }

  #keep(set: DeepReadonly<ReplicaSet>): void {
    this.#options.call.recordWrite(set);
    this.#sets.set(set.metadata!.uid!, set);
    if (this.current?.metadata?.uid === set.metadata?.uid) this.current = set;
  }

  #noteScaling(name: string, from: number, to: number): void {
    if (from === to) return;
    const direction = to > from ? "up" : "down";
    const note = `Scaled ${direction} replica set ${name} from ${from} to ${to}`;
    this.#options.events.event(this.deployment, { reason: "ScalingReplicaSet", note });
  }

  #progressed(reason: string, message: string, status = "True"): void {
    this.conditions.push({ type: "Progressing", status, reason, message });
  }

  get #handle(): Pick<Resource<ReplicaSet>, "create" | "get" | "update" | "delete"> {
    return this.#options.client.resource(ReplicaSet).namespace(this.deployment.metadata!.namespace!);
  }
}

/** Starts the reconcile of a Deployment. */
export function createRollout(options: RolloutOptions): Rollout {
  return new DeploymentRollout(options);
}
