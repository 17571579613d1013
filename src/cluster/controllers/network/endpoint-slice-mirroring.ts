import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueForObject } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { isNamespaceTerminating } from "../../../errors/predicates.js";
import { deepEqual } from "../../../internal/deep-equal.js";
import { Endpoints, Service } from "../../../kinds/core/v1.js";
import { EndpointSlice } from "../../../kinds/discovery/v1.js";
import type { DeepReadonly, ObjectMeta } from "../../../meta/object.js";
import { ownerReference } from "../../../objects/owner-references.js";
import type { ClusterContext } from "../context.js";
import { forAll } from "../shared/in-lanes.js";
import { maxMirrored, mirrorSubsets } from "./mirrored-subsets.js";
import type { EndpointGroup } from "./plan-slices.js";
import { managedBy, ServiceSlices, serviceName } from "./service-slices.js";

const manager = "endpointslicemirroring-controller.k8s.io";
const skipMirror = "endpointslice.kubernetes.io/skip-mirror";
const leaderElection = "control-plane.alpha.kubernetes.io/leader";
/** Annotations that slices don't get. */
const ownAnnotations = new Set([
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration",
]);

/**
 * Creates the controller that mirrors the Endpoints that users write for Services without a selector to EndpointSlices.
 * @see https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#endpointslice-mirroring
 */
export function createEndpointSliceMirroringController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const services = context.cache(Service);
  const slices = new ServiceSlices(context, manager);
  const events = context.recorder("endpoint-slice-mirroring-controller");

  return createController({
    name: "endpointslice-mirroring",
    for: client.resource(Endpoints),
    watches: [slices.source(), kindSource(client.resource(Service), enqueueForObject())],
    concurrency: 5,
    clock,
    log,
    async reconcile({ namespace, name }, { object: endpoints, signal, recordWrite }) {
      const handle = client.resource(EndpointSlice).namespace(namespace);
      if (endpoints === undefined) slices.forget({ namespace, name });
      const own = slices.list({ namespace, name });
      if (own === undefined) return;
      const record = (slice: EndpointSlice): void => {
        recordWrite(slice);
        slices.note({ namespace, name }, slice);
      };
      const service = services.store.get(`${namespace}/${name}`);
      const isMirrored = service !== undefined && service.spec?.selector === undefined && shouldMirror(endpoints);
      const { groups, skipped } = isMirrored ? mirrorSubsets(endpoints?.subsets ?? []) : { groups: [], skipped: 0 };
      if (skipped > 0)
        events.event(endpoints!, {
          type: "Warning",
          reason: "TooManyAddressesToMirror",
          note: `A max of ${maxMirrored} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
        });
      const plan = planMirrors(own, groups);
      const metadata = endpoints && metadataOf(endpoints);
      const writes = [
        ...plan.update.map(({ slice, group, isReused }) => async () => {
          if (isCurrent(slice, group, metadata!)) return;
          const { name: kept, uid, resourceVersion } = slice.metadata!;
          // Like upstream, a slice that replaces a new one has the prefix that the new one would have had.
          const prefix = isReused ? { generateName: `${name}-` } : {};
          const identity = { name: kept, namespace, uid, resourceVersion, ...prefix } as ObjectMeta;
          record(await handle.update({ metadata: { ...identity, ...metadata }, ...sliceOf(group) }, { signal }));
        }),
        ...plan.create.map((group) => async () => {
          if (endpoints!.metadata?.deletionTimestamp !== undefined) return;
          const created = { metadata: { ...metadata, namespace, generateName: `${name}-` }, ...sliceOf(group) };
          try {
            record(await handle.create(created, { signal }));
          } catch (error) {
            if (!isNamespaceTerminating(error)) throw error;
          }
        }),
        ...plan.delete.map(({ metadata: { name: slice, uid } = {} }) => async () => {
          await handle.delete(slice!, { preconditions: { uid: uid! }, signal });
        }),
      ];
      await forAll(writes, (write) => write());
    },
  });
}

function shouldMirror(endpoints: DeepReadonly<Endpoints> | undefined): boolean {
  const { labels, annotations } = endpoints?.metadata ?? {};
  return endpoints !== undefined && labels?.[skipMirror] !== "true" && annotations?.[leaderElection] === undefined;
}

/** Returns the metadata that slices get from the object that they mirror. */
function metadataOf(
  endpoints: DeepReadonly<Endpoints>,
): Pick<ObjectMeta, "labels" | "annotations" | "ownerReferences"> {
  const { name, labels, annotations = {} } = endpoints.metadata!;
  const kept = Object.entries(annotations).filter(([key]) => !ownAnnotations.has(key));
  return {
    labels: { ...(labels as Record<string, string>), [serviceName]: name!, [managedBy]: manager },
    ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
    ownerReferences: [ownerReference(endpoints, { controller: true })],
  };
}

type Mirror = Pick<EndpointSlice, "addressType" | "ports" | "endpoints">;

function sliceOf({ addressType, ports, endpoints }: EndpointGroup): Mirror {
  return { addressType, ports: [...ports], endpoints: [...endpoints] };
}

/** Returns true if a slice is what it should be, apart from its owners. */
function isCurrent(
  { metadata = {}, ports, endpoints }: DeepReadonly<EndpointSlice>,
  group: EndpointGroup,
  { labels, annotations = {} }: Pick<ObjectMeta, "labels" | "annotations">,
): boolean {
  return (
    deepEqual([ports ?? [], endpoints ?? []], [group.ports, group.endpoints]) &&
    deepEqual([metadata.labels, metadata.annotations ?? {}], [labels, annotations])
  );
}

/** Changes that make slices mirror groups of endpoints. */
interface MirrorPlan {
  /** Slices for groups. A reused one had other ports. */
  readonly update: readonly SlicedGroup[];
  readonly create: readonly EndpointGroup[];
  readonly delete: readonly DeepReadonly<EndpointSlice>[];
}

interface SlicedGroup {
  readonly slice: DeepReadonly<EndpointSlice>;
  readonly group: EndpointGroup;
  readonly isReused: boolean;
}

/** Gives each group a slice: the one with its ports, or another one that isn't needed any more, or a new one. */
function planMirrors(own: readonly DeepReadonly<EndpointSlice>[], groups: readonly EndpointGroup[]): MirrorPlan {
  const unused = new Set(own);
  const update: SlicedGroup[] = [];
  /** Returns the groups that find no slice. */
  const place = (left: readonly EndpointGroup[], isReused: boolean): EndpointGroup[] =>
    left.filter((group) => {
      const slice = [...unused].find(
        ({ addressType, ports }) =>
          addressType === group.addressType && (isReused || deepEqual(ports ?? [], group.ports)),
      );
      if (slice === undefined) return true;
      unused.delete(slice);
      update.push({ slice, group, isReused });
      return false;
    });
  return { create: place(place(groups, false), true), update, delete: [...unused] };
}
