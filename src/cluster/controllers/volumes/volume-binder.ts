import type { Client } from "../../../client/client.js";
import type { Controller, ReconcileContext } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueMapped } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import type { Source } from "../../../controller/reconcile/source.js";
import { deepEqual } from "../../../internal/deep-equal.js";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "../../../kinds/core/v1.js";
import { StorageClass } from "../../../kinds/storage/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import type { ClusterContext } from "../context.js";
import { claimNames } from "../shared/claim-names.js";
import { findMismatch, isReservedFor, matchingVolumes } from "../shared/volume-matching.js";
import { writeStatus } from "../shared/write-status.js";
import { boundByController, selectedNode } from "./annotations.js";
import { consumerOf, isUnscheduled } from "./first-consumer.js";
import { provision } from "./provision.js";

const defaultClass = "storageclass.kubernetes.io/is-default-class";
const bindCompleted = "pv.kubernetes.io/bind-completed";
const byController = { [boundByController]: "yes" };

type Requeue = { readonly requeueAfterMs: number };
type Claim = DeepReadonly<PersistentVolumeClaim>;
type Volume = DeepReadonly<PersistentVolume>;

const lost = {
  reason: "ClaimLost",
  note: "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
} as const;

const lostReference = {
  reason: "ClaimLost",
  note: "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
} as const;

const misbound = {
  reason: "ClaimMisbound",
  note: "Two claims are bound to the same volume, this one is bound incorrectly",
} as const;

/**
 * Creates the controller that binds PersistentVolumeClaims to volumes: to a free one that matches, or to a new one. It
 * provisions volumes itself, whatever provisioner the storage class names, and without any storage behind them.
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#binding
 */
export function createVolumeBinder(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const volumes = context.cache(PersistentVolume);
  const classes = context.cache(StorageClass);
  const claims = context.cache(PersistentVolumeClaim);
  const pods = context.cache(Pod);
  const events = context.recorder("persistentvolume-controller");
  const pending = (): { namespace: string; name: string }[] =>
    claims.store
      .list()
      .filter(isPending)
      .map(({ metadata }) => ({ namespace: metadata!.namespace!, name: metadata!.name! }));

  /** Reports what a claim waits for, or when that will be known. */
  function waitForConsumer(claim: Claim): Requeue | undefined {
    const state = consumerOf(claim, pods.store.list({ namespace: claim.metadata!.namespace! }), clock.now());
    if ("requeueAfterMs" in state) return state;
    events.event(claim, state);
    return undefined;
  }

  /** Finds or makes the volume of a claim that has none. */
  async function findVolume(claim: Claim, signal: AbortSignal): Promise<Requeue | undefined> {
    const { namespace = "", name = "", annotations = {} } = claim.metadata ?? {};
    const handle = client.resource(PersistentVolumeClaim).namespace(namespace);
    const { storageClassName } = claim.spec ?? {};
    if (storageClassName === undefined) {
      const standard = classes.store.list().find(({ metadata }) => metadata?.annotations?.[defaultClass] === "true");
      if (standard !== undefined) {
        const patch = { spec: { storageClassName: standard.metadata!.name! } };
        await handle.patch(name, { type: "merge", patch }, { signal });
        return undefined;
      }
    }
    const storageClass = classes.store.get(storageClassName ?? "");
    const matching = matchingVolumes(claim, volumes.store.list());
    const reserved = matching.find(({ spec }) => spec?.claimRef !== undefined);
    const waits = storageClass?.volumeBindingMode === "WaitForFirstConsumer" && annotations[selectedNode] === undefined;
    const volume = reserved ?? (waits ? undefined : matching[0]);
    if (volume !== undefined) await bind(client, claim, volume, signal);
    else if (waits) return waitForConsumer(claim);
    else if (storageClass !== undefined && storageClass.provisioner !== "kubernetes.io/no-provisioner")
      await provision(claim, storageClass, { client, events, signal });
    else events.event(claim, missingVolume(storageClassName ?? "", storageClass));
    return undefined;
  }

  async function reconcile(claim: Claim, call: ReconcileContext<PersistentVolumeClaim>): Promise<Requeue | undefined> {
    if (claim.metadata?.deletionTimestamp !== undefined) return undefined;
    const { namespace = "", uid } = claim.metadata ?? {};
    const handle = client.resource(PersistentVolumeClaim).namespace(namespace);
    const { volumeName = "" } = claim.spec ?? {};
    if (volumeName === "" && !isBindCompleted(claim)) return await findVolume(claim, call.signal);
    const volume = volumes.store.get(volumeName);
    const problem = bindingProblem(claim, volume);
    if (problem !== undefined) {
      const isLost = isBindCompleted(claim);
      if (isLost && claim.status?.phase === "Lost") return undefined;
      if (isLost) await writeStatus<PersistentVolumeClaim>(handle, claim, { phase: "Lost" }, call);
      events.event(claim, { type: "Warning", ...problem });
      return undefined;
    }
    if (volume === undefined) return undefined;
    if (volume.spec?.claimRef?.uid !== uid) await bind(client, claim, volume, call.signal);
    const {
      accessModes = [],
      capacity = {},
      volumeAttributesClassName: currentVolumeAttributesClassName,
    } = volume.spec ?? {};
    // Later, a resizer sets the capacity and the attributes.
    const initial = claim.status?.phase !== "Bound" && {
      capacity,
      ...(currentVolumeAttributesClassName !== undefined && { currentVolumeAttributesClassName }),
    };
    const status = { ...claim.status, phase: "Bound" as const, accessModes, ...initial };
    await writeStatus<PersistentVolumeClaim>(handle, claim, status, call);
    return undefined;
  }

  return createController({
    name: "persistentvolume-binder",
    for: client.resource(PersistentVolumeClaim),
    watches: [
      ...claimSources(client, pending),
      kindSource(
        client.resource(Pod),
        enqueueMapped((pod) =>
          claimNames(pod)
            .map((name) => ({ namespace: pod.metadata!.namespace!, name }))
            .filter(({ namespace, name }) => isPending(claims.store.get(`${namespace}/${name}`))),
        ),
        { predicates: [({ type, object }) => type === "added" && isUnscheduled(object)] },
      ),
    ],
    clock,
    log,
    reconcile: (_, call) => (call.object === undefined ? undefined : reconcile(call.object, call)),
  });
}

