import { type RequestInfo, requestInfo } from "../interceptors/request-info.js";

/** Request to a cluster, as a path names it. */
export interface ProxyTarget {
  /** Name of the cluster. */
  readonly cluster: string;
  /** Path in the cluster, without the query. */
  readonly path: string;
  /** Query with its question mark; empty without parameters. */
  readonly query: string;
  /** API attributes, on which the rules decide. */
  readonly info: RequestInfo;
}

/**
 * Splits `/clusters/NAME/PATH` and parses the path like a kube-apiserver. Returns `undefined` if
 * it names no cluster, and a text if it's refused: it must not mean anything else to the server than to the rules.
 */
export function parseTarget(
  request: { readonly method: string; readonly url: string },
  basePath: string,
  upgrade: boolean,
): ProxyTarget | string | undefined {
  const { pathname, searchParams } = new URL(request.url);
  const prefix = `${basePath}/clusters/`;
  if (!pathname.startsWith(prefix)) return undefined;
  const [name = "", ...rest] = pathname.slice(prefix.length).split("/");
  const segments = rest.map(decodeSegment);
  const cluster = decodeSegment(name);
  if (cluster === undefined || cluster === "") return undefined;
  // An empty last segment is a final slash, as in `/apis/`.
  if (segments.some((segment, index) => segment === undefined || (segment === "" && index < segments.length - 1)))
    return "the path has an empty segment, a dot segment, or an encoded slash";
  const path = `/${rest.join("/")}`;
  // Serialized again, so that every parameter has one spelling.
  const query = searchParams.size === 0 ? "" : `?${searchParams.toString()}`;
  const info = requestInfo(request.method, path + query);
  if (info.resource === "watch" || info.resource === "proxy") return `the path prefix ${info.resource}/ is deprecated`;
  // A WebSocket to a command is opened by GET, but like kube-apiserver, the rules see what it does.
  return { cluster, path, query, info: upgrade && info.verb === "get" ? { ...info, verb: "create" } : info };
}

/** Segments that the parser of URLs removes. */
const dotSegment = /\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/**
 * True if a path with a query means the same before and after it was parsed as a part of a URL: dot segments would
 * disappear before the rules see them.
 */
export function isPlainPath(path: string): boolean {
  return /^\/(?![/\\])/.test(path) && !/[\\#\t\r\n]/.test(path) && !dotSegment.test(path);
}

/** Returns the decoded segment, `undefined` for one that servers could read in several ways. */
function decodeSegment(segment: string): string | undefined {
  let text: string;
  try {
    text = decodeURIComponent(segment);
  } catch {
    return undefined;
  }
  return text === "." || text === ".." || /[/\\%\u0000-\u001f\u007f]/.test(text) ? undefined : text;
}
