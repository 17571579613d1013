import { checkSegment, collectionPath } from "../client/resource/paths.js";

/** Target behind the API server's proxy: a port of a service or a pod, or a node's kubelet. */
export interface ProxyTarget {
  /** Type of the target. */
  readonly resource: "services" | "pods" | "nodes";
  /** Namespace; not allowed for nodes. */
  readonly namespace?: string | undefined;
  /** Name of the object. */
  readonly name: string;
  /** Port number, or port name for services. Optional if there is only one. */
  readonly port?: number | string | undefined;
  /** Protocol that the target speaks. Default `http`. */
  readonly scheme?: "http" | "https" | undefined;
}

/**
 * Returns the path of a URL behind the API server's proxy, for `client.request`. `path` is the path at the target,
 * already escaped. Throws a `TypeError` for invalid names, and for a path with dot segments, a query or a fragment.
 * @see https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 * import { proxyPath } from "kubestream/streams";
 *
 * const client = await connect();
 * const path = proxyPath({ resource: "services", namespace: "web", name: "web", port: "http" }, "/healthz");
 * const response = await client.request({ path, accept: "text/plain" });
 * console.log(await response.text());
 * await client.close();
 * ```
 */
export function proxyPath(target: ProxyTarget, path = "/"): string {
  const { resource, namespace, name, port, scheme } = target;
  checkSegment("name", name);
  if (port !== undefined) checkSegment("port", String(port));
  if (name.includes(":")) throw new TypeError('name must not contain ":"');
  if ((namespace === undefined) !== (resource === "nodes"))
    throw new TypeError(resource === "nodes" ? "nodes have no namespace" : "namespace is required");
  if (!path.startsWith("/") || /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path) || /[?#\s\\]/.test(path))
    throw new TypeError('path must start with "/" and must not contain a query, fragment or dot segments');
  const host = [
    ...(scheme === undefined ? [] : [scheme]),
    name,
    ...(port === undefined ? (scheme === undefined ? [] : [""]) : [String(port)]),
  ]
    .map(encodeURIComponent)
    .join(":");
  return `${collectionPath({ group: "", version: "v1", plural: resource }, namespace)}/${host}/proxy${path}`;
}
