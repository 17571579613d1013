import type { Endpoints, ObjectReference } from "../../kinds/core/v1.js";
import { badRequest, failure, notFound, rawError } from "../errors/status.js";
import { goQuote } from "../internal/go-text.js";
import { isGlobalUnicast, lenientAddress } from "../objects/addresses.js";
import type { ApiObject } from "../objects/api-object.js";
import { getVersion, readObject } from "../registry/read.js";
import type { ServedResource } from "../registry/resources.js";
import { groupResourceOf } from "../registry/resources.js";
import type { HandlerContext } from "./services.js";

/** Target of a proxy request: `name`, `name:port` or `scheme:name:port`. */
interface Target {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}

/** Server that a proxy request would connect to. */
interface Location {
  readonly host: string;
  readonly port: string;
}

/**
 * Returns the error for a proxy request. The target is resolved like on a kube-apiserver; no node, pod or service of
 * this server has a process to connect to.
 */
export function proxyFailure(context: HandlerContext, resource: ServedResource): Error {
  const { pathName } = context.info;
  const locate = locators[resource.resource];
  const target = parseTarget(pathName);
  if (target === undefined || locate === undefined)
    return badRequest(`invalid ${resource.singular} request ${goQuote(pathName)}`);
  const { host, port } = locate(context, resource, target);
  const address = host.includes(":") ? `[${host}]` : host;
  const unreachable = `dial tcp ${address}:${port}: connect: connection refused`;
  return failure(503, "ServiceUnavailable", `error trying to reach service: ${unreachable}`);
}

function parseTarget(text: string): Target | undefined {
  const parts = text.split(":");
  const [scheme, name, port] =
    parts.length === 3 ? parts : parts.length < 3 ? ["", ...parts, ""] : [undefined, undefined, undefined];
  if (scheme === undefined || !["", "http", "https"].includes(scheme) || (name ?? "") === "") return undefined;
  return { scheme, name: name!, port: port ?? "" };
}

type Locator = (context: HandlerContext, resource: ServedResource, target: Target) => Location;

const locators: Readonly<Record<string, Locator>> = {
  nodes: locateNode,
  pods: locatePod,
  services: locateService,
};

const addressTypes = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

interface Node extends ApiObject {
  status?: {
    addresses?: { type: string; address: string }[];
    daemonEndpoints?: { kubeletEndpoint?: { Port?: number } };
  };
}

function locateNode(context: HandlerContext, resource: ServedResource, { name, port }: Target): Location {
  const { status = {} } = readObject(resource, getVersion(context, resource, "", name)) as Node;
  const { addresses = [], daemonEndpoints } = status;
  const host = addressTypes
    .map((type) => addresses.find((address) => address.type === type)?.address)
    .find((address) => address !== undefined);
  if (host === undefined) {
    const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(" ");
    throw rawError(`no preferred addresses found; known addresses: [${known}]`);
  }
  if (lenientAddress(host) === undefined) throw badRequest(`lookup ${host}: no such host`);
  checkAddress(host);
  const kubeletPort = daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
  return { host, port: port === "" ? String(kubeletPort > 0 ? kubeletPort : 10_250) : port };
}

interface Pod extends ApiObject {
  spec?: { containers?: { ports?: { containerPort: number }[] }[] };
  status?: { podIPs?: { ip?: string }[]; podIP?: string };
}

function locatePod(context: HandlerContext, resource: ServedResource, { scheme, name, port }: Target): Location {
  const pod = readObject(resource, getVersion(context, resource, context.info.namespace, name)) as Pod;
  const host = podAddress(pod);
  checkAddress(host);
  const declared = pod.spec?.containers?.find(({ ports = [] }) => ports.length > 0)?.ports?.[0]?.containerPort;
  return { host, port: port === "" ? String(declared ?? standardPort(scheme)) : port };
}

interface Service extends ApiObject {
  spec?: { ports?: { name?: string; port: number }[] };
}

function locateService(context: HandlerContext, resource: ServedResource, { name, port }: Target): Location {
  const { namespace, pathName } = context.info;
  const { resources } = context.services;
  let portName = port;
  if (/^[+-]?\d+$/.test(port)) {
    const { spec } = readObject(resource, getVersion(context, resource, namespace, name)) as Service;
    const found = spec?.ports?.find((each) => each.port === Number(port));
    if (found === undefined) throw unavailable(`no service port ${Number(port)} found for service ${goQuote(name)}`);
    portName = found.name ?? "";
  }
  const { store } = context.services;
  const endpointsResource = resources.find("", "v1", "endpoints")!;
  const version = store.bucket(endpointsResource.bucket).get(`${namespace}/${name}`);
  // A kube-apiserver reports missing Endpoints as a missing service.
  if (version === undefined) throw notFound(groupResourceOf(resource), name);
  const endpoints = readObject(endpointsResource, version) as unknown as Endpoints;
  const subsets = endpoints.subsets ?? [];
  if (subsets.length === 0) throw unavailable(`no endpoints available for service ${goQuote(name)}`);
  for (const { addresses = [], ports = [] } of subsets) {
    const named = ports.find((each) => (each.name ?? "") === portName);
    if (named === undefined) continue;
    const address = addresses.find(({ ip, targetRef }) => isPodAddress(context, ip, targetRef));
    if (address !== undefined) return { host: address.ip, port: String(named.port) };
  }
  throw unavailable(`no endpoints available for service ${goQuote(pathName)}`);
}

/** True if an address belongs to the pod that it refers to. Other addresses aren't proxied to. */
function isPodAddress(context: HandlerContext, ip: string, targetRef: ObjectReference | undefined): boolean {
  const { resources, store } = context.services;
  const pods = resources.find("", "v1", "pods")!;
  const { kind, namespace, name } = targetRef ?? {};
  if (kind !== "Pod" || namespace !== context.info.namespace) return false;
  const version = store.bucket(pods.bucket).get(`${namespace}/${name ?? ""}`);
  return version !== undefined && podAddress(readObject(pods, version)) === ip;
}

function podAddress({ status }: Pod): string {
  return status?.podIPs?.[0]?.ip ?? status?.podIP ?? "";
}

function checkAddress(host: string): void {
  const bytes = lenientAddress(host);
  if (bytes === undefined || !isGlobalUnicast(bytes)) throw badRequest("address not allowed");
}

function standardPort(scheme: string): number {
  return scheme === "https" ? 443 : 80;
}

function unavailable(message: string): Error {
  return failure(503, "ServiceUnavailable", message);
}
