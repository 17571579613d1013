import type { Client } from "../../../client/client.js";
import { isNotFound } from "../../../errors/predicates.js";
import {
  ConfigMap,
  type Container,
  type EnvVarSource,
  Node,
  type Pod,
  type ResourceFieldSelector,
  Secret,
  type Service,
} from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { parseQuantity, quantityToNumber } from "../../../meta/quantity.js";
import { expand } from "./process.js";
import { serviceEnvironment } from "./service-environment.js";

/** A container can't be created because of its configuration. */
export class ContainerConfigError extends Error {
  override readonly name = "ContainerConfigError";
}

/** True if the environment of a container depends on other objects. */
export function refersToObjects({ env = [], envFrom = [] }: DeepReadonly<Container>): boolean {
  return (
    envFrom.length > 0 ||
    env.some(({ valueFrom }) => valueFrom?.configMapKeyRef !== undefined || valueFrom?.secretKeyRef !== undefined)
  );
}

/** Sources of the environment of a container. */
export interface EnvironmentSources {
  readonly client: Client;
  /** Returns the Services for which the containers of a pod get variables. */
  services(pod: DeepReadonly<Pod>): Promise<readonly DeepReadonly<Service>[]>;
}

/** Returns the environment of a container. Rejects with a `ContainerConfigError` if a referenced object is missing. */
export async function readEnvironment(
  { client, services }: EnvironmentSources,
  pod: DeepReadonly<Pod>,
  container: DeepReadonly<Container>,
): Promise<Record<string, string>> {
  const namespace = pod.metadata!.namespace!;
  const read = createReader(client, namespace);
  const env = serviceEnvironment(await services(pod));
  for (const { prefix = "", configMapRef, secretRef } of container.envFrom ?? []) {
    const reference = configMapRef ?? secretRef;
    const data = await read(configMapRef ? "configmap" : "secret", reference?.name ?? "", reference?.optional);
    for (const [key, value] of Object.entries(data ?? {})) env[prefix + key] = value;
  }
  for (const { name, value, valueFrom } of container.env ?? []) {
    const { resourceFieldRef } = valueFrom ?? {};
    let result: string | undefined;
    if (valueFrom === undefined) result = expand(value ?? "", env);
    else if (resourceFieldRef === undefined) result = await valueOf(valueFrom, pod, read);
    else result = await resourceOf(resourceFieldRef, pod, container, client);
    if (result !== undefined) env[name] = result;
  }
  return { HOSTNAME: hostnameOf(pod), ...env };
}

/** Longest name of a host in Linux. */
const longestHostname = 63;

/** Returns the name of a pod's host as its containers see it. */
export function hostnameOf({ metadata, spec }: DeepReadonly<Pod>): string {
  if (spec?.hostNetwork === true) return spec.nodeName!;
  const name = spec?.hostnameOverride ?? spec?.hostname ?? metadata!.name!;
  let end = Math.min(name.length, longestHostname);
  while (end < name.length && "-.".includes(name[end - 1]!)) end--;
  const short = name.slice(0, end);
  const isFull =
    spec?.setHostnameAsFQDN === true && spec.hostnameOverride === undefined && spec.subdomain !== undefined;
  return isFull ? `${short}.${spec.subdomain}.${metadata!.namespace!}.svc.cluster.local` : short;
}

type Reader = (
  kind: "configmap" | "secret",
  name: string,
  optional: boolean | undefined,
) => Promise<Record<string, string> | undefined>;

function createReader(client: Client, namespace: string): Reader {
  return async (kind, name, optional) => {
    try {
      if (kind === "configmap") return (await client.resource(ConfigMap).namespace(namespace).get(name)).data ?? {};
      const { data = {} } = await client.resource(Secret).namespace(namespace).get(name);
      return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decode(value)]));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (optional === true) return undefined;
      throw new ContainerConfigError(`${kind} "${name}" not found`);
    }
  };
}

function decode(base64: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}

async function valueOf(
  source: DeepReadonly<EnvVarSource>,
  pod: DeepReadonly<Pod>,
  read: Reader,
): Promise<string | undefined> {
  const { configMapKeyRef, secretKeyRef, fieldRef } = source;
  const reference = configMapKeyRef ?? secretKeyRef;
  if (reference !== undefined) {
    const kind = configMapKeyRef ? "configmap" : "secret";
    const { key, name = "", optional } = reference;
    const data = await read(kind, name, optional);
    const value = data?.[key];
    if (value === undefined && optional !== true)
      throw new ContainerConfigError(
        `couldn't find key ${key} in ${configMapKeyRef ? "ConfigMap" : "Secret"} ${pod.metadata!.namespace}/${name}`,
      );
    return value;
  }
  return fieldRef === undefined ? undefined : podField(pod, fieldRef.fieldPath);
}

/** Returns the amount of a resource in units of the divisor. Without a limit, it's what the node has for pods. */
async function resourceOf(
  { resource, divisor = "1", containerName }: DeepReadonly<ResourceFieldSelector>,
  { spec }: DeepReadonly<Pod>,
  container: DeepReadonly<Container>,
  client: Client,
): Promise<string> {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const { resources } = containers.find(({ name }) => name === containerName) ?? container;
  const [kind = "", name = ""] = resource.split(/\.(.*)/s);
  let amount = resources?.[kind as "limits" | "requests"]?.[name];
  if (amount === undefined && kind === "limits")
    amount = (await client.resource(Node).get(spec!.nodeName!)).status?.allocatable?.[name];
  const unit = quantityToNumber(parseQuantity(divisor)) || 1;
  return String(Math.ceil(quantityToNumber(parseQuantity(amount ?? "0")) / unit));
}

/** Returns a field of a pod for the downward API, such as `metadata.name` or `metadata.labels['app']`. */
function podField({ metadata, spec, status }: DeepReadonly<Pod>, path: string): string {
  const member = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (member !== null) return metadata?.[member[1] as "labels" | "annotations"]?.[member[2]!] ?? "";
  const fields: Readonly<Record<string, string | undefined>> = {
    "metadata.name": metadata?.name,
    "metadata.namespace": metadata?.namespace,
    "metadata.uid": metadata?.uid,
    "spec.nodeName": spec?.nodeName,
    "spec.serviceAccountName": spec?.serviceAccountName,
    "status.hostIP": status?.hostIP,
    "status.hostIPs": status?.hostIPs?.map(({ ip }) => ip).join(","),
    "status.podIP": status?.podIP,
    "status.podIPs": status?.podIPs?.map(({ ip }) => ip).join(","),
  };
  return fields[path] ?? "";
}
