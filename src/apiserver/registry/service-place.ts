import { TransportError } from "../../errors/errors.js";
import type { Endpoints, Service } from "../../kinds/core/v1.js";
import type { EndpointSlice } from "../../kinds/discovery/v1.js";
import type { FindService, ServiceReference, ServiceResolver } from "../http/service-resolver.js";
import type { MvccStore } from "../storage/mvcc.js";
import { getStored, listStored } from "./stored-objects.js";

/** An address of a Service with its port. */
interface Target {
  readonly host: string;
  readonly port: number;
}

/**
 * Creates the function that finds the programs behind Services: by `resolve`, at an external name, or at a ready
 * endpoint. A Service that isn't stored keeps its DNS name in the cluster.
 */
export function createServiceFinder(store: MvccStore, resolve: ServiceResolver | undefined): FindService {
  return async (reference) => {
    const { namespace, name, port } = reference;
    const own = await resolve?.(reference);
    const origin = `https://${name}.${namespace}.svc:${String(port)}`;
    if (typeof own === "function") return { origin, resolved: true, handler: own };
    if (own !== undefined) return { origin: withoutSlash(own, reference), resolved: true };
    const service = getStored({ store }, "/services", `${namespace}/${name}`) as Service | undefined;
    if (service === undefined) return { origin };
    const { host, port: targetPort } = targetOf(store, service, reference);
    return { origin, connectTo: `${host.includes(":") ? `[${host}]` : host}:${String(targetPort)}` };
  };
}

function withoutSlash(origin: string, { namespace, name }: ServiceReference): string {
  if (!URL.canParse(origin) || !/^https?:$/.test(new URL(origin).protocol))
    throw new TypeError(`resolveService: invalid URL for the service ${namespace}/${name}`);
  return origin.replace(/\/$/, "");
}

function targetOf(store: MvccStore, { spec = {} }: Service, { namespace, name, port }: ServiceReference): Target {
  if (spec.type === "ExternalName") return { host: spec.externalName ?? "", port };
  const found = spec.ports?.find((each) => each.port === port);
  if (found === undefined)
    throw new TransportError(`no service port ${String(port)} found for service ${JSON.stringify(name)}`);
  const portName = found.name ?? "";
  const target = sliceTarget(store, namespace, name, portName) ?? endpointsTarget(store, namespace, name, portName);
  if (target === undefined) throw new TransportError(`no endpoints available for service ${JSON.stringify(name)}`);
  return target;
}

function sliceTarget(store: MvccStore, namespace: string, service: string, portName: string): Target | undefined {
  for (const slice of listStored(
    { store },
    "discovery.k8s.io/endpointslices",
    namespace,
  ) as unknown as EndpointSlice[]) {
    if (slice.metadata?.labels?.["kubernetes.io/service-name"] !== service) continue;
    const port = slice.ports?.find((each) => (each.name ?? "") === portName)?.port;
    const ready = (slice.endpoints as EndpointSlice["endpoints"] | null)?.find(
      ({ addresses, conditions }) => conditions?.ready !== false && addresses.length > 0,
    );
    if (port !== undefined && ready !== undefined) return { host: ready.addresses[0]!, port };
  }
  return undefined;
}

function endpointsTarget(store: MvccStore, namespace: string, service: string, portName: string): Target | undefined {
  const endpoints = getStored({ store }, "/endpoints", `${namespace}/${service}`) as Endpoints | undefined;
  for (const { addresses = [], ports = [] } of endpoints?.subsets ?? []) {
    const port = ports.find((each) => (each.name ?? "") === portName)?.port;
    const [address] = addresses;
    if (port !== undefined && address !== undefined) return { host: address.ip, port };
  }
  return undefined;
}
