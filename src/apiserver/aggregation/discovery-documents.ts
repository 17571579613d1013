import { isJsonObject } from "../internal/json-value.js";

/** Form of a part of a document. A part of another form is left out, because it would break the discovery of all APIs. */
type Form = "text" | "flag" | "texts" | { readonly [field: string]: Form } | readonly [item: Form];

const kind = { group: "text", version: "text", kind: "text" } as const;
const names = { verbs: "texts", shortNames: "texts", categories: "texts" } as const;
const resourceForm: Form = {
  ...kind,
  ...names,
  name: "text",
  singularName: "text",
  namespaced: "flag",
  storageVersionHash: "text",
};
const entryForm: Form = {
  ...names,
  resource: "text",
  responseKind: kind,
  scope: "text",
  singularResource: "text",
  subresources: [{ subresource: "text", responseKind: kind, acceptedTypes: [kind], verbs: "texts" }],
};

type Found = Readonly<Record<string, unknown>>;

/** Returns the resources in an APIResourceList. */
export function resourcesIn(list: unknown): readonly Found[] {
  const found = fit(isJsonObject(list) ? list["resources"] : undefined, [resourceForm]);
  return ((found ?? []) as Found[]).filter(({ name }) => name !== undefined && name !== "");
}

/** Returns the resources of an API version in a document of aggregated discovery; `undefined` if it isn't there. */
export function discoveryIn(
  document: unknown,
  { group, version }: { readonly group: string; readonly version: string },
): readonly Found[] | undefined {
  if (!isJsonObject(document) || document["kind"] !== "APIGroupDiscoveryList") return undefined;
  const own = objectsIn(document["items"]).find(({ metadata }) => isJsonObject(metadata) && metadata["name"] === group);
  const found = objectsIn(own?.["versions"]).find((each) => each["version"] === version);
  const entries = fit(found?.["resources"], [entryForm]) as Found[] | undefined;
  return entries?.filter(({ resource }) => resource !== undefined && resource !== "");
}

function objectsIn(list: unknown): Found[] {
  const all: readonly unknown[] = Array.isArray(list) ? list : [];
  return all.filter((each) => isJsonObject(each));
}

/** Returns the part of a value that has the form; `undefined` if none has. */
function fit(value: unknown, form: Form): unknown {
  if (form === "text") return typeof value === "string" ? value : undefined;
  if (form === "flag") return typeof value === "boolean" ? value : undefined;
  if (form === "texts")
    return Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined;
  if (Array.isArray(form)) {
    const [item] = form as readonly [Form];
    return Array.isArray(value) ? value.map((each) => fit(each, item)).filter((each) => each !== undefined) : undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const parts = Object.entries(form as { readonly [field: string]: Form }).map(([field, part]) => {
    const own = Object.hasOwn(value, field) ? value[field] : undefined;
    return [field, fit(own, part)] as const;
  });
  return Object.fromEntries(parts.filter(([, part]) => part !== undefined));
}