function isBindCompleted({ metadata }: Claim): boolean {
  return metadata?.annotations?.[bindCompleted] !== undefined;
}

function isPending(claim: Claim | undefined): boolean {
  return claim !== undefined && claim.status?.phase !== "Bound";
}

/** Returns the sources of changes that may end the wait of a claim for a volume. */
function claimSources(client: Client, pending: () => { namespace: string; name: string }[]): Source[] {
  return [
    kindSource(
      client.resource(PersistentVolume),
      enqueueMapped(({ spec }) => {
        const { namespace, name } = spec?.claimRef ?? {};
        return namespace !== undefined && name !== undefined ? [{ namespace, name }] : pending();
      }),
      {
        predicates: [(change) => change.type !== "updated" || !deepEqual(change.object.spec, change.old.spec)],
      },
    ),
    kindSource(client.resource(StorageClass), enqueueMapped(pending)),
  ];
}

/** Returns why a claim isn't bound to the volume that it names; `undefined` if it can be, or if the volume may still come. */
function bindingProblem(claim: Claim, volume: Volume | undefined): { reason: string; note: string } | undefined {
  const isBound = isBindCompleted(claim);
  if (isBound && !claim.spec?.volumeName) return lostReference;
  if (volume === undefined) return isBound ? lost : undefined;
  const name = volume.metadata!.name!;
  const owner = volume.spec?.claimRef;
  if (isBound) return owner === undefined || owner.uid === claim.metadata?.uid ? undefined : misbound;
  if (owner !== undefined && !isReservedFor(volume, claim))
    return { reason: "FailedBinding", note: `volume "${name}" already bound to a different claim.` };
  const mismatch = owner === undefined ? findMismatch(volume, claim) : undefined;
  if (mismatch === undefined) return undefined;
  return { reason: "VolumeMismatch", note: `Cannot bind to requested volume "${name}": ${mismatch}` };
}

/** Returns the event of a claim for which no volume exists or can be provisioned. */
function missingVolume(
  className: string,
  storageClass: DeepReadonly<StorageClass> | undefined,
): { readonly type: "Normal" | "Warning"; readonly reason: string; readonly note: string } {
  if (className === "") {
    const note = "no persistent volumes available for this claim and no storage class is set";
    return { type: "Normal", reason: "FailedBinding", note };
  }
  const note =
    storageClass === undefined
      ? `storageclass.storage.k8s.io "${className}" not found`
      : `no volume plugin matched name: ${storageClass.provisioner}`;
  return { type: "Warning", reason: "ProvisioningFailed", note };
}

/** Gives a volume to a claim, then the claim to the volume. */
async function bind(client: Client, claim: Claim, volume: Volume, signal: AbortSignal): Promise<void> {
  const { namespace = "", name = "", uid = "" } = claim.metadata ?? {};
  if (volume.spec?.claimRef?.uid !== uid) {
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid };
    const { resourceVersion } = volume.metadata!;
    const annotations = volume.spec?.claimRef === undefined ? byController : {};
    const patch = { metadata: { resourceVersion, annotations }, spec: { claimRef } };
    await client.resource(PersistentVolume).patch(volume.metadata!.name!, { type: "merge", patch }, { signal });
  }
  const annotations = { [bindCompleted]: "yes", ...(!claim.spec?.volumeName && byController) };
  const patch = { metadata: { annotations }, spec: { volumeName: volume.metadata!.name! } };
  await client.resource(PersistentVolumeClaim).namespace(namespace).patch(name, { type: "merge", patch }, { signal });
}
