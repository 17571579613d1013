import { KubestreamError } from "../../errors/kubestream-error.js";
import { whenAborted } from "../../internal/abort.js";
import { PersistentVolume, PersistentVolumeClaim, Pod } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { compareResourceVersions } from "../../meta/resource-version.js";
import type { ClusterContext } from "../controllers/context.js";
import { serverMessage } from "../controllers/shared/server-message.js";
import {
  isFullyBound,
  planVolumes,
  readClaims,
  selectedNodeAnnotation,
  type VolumePlan,
  type VolumeReader,
} from "./plugins/volume-binding.js";
import type { NodeInfo } from "./snapshot/node-info.js";
import { createVolumeReader, type VolumeChanges } from "./volume-reader.js";

/** Time after which a pod is scheduled again if its volumes aren't bound. */
const bindTimeoutMs = 600_000;

/** Error of a pod whose volumes can't be bound on its node. */
export class VolumeBindingError extends KubestreamError {
  override readonly name = "VolumeBindingError";

  static override get className(): string {
    return "VolumeBindingError";
  }
}

/** Binds the claims of pods that wait for their first consumer. */
export interface ClaimBinder {
  readonly reader: VolumeReader;
  /** Returns true while a pod can't be scheduled because drivers of volumes aren't read. */
  isWaiting(pod: DeepReadonly<Pod>): boolean;
  /**
   * Chooses volumes for a pod's claims, or has them provisioned for a node, and resolves when they are bound. Rejects with
   * a `VolumeBindingError` if that fails. Returns `undefined` if nothing is to be done.
   */
  prepare(pod: DeepReadonly<Pod>, node: NodeInfo, signal: AbortSignal): Promise<void> | undefined;
}

/** Creates a binder. */
export function createClaimBinder(context: ClusterContext, changes: VolumeChanges): ClaimBinder {
  const reader = createVolumeReader(context, changes);

  async function bindVolumes(
    pod: DeepReadonly<Pod>,
    plan: VolumePlan,
    node: string,
    signal: AbortSignal,
  ): Promise<void> {
    const forget = reader.assume(plan, node);
    try {
      const written = await writePlan(context, plan, node, signal);
      await waitUntilBound(context, { pod, plan, node, written, signal });
    } catch (error) {
      if (signal.aborted) throw error;
      throw new VolumeBindingError(`binding volumes: ${serverMessage(error)}`, { cause: error });
    } finally {
      forget();
    }
  }

  return {
    reader,
    isWaiting: (pod) => !reader.isReadFor(pod),
    prepare(pod, node, signal) {
      if ((pod.spec?.volumes ?? []).length === 0) return undefined;
      const claims = readClaims(pod, reader);
      if ("rejectsAll" in claims || claims.delayed.length === 0) return undefined;
      const plan = planVolumes(claims, node, reader);
      // The filters have accepted the node.
      return "bindings" in plan ? bindVolumes(pod, plan, node.name, signal) : undefined;
    },
  };
}

/** Reserves volumes, and has others provisioned. Returns the claims to provision as they are then. */
async function writePlan(
  { client }: ClusterContext,
  { bindings, provisions }: VolumePlan,
  node: string,
  signal: AbortSignal,
): Promise<readonly DeepReadonly<PersistentVolumeClaim>[]> {
  for (const { claim, volume } of bindings) {
    const { namespace, name, uid } = claim.metadata!;
    const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid };
    const { name: volumeName, resourceVersion } = volume.metadata!;
    // A volume that was reserved for the claim before keeps its reference when the claim goes.
    const annotations = volume.spec?.claimRef === undefined ? { "pv.kubernetes.io/bound-by-controller": "yes" } : {};
    const patch = { metadata: { resourceVersion, annotations }, spec: { claimRef } };
    await client.resource(PersistentVolume).patch(volumeName!, { type: "merge", patch }, { signal });
  }
  const written: DeepReadonly<PersistentVolumeClaim>[] = [];
  for (const { metadata } of provisions) {
    const claims = client.resource(PersistentVolumeClaim).namespace(metadata!.namespace!);
    const patch = { metadata: { annotations: { [selectedNodeAnnotation]: node } } };
    written.push(await claims.patch(metadata!.name!, { type: "merge", patch }, { signal }));
  }
  return written;
}

/** A pod whose volumes are being bound. */
interface Binding {
  readonly pod: DeepReadonly<Pod>;
  readonly plan: VolumePlan;
  readonly node: string;
  /** Claims to provision, as they were written. */
  readonly written: readonly DeepReadonly<PersistentVolumeClaim>[];
  readonly signal: AbortSignal;
}

/** Waits until the claims of a pod are bound. Rejects if a volume or a claim is lost, the pod goes, or it takes too long. */
async function waitUntilBound({ cache, clock }: ClusterContext, binding: Binding): Promise<void> {
  const { pod, plan, node, written, signal } = binding;
  const [pods, claims, volumes] = [cache(Pod), cache(PersistentVolumeClaim), cache(PersistentVolume)];
  const current = ({ metadata }: DeepReadonly<PersistentVolumeClaim>) => {
    const claim = claims.store.get(`${metadata!.namespace}/${metadata!.name}`);
    if (claim?.metadata?.uid === metadata!.uid) return claim!;
    throw new VolumeBindingError(`persistentvolumeclaim "${metadata!.name}" not found`);
  };
  /** Returns true once all is bound. Throws if it can't be any more. */
  const isBound = (): boolean => {
    const { namespace, name, uid } = pod.metadata!;
    if (pods.store.get(`${namespace}/${name}`)?.metadata?.uid !== uid)
      throw new VolumeBindingError(`pod does not exist any more: pod "${name}" not found`);
    const states = plan.bindings.map(({ claim, volume }) => {
      const volumeName = volume.metadata!.name!;
      // Its reservation may not be in the cache yet.
      if (volumes.store.get(volumeName) === undefined)
        throw new VolumeBindingError(`could not find v1.PersistentVolume "${volumeName}"`);
      return isFullyBound(current(claim));
    });
    for (const claim of written) {
      const now = current(claim);
      const isOld =
        (compareResourceVersions(now.metadata!.resourceVersion!, claim.metadata!.resourceVersion!) ?? 0) < 0;
      // A driver that can't provision a volume on the node removes the annotation.
      if (!isOld && now.metadata?.annotations?.[selectedNodeAnnotation] !== node)
        throw new VolumeBindingError(`provisioning failed for PVC "${claim.metadata!.name}"`);
      states.push(!isOld && isFullyBound(now));
    }
    return states.every((state) => state);
  };
  let end: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const check = (): void => {
        try {
          if (isBound()) resolve();
        } catch (error) {
          reject(error);
        }
      };
      const handlers = [pods, claims, volumes].map((informer) => informer.addHandler(check, { replay: false }));
      const timer = clock.setTimer(() => reject(new VolumeBindingError("context deadline exceeded")), bindTimeoutMs);
      const unfollow = whenAborted(signal, () => reject(signal.reason as Error));
      end = () => {
        for (const handler of handlers) handler.remove();
        timer.cancel();
        unfollow();
      };
      check();
    });
  } finally {
    end?.();
  }
}
