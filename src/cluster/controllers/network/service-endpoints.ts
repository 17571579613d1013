import type { Pod, Service, ServicePort } from "../../../kinds/core/v1.js";
import type { EndpointPort } from "../../../kinds/discovery/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { isFinished } from "../shared/pods.js";

/** Returns true if a controller finds the endpoints of a Service, by its selector. */
export function hasManagedEndpoints({ spec }: DeepReadonly<Service>): boolean {
  return spec?.selector !== undefined && spec.type !== "ExternalName";
}

/** Returns true if a Service selects a pod. */
export function selects(service: DeepReadonly<Service>, { metadata }: DeepReadonly<Pod>): boolean {
  const labels = metadata?.labels ?? {};
  return (
    hasManagedEndpoints(service) &&
    Object.entries(service.spec!.selector!).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value)
  );
}

/** Returns the addresses of a pod that may receive traffic; none if it has ended or has no network yet. */
export function addressesOf(pod: DeepReadonly<Pod>): readonly string[] {
  if (isFinished(pod)) return [];
  const { podIP, podIPs = [] } = pod.status ?? {};
  const all = podIPs.flatMap(({ ip }) => (ip === undefined ? [] : [ip]));
  return all.length > 0 ? all : podIP === undefined ? [] : [podIP];
}

/** Returns true for a headless Service. */
export function isHeadless({ spec }: DeepReadonly<Service>): boolean {
  return spec?.clusterIP === "None";
}

/** Returns the host name that a pod has in the domain of a headless Service. */
export function hostnameIn(service: DeepReadonly<Service>, { spec }: DeepReadonly<Pod>): string | undefined {
  return spec?.subdomain === service.metadata?.name ? spec?.hostname : undefined;
}

/** Returns the ports at which a pod serves a Service. Leaves out named ports that the pod doesn't have. */
export function portsOf(service: DeepReadonly<Service>, pod: DeepReadonly<Pod>): EndpointPort[] {
  return (service.spec?.ports ?? []).flatMap((each) => {
    const port = targetPort(each, pod);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = each;
    return [{ name, port, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

function targetPort(
  { targetPort: target, port, protocol = "TCP" }: DeepReadonly<ServicePort>,
  { spec }: DeepReadonly<Pod>,
): number | undefined {
  if (typeof target !== "string") return target ?? port;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  for (const { ports = [] } of [...(spec?.containers ?? []), ...sidecars]) {
    const found = ports.find((each) => each.name === target && (each.protocol ?? "TCP") === protocol);
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}

/** Labels that the controllers set themselves. */
export const reservedLabels: ReadonlySet<string> = new Set([
  "endpointslice.kubernetes.io/managed-by",
  "kubernetes.io/service-name",
  "service.kubernetes.io/headless",
]);

/** Returns the labels of a Service that its endpoints get, and the mark of a headless one. */
export function inheritedLabels(service: DeepReadonly<Service>): Record<string, string> {
  const own = Object.entries(service.metadata?.labels ?? {}).filter(([key]) => !reservedLabels.has(key));
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
    ...(isHeadless(service) && { "service.kubernetes.io/headless": "" }),
  };
}
