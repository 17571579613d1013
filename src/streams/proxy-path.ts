import { checkSegment, collectionPath } from "../client/resource/paths.js";

/** What to reach through the API server: a port of a service or a pod, or a node's kubelet. */
export interface ProxyTarget {
  /** What kind of thing it is. */
  readonly resource: "services" | "pods" | "nodes";
  /** Its namespace; none for nodes. */
  readonly namespace?: string;
  /** Its name. */
  readonly name: string;
  /** Port by number, or for services by name; the only one may be left out. */
  readonly port?: number | string;
  /** Scheme that it speaks. Default `http`. */
  readonly scheme?: "http" | "https";
}

/**
 * Path of a proxied URL, to be given to `client.request`. `path` is the path there, with its segments already escaped.
 * Throws a `TypeError` for names that no path can hold and for a path that would leave the target.
 * @see https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/
 */
export function proxyPath(target: ProxyTarget, path = "/"): string {
  const { resource, namespace, name, port, scheme } = target;
  checkSegment("name", name);
  if (port !== undefined) checkSegment("port", String(port));
  if (name.includes(":")) throw new TypeError('name must not contain ":"');
  if ((namespace === undefined) !== (resource === "nodes"))
    throw new TypeError(resource === "nodes" ? "nodes have no namespace" : "namespace is missing");
  if (!path.startsWith("/") || /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path) || /[?#\s\\]/.test(path))
    throw new TypeError('path must begin with "/" and hold no query, fragment or dot segments');
  const host = [
    ...(scheme === undefined ? [] : [scheme]),
    name,
    ...(port === undefined ? (scheme === undefined ? [] : [""]) : [String(port)]),
  ]
    .map(encodeURIComponent)
    .join(":");
  return `${collectionPath({ group: "", version: "v1", plural: resource }, namespace)}/${host}/proxy${path}`;
}
