import { parseFieldSelector, parseLabelSelector } from "../objects/selectors.js";

/** What a path and a method ask for, as the authorizer and the handlers need it. */
export interface RequestInfo {
  /** Whether the path lies under `/api` or `/apis` and names a resource. */
  readonly isResource: boolean;
  /** Decoded path. */
  readonly path: string;
  /** Authorization verb: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, or the method in lower case. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  /** Plural name. */
  readonly resource: string;
  /** First part after the name. */
  readonly subresource: string;
  /** Name, if the path has one or a field selector fixes it. */
  readonly name: string;
  /** Name in the path alone. */
  readonly pathName: string;
  /** All parts after group, version and namespace. */
  readonly parts: readonly string[];
  /** Whether the path has a namespace. */
  readonly namespaced: boolean;
  /** The path has an old prefix with nothing behind it: a real server answers 500. */
  readonly malformed?: boolean;
  /** Whether the path uses the old `/watch/` prefix. */
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

/** Whether a boolean parameter is set: anything but `0` and `false`. */
export function booleanParameter(value: string | null): boolean {
  if (value === null) return false;
  const lower = value.toLowerCase();
  return lower !== "false" && lower !== "0";
}

/** The name that a field selector fixes. Options that cannot be read are none, until they are read again to list by them. */
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
    return undefined; // Who lists by them is told what is wrong.
  }
}

/** Reads path, method and query. `path` is already decoded. */
export function parseRequestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const trimmed = path.replace(/^\/+|\/+$/g, "");
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
      // `namespaces/x/y` is the collection y, unless y is a subresource of the namespace itself.
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
  };
}
