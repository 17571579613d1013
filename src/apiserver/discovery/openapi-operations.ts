/** Parts of a path after group and version. */
interface Place {
  readonly watch: boolean;
  readonly namespaced: boolean;
  readonly resource: string;
  readonly named: boolean;
  readonly subresource: string;
  readonly tail: boolean;
}

/** Fields of an operation that naming needs. */
interface Named {
  readonly action?: string;
  readonly gvk?: readonly [group: string, version: string, kind: string];
}

/** Path items of a document, reduced to the fields that naming needs. */
export type NamedItems = Readonly<Record<string, { readonly operations: Readonly<Record<string, Named>> }>>;

const verbs: Readonly<Record<string, string>> = {
  get: "read",
  list: "list",
  post: "create",
  put: "replace",
  patch: "patch",
  delete: "delete",
  deletecollection: "delete",
  watch: "watch",
  watchlist: "watch",
  connect: "connect",
};

/** Success responses other than 200, by action. */
const more: Readonly<Record<string, readonly (readonly [code: string, text: string])[]>> = {
  post: [
    ["201", "Created"],
    ["202", "Accepted"],
  ],
  put: [["201", "Created"]],
  patch: [["201", "Created"]],
  delete: [["202", "Accepted"]],
};

/**
 * Returns codes and descriptions of an action's success responses. A patch of a custom resource isn't documented as
 * creating one.
 */
export function successResponses(
  action: string | undefined,
  custom: boolean,
): readonly (readonly [code: string, text: string])[] {
  return [["200", "OK"], ...((custom && action === "patch" ? undefined : more[action ?? ""]) ?? [])];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Returns the form of a group in names: `rbacAuthorization` for `rbac.authorization.k8s.io`, `core` for the core group.
 */
function groupWord(group: string): string {
  if (group === "") return "core";
  return group
    .replace(/\.k8s\.io$/, "")
    .split(".")
    .map((part, at) => (at === 0 ? part : capital(part)))
    .join("");
}

function placeOf(path: string): Place {
  const parts = path.split("/").filter((part) => part !== "");
  let rest = parts.slice(parts[0] === "api" ? 2 : 3);
  const watch = rest[0] === "watch";
  if (watch) rest = rest.slice(1);
  const namespaced = rest[0] === "namespaces" && rest[1] === "{namespace}";
  if (namespaced) rest = rest.slice(2);
  const tail = rest.at(-1) === "{path}";
  const [resource = "", name, subresource = ""] = rest;
  return { watch, namespaced, resource, named: name !== undefined, subresource, tail };
}

/** Returns a function for the names and tags of the operations in one group version. */
export function operationNames(
  group: string,
  version: string,
  items: NamedItems,
): (path: string, method: string) => { readonly operationId: string; readonly tags: readonly string[] } {
  const word = groupWord(group);
  const prefix = `${capital(word)}${capital(version)}`;
  const kinds = new Map<string, string>();
  const scopedToNamespaces = new Set<string>();
  for (const [path, { operations }] of Object.entries(items)) {
    const place = placeOf(path);
    if (place.namespaced) scopedToNamespaces.add(place.resource);
    const kind = Object.values(operations).find(({ gvk }) => gvk !== undefined)?.gvk?.[2];
    if (place.subresource === "" && kind !== undefined) kinds.set(place.resource, kind);
  }
  const nameOf = (path: string, method: string): string => {
    const place = placeOf(path);
    const { action = "" } = items[path]?.operations[method] ?? {};
    if (action === "") return `get${prefix}APIResources`;
    const everywhere =
      !place.named && !place.namespaced && scopedToNamespaces.has(place.resource) ? "ForAllNamespaces" : "";
    const words = [
      verbs[action] ?? action,
      prefix,
      action === "connect" ? capital(method) : "",
      action === "deletecollection" ? "Collection" : "",
      place.namespaced ? "Namespaced" : "",
      kinds.get(place.resource) ?? "",
      place.subresource.split("-").map(capital).join(""),
      action === "watchlist" ? "List" : "",
      everywhere,
      place.tail ? "WithPath" : "",
    ];
    return words.join("");
  };
  const tags = [`${word}_${version}`];
  return (path, method) => ({ operationId: nameOf(path, method), tags });
}
