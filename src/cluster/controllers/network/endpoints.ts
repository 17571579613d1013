import type { Controller } from "../../../controller/reconcile/controller.js";
import { createController } from "../../../controller/reconcile/create-controller.js";
import { enqueueForObject } from "../../../controller/reconcile/enqueue.js";
import { kindSource } from "../../../controller/reconcile/kind-source.js";
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from "../../../errors/predicates.js";
import { deepEqual } from "../../../internal/deep-equal.js";
import {
  type EndpointAddress,
  type EndpointPort,
  type EndpointSubset,
  Endpoints,
  Pod,
  Service,
} from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { formatTime } from "../../../meta/time.js";
import type { ClusterContext } from "../context.js";
import { batched } from "../shared/batched.js";
import { isReady } from "../shared/pods.js";
import { serverMessage } from "../shared/server-message.js";
import {
  addressesOf,
  hasManagedEndpoints,
  hostnameIn,
  inheritedLabels,
  isHeadless,
  portsOf,
  selects,
} from "./service-endpoints.js";
import { servicesOfPods } from "./service-source.js";

const managedBy = "endpoints.kubernetes.io/managed-by";
const overCapacity = "endpoints.kubernetes.io/over-capacity";
const changeTime = "endpoints.kubernetes.io/last-change-trigger-time";
/** Most addresses of an object. */
const capacity = 1_000;

/**
 * Creates the controller that keeps the addresses of the pods of each Service with a selector in an Endpoints object, for
 * clients that don't know EndpointSlices.
 * @see https://kubernetes.io/docs/concepts/services-networking/service/#endpoints
 */
