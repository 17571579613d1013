import type { DynamicObject } from "../client/resource/collection-handle.js";
import { isNotFound } from "../errors/predicates.js";
import { StatusError } from "../errors/status-error.js";
import { groupOf } from "./install-order.js";
import type { Manifest } from "./manifest.js";

/** Objects of one call that others of the same call depend on. */
export interface Prerequisites {
  /** Returns the objects that define the kind of an object: `CustomResourceDefinition "sites.example.com"`. */
  definitionsOf(object: Manifest): readonly string[];
  /** True if the call creates the namespace. */
  createsNamespace(name: string): boolean;
  /**
   * Returns what an object waits for, if its error can pass while other objects of the call start to work: a kind that
   * isn't served yet, a webhook that can't be reached, a quota that isn't counted. Returns `undefined` for other errors.
   */
  awaited(object: Manifest, error: unknown): string | undefined;
}

interface WebhookConfiguration {
  readonly webhooks?: readonly { readonly name?: unknown }[];
}

/** Finds the objects that others depend on. */
export function prerequisitesOf(objects: readonly DynamicObject[]): Prerequisites {
  const definitions = new Map<string, string[]>();
  const namespaces = new Set<string>();
  const webhooks = new Set<unknown>();
  let quotas = false;
  for (const object of objects as readonly Manifest[]) {
    const { kind, apiVersion } = object;
    const name = object.metadata?.name;
    if (kind === "CustomResourceDefinition" || kind === "APIService") {
      const group = String((object["spec"] as { group?: unknown } | undefined)?.group ?? "");
      definitions.set(group, [...(definitions.get(group) ?? []), `${kind} ${JSON.stringify(name)}`]);
    } else if (kind === "Namespace" && apiVersion === "v1") namespaces.add(name);
    else if (kind === "ResourceQuota") quotas = true;
    else if (/^(?:Mutating|Validating)WebhookConfiguration$/.test(kind))
      for (const webhook of (object as WebhookConfiguration).webhooks ?? []) webhooks.add(webhook?.name);
  }
  const definitionsOf = ({ apiVersion }: Manifest): readonly string[] => definitions.get(groupOf(apiVersion)) ?? [];
  return {
    definitionsOf,
    createsNamespace: (name) => namespaces.has(name),
    awaited(object, error) {
      if (error instanceof UnservedKindError) return join(definitionsOf(object));
      if (!(error instanceof StatusError)) return undefined;
      const message = error.status.message ?? "";
      const webhook = /failed calling webhook "([^"]*)"/.exec(message)?.[1];
      if (webhook !== undefined) return webhooks.has(webhook) ? `webhook ${JSON.stringify(webhook)}` : undefined;
      if (/conversion webhook for .* failed/.test(message)) return join(definitionsOf(object));
      if (quotas && message.includes("status unknown for quota")) return "the status of a ResourceQuota";
      if (/error looking up service account/.test(message) && namespaces.has(object.metadata.namespace ?? ""))
        return "a ServiceAccount of the namespace";
      // An apply creates what doesn't exist, so the kind or the namespace is missing.
      return isNotFound(error) && error.details?.kind !== "namespaces" ? join(definitionsOf(object)) : undefined;
    },
  };
}

/** The server doesn't serve the kind of a manifest. */
export class UnservedKindError extends TypeError {}

function join(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : names.join(", ");
}
