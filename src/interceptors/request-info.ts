/** API attributes of a request, derived from its method and path. */
export interface RequestInfo {
  /** API group; `""` for the core group. Absent for non-resource requests. */
  readonly group?: string | undefined;
  /** API version. */
  readonly version?: string | undefined;
  /** Resource. */
  readonly resource?: string | undefined;
  /** Subresource. */
  readonly subresource?: string | undefined;
  /** Namespace. */
  readonly namespace?: string | undefined;
  /** Name of the object. */
  readonly name?: string | undefined;
  /**
   * `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or `deletecollection`. For non-resource requests, the
   * HTTP method in lower case.
   */
  readonly verb: string;
}

/**
 * Derives the API attributes of a request. Use them as metric labels instead of the path, which would create one series
 * per object.
 *
 * @example
 * ```ts
 * import { requestInfo } from "kubestream/interceptors";
 *
 * const info = requestInfo("GET", "/apis/apps/v1/namespaces/web/deployments/shop");
 * console.log(info.verb, info.group, info.resource); // get apps deployments
 * ```
 */
export function requestInfo(method: string, path: string): RequestInfo {
  const at = path.indexOf("?");
  const parts = (at < 0 ? path : path.slice(0, at))
    .split("/")
    .filter((part) => part !== "")
    .map(decode);
  const watch = at >= 0 && /[?&]watch=(?!0\b|false\b)/.test(path);
  const apis = parts[0] === "apis";
  if ((!apis && parts[0] !== "api") || parts.length < (apis ? 4 : 3)) return { verb: method.toLowerCase() };
  const group = apis ? parts[1]! : "";
  const version = parts[apis ? 2 : 1]!;
  let rest = parts.slice(apis ? 3 : 2);
  let namespace: string | undefined;
  if (
    rest[0] === "namespaces" &&
    rest.length > 2 &&
    !(rest.length === 3 && (rest[2] === "status" || rest[2] === "finalize"))
  ) {
    namespace = rest[1];
    rest = rest.slice(2);
  }
  const [resource, name, subresource] = rest;
  return {
    group,
    version,
    ...(resource !== undefined && { resource }),
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    verb: verbOf(method, name !== undefined, watch),
  };
}

function verbOf(method: string, named: boolean, watch: boolean): string {
  switch (method) {
    case "GET":
    case "HEAD":
      return named ? "get" : watch ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "DELETE":
      return named ? "delete" : "deletecollection";
    default:
      return method.toLowerCase();
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // Malformed escapes are reported unchanged.
    return part;
  }
}