export function createEndpointsController(context: ClusterContext): Controller {
  const { client, clock, log } = context;
  const pods = context.cache(Pod);
  const services = context.cache(Service);
  const known = context.cache(Endpoints);
  const events = context.recorder("endpoint-controller");

  return createController({
    name: "endpoints",
    for: client.resource(Service),
    watches: [
      batched(servicesOfPods(context, services), context),
      // Edits by clients stay until the Service or its pods change.
      kindSource(client.resource(Endpoints), enqueueForObject(), { predicates: [({ type }) => type !== "updated"] }),
    ],
    concurrency: 5,
    clock,
    log,
    async reconcile({ namespace, name }, { object: service, signal, recordWrite }) {
      const handle = client.resource(Endpoints).namespace(namespace);
      const current = known.store.get(`${namespace}/${name}`);
      if (service === undefined) {
        // Endpoints have no owner. Those that another program made stay.
        if (current?.metadata?.labels?.[managedBy] === undefined) return;
        await handle.delete(name, { signal }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
        return;
      }
      if (!hasManagedEndpoints(service) || service.metadata?.deletionTimestamp !== undefined) return;
      const all = subsetsOf(
        service,
        pods.store.list({ namespace }).filter((pod) => selects(service, pod)),
      );
      const { subsets, isCut } = cut(all);
      const labels = { ...inheritedLabels(service), [managedBy]: "endpoint-controller" };
      const isCurrent =
        current !== undefined &&
        deepEqual(current.subsets ?? [], subsets) &&
        deepEqual(current.metadata?.labels ?? {}, labels) &&
        (current.metadata?.annotations?.[overCapacity] !== undefined) === isCut;
      if (isCurrent) return;
      const { [overCapacity]: _, ...kept } = current?.metadata?.annotations ?? {};
      const annotations = {
        ...kept,
        ...(isCut && { [overCapacity]: "truncated" }),
        ...(subsets.length > 0 && { [changeTime]: formatTime(clock.now()) }),
      };
      try {
        const written =
          current === undefined
            ? await handle.create({ metadata: { name, labels, annotations }, subsets }, { signal })
            : await handle.update(
                { ...current, metadata: { ...current.metadata, labels, annotations }, subsets },
                { signal },
              );
        recordWrite(written);
      } catch (error) {
        const isNew = current === undefined;
        // The cache doesn't show existing ones yet; their change comes.
        if (isNew && (isAlreadyExists(error) || isNamespaceTerminating(error))) return;
        if (signal.aborted) throw error;
        const reason = isNew ? "FailedToCreateEndpoint" : "FailedToUpdateEndpoint";
        const text = isNew ? "Failed to create endpoint for service" : "Failed to update endpoint";
        const note = `${text} ${namespace}/${name}: ${serverMessage(error)}`;
        // Upstream's new Endpoints have no namespace yet, so that their event is in the namespace `default`.
        const about = current ?? { apiVersion: "v1", kind: "Endpoints", name };
        events.event(about, { type: "Warning", reason, note });
        throw error;
      }
    },
  });
}

/** Port at which a Service is served, and the addresses that have it. `port` is `undefined` for a Service without ports. */
interface ServedPort {
  readonly port: EndpointPort | undefined;
  readonly ready: EndpointAddress[];
  readonly notReady: EndpointAddress[];
}

/** Returns the addresses of the pods in subsets: ports that the same addresses serve are in one. */
function subsetsOf(service: DeepReadonly<Service>, pods: readonly DeepReadonly<Pod>[]): EndpointSubset[] {
  const subsets = new Map<string, ServedPort & { readonly ports: EndpointPort[] }>();
  for (const served of portsWithAddresses(service, pods)) {
    for (const list of [served.ready, served.notReady]) list.sort((a, b) => (a.ip < b.ip ? -1 : 1));
    const key = JSON.stringify([served.ready, served.notReady].map((list) => list.map(({ ip }) => ip)));
    const subset = subsets.get(key) ?? { ...served, ports: [] };
    subsets.set(key, subset);
    if (served.port !== undefined) subset.ports.push(served.port);
  }
  return [...subsets.values()].map(({ ready, notReady, ports }) => ({
    ...(ready.length > 0 && { addresses: ready }),
    ...(notReady.length > 0 && { notReadyAddresses: notReady }),
    ...(ports.length > 0 && { ports }),
  }));
}

/** Returns the ports that the pods serve, in a stable order. */
function portsWithAddresses(service: DeepReadonly<Service>, pods: readonly DeepReadonly<Pod>[]): ServedPort[] {
  const all = new Map<string, ServedPort>();
  const wantsIpv6 = service.spec?.ipFamilies?.[0] === "IPv6";
  const toleratesUnready = service.spec?.publishNotReadyAddresses === true;
  const hasNoPorts = isHeadless(service) && (service.spec?.ports ?? []).length === 0;
  for (const pod of pods) {
    const ip = addressesOf(pod).find((each) => each.includes(":") === wantsIpv6);
    const isGoing = pod.metadata?.deletionTimestamp !== undefined;
    if (ip === undefined || (isGoing && !toleratesUnready)) continue;
    const ports = portsOf(service, pod).map(({ name = "", ...port }) => ({ ...(name !== "" && { name }), ...port }));
    const isServing = toleratesUnready || isReady(pod);
    for (const port of hasNoPorts ? [undefined] : (ports as EndpointPort[])) {
      const key = JSON.stringify(port ?? {});
      const served = all.get(key) ?? { port, ready: [], notReady: [] };
      all.set(key, served);
      served[isServing ? "ready" : "notReady"].push(addressOf(service, pod, ip));
    }
  }
  return [...all.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, served]) => served);
}

function addressOf(service: DeepReadonly<Service>, pod: DeepReadonly<Pod>, ip: string): EndpointAddress {
  const { namespace, name, uid } = pod.metadata!;
  const hostname = hostnameIn(service, pod);
  return {
    ip,
    ...(hostname !== undefined && { hostname }),
    ...(pod.spec?.nodeName !== undefined && { nodeName: pod.spec.nodeName }),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

/** Leaves out addresses beyond the capacity, first those that aren't ready. */
function cut(all: readonly EndpointSubset[]): { readonly subsets: EndpointSubset[]; readonly isCut: boolean } {
  let room = capacity;
  let isCut = false;
  const take = (addresses: EndpointAddress[] | undefined): EndpointAddress[] | undefined => {
    const taken = addresses?.slice(0, room);
    isCut ||= (taken?.length ?? 0) < (addresses?.length ?? 0);
    room -= taken?.length ?? 0;
    return taken === undefined || taken.length === 0 ? undefined : taken;
  };
  const ready = all.map(({ addresses }) => take(addresses));
  const subsets = all.map(({ ports, notReadyAddresses }, index) => {
    const waiting = take(notReadyAddresses);
    const addresses = ready[index];
    return { ...(addresses && { addresses }), ...(waiting && { notReadyAddresses: waiting }), ...(ports && { ports }) };
  });
  return { subsets: subsets.filter((each) => each.addresses ?? each.notReadyAddresses), isCut };
}
