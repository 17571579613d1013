import { trimEnd } from "../../internal/trim-end.js";
import { parseFieldSelector, parseLabelSelector } from "../objects/selectors.js";

/** Action and target of a request, parsed from method, path and query. */
export interface RequestInfo {
  /** True if the path lies under `/api` or `/apis` and names a resource. */
  readonly isResource: boolean;
  readonly path: string;
  /**
   * Authorization verb: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for
   * non-resource paths, the method in lower case.
   */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  /** Plural name. */
  readonly resource: string;
  /** First path segment after the name. */
  readonly subresource: string;
  /** Name from the path or from a `metadata.name` field selector. */
  readonly name: string;
  /** Name from the path only. */
  readonly pathName: string;
  /** Path segments after group, version and namespace. */
  readonly parts: readonly string[];
  /** Label selector of a request for a collection, as sent. */
  readonly labelSelector?: string;
  /** Field selector of a request for a collection, as sent. */
  readonly fieldSelector?: string;
  /** True if the path has a namespace. */
  readonly namespaced: boolean;
  /** True for an old prefix (`/watch`, `/proxy`) with nothing behind it, which kube-apiserver answers with 500. */
  readonly malformed?: boolean | undefined;
  /** True if the path uses the deprecated `/watch/` prefix. */
  readonly deprecatedWatch: boolean;
}

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
const namespaceSubresources = new Set(["status", "finalize"]);

/** Parses a boolean query parameter: true for any value but `0` and `false`. */
export function booleanParameter(value: string | null): boolean {
  if (value === null) return false;
  const lower = value.toLowerCase();
  return lower !== "false" && lower !== "0";
}

/** Returns the name that a field selector fixes. Invalid options are ignored here; the list handler reports them. */
function selectedName(query: URLSearchParams): string | undefined {
  if (
    !query.has("fieldSelector") ||
    !["limit", "timeoutSeconds"].every((name) => /^[+-]?\d+$/.test(query.get(name) ?? "0"))
  )
    return undefined;
  try {
    parseLabelSelector(query.get("labelSelector") ?? "");
    const { name } = parseFieldSelector(query.get("fieldSelector")!, () => undefined);
    return name === undefined || name === "." || name === ".." || /[/%]/.test(name) ? undefined : name;
  } catch {
    return undefined; // The list handler reports the error.
  }
}

/** Parses method, path and query. `path` is already decoded. */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const trimmed = trimEnd(path.replace(/^\/+/, ""), "/");
  const all = trimmed === "" ? [] : trimmed.split("/");
  const nonResource: RequestInfo = {
    isResource: false,
    path,
    verb: method.toLowerCase(),
    group: "",
    version: "",
    namespace: "",
    resource: "",
    subresource: "",
    name: "",
    pathName: "",
    parts: all,
    namespaced: false,
    deprecatedWatch: false,
  };
  const legacy = all[0] === "api";
  if (!legacy && all[0] !== "apis") return nonResource;
  if (all.length < (legacy ? 3 : 4)) return nonResource;
  const group = legacy ? "" : all[1]!;
  const version = legacy ? all[1]! : all[2]!;
  let parts = all.slice(legacy ? 2 : 3);
  let verb = verbs[method] ?? "";
  let deprecatedWatch = false;
  if (parts[0] === "watch" || parts[0] === "proxy") {
    if (parts.length < 2) return { ...nonResource, malformed: true };
    deprecatedWatch = parts[0] === "watch";
    verb = parts[0];
    parts = parts.slice(1);
  }
  let namespace = "";
  let namespaced = false;
  if (parts[0] === "namespaces") {
    if (parts.length > 1) {
      namespace = parts[1]!;
      // `namespaces/x/y` is the collection `y`, unless `y` is a subresource of the namespace.
      if (parts.length > 2 && !namespaceSubresources.has(parts[2]!)) {
        parts = parts.slice(2);
        namespaced = true;
      }
    }
  }
  const resource = parts[0] ?? "";
  const pathName = parts[1] ?? "";
  const subresource = parts[2] ?? "";
  let name = pathName;
  if (name === "" && verb === "get") {
    verb = "list";
    name = selectedName(query) ?? "";
    if (query.has("watch") && booleanParameter(query.get("watch"))) verb = "watch";
  }
  if (name === "" && verb === "delete") verb = "deletecollection";
  return {
    isResource: true,
    path,
    verb,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    pathName,
    parts,
    namespaced,
    deprecatedWatch,
    ...selectorsOf(verb, query),
  };
}

const collectionVerbs = new Set(["list", "watch", "deletecollection"]);

function selectorsOf(verb: string, query: URLSearchParams): Pick<RequestInfo, "labelSelector" | "fieldSelector"> {
  if (!collectionVerbs.has(verb)) return {};
  const single = (name: "labelSelector" | "fieldSelector"): object => {
    const values = query.getAll(name);
    return values.length === 1 && values[0] !== "" ? { [name]: values[0] } : {};
  };
  return { ...single("labelSelector"), ...single("fieldSelector") };
}
