import type { Kind } from "../../meta/kind.js";

/** Describes a collection in messages: `pods in "apps"`, `nodes`, `deployments.apps`. */
export function describeCollection(kind: Kind, namespace?: string): string {
  return `${resourceName(kind)}${namespace === undefined ? "" : ` in ${quote(namespace)}`}`;
}

/** Describes an object in messages: `pods "web-0" in "apps"`, `deployments.apps/scale "web" in "apps"`. */
export function describeObject(kind: Kind, namespace: string | undefined, name: string, subresource?: string): string {
  const resource = resourceName(kind) + (subresource === undefined ? "" : `/${subresource}`);
  return `${resource} ${quote(name)}${namespace === undefined ? "" : ` in ${quote(namespace)}`}`;
}

/** Names a resource with its version, independent of namespace and representation. */
export function groupVersionResourceOf({ group, version, plural }: Kind): string {
  return `${group}/${version}/${plural}`;
}

/** Quotes a name, truncated: valid names have at most 253 characters, but the caller may pass anything. */
function quote(name: string): string {
  return JSON.stringify(name.length <= 253 ? name : `${name.slice(0, 253)}…`);
}

/** Names a resource like kubectl and the server's messages do: `pods`, `deployments.apps`. */
export function resourceName(kind: Pick<Kind, "group" | "plural">): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}
