import type { Kind } from "../../meta/kind.js";

/** `pods in "apps"`, `nodes`, `deployments.apps`: a collection in messages. */
export function describeCollection(kind: Kind, namespace?: string): string {
  return `${resourceName(kind)}${namespace === undefined ? "" : ` in ${quote(namespace)}`}`;
}

/** `pods "web-0" in "apps"`, `deployments.apps/scale "web" in "apps"`: an object in messages. */
export function describeObject(kind: Kind, namespace: string | undefined, name: string, subresource?: string): string {
  const resource = resourceName(kind) + (subresource === undefined ? "" : `/${subresource}`);
  return `${resource} ${quote(name)}${namespace === undefined ? "" : ` in ${quote(namespace)}`}`;
}

/** No name is longer; what was given for one may be anything. */
function quote(name: string): string {
  return JSON.stringify(name.length <= 253 ? name : `${name.slice(0, 253)}…`);
}

/** `pods`, `deployments.apps`: a resource as `kubectl` and error messages of the server name it. */
export function resourceName(kind: Pick<Kind, "group" | "plural">): string {
  return kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
}
