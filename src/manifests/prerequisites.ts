import type { DynamicObject } from "../client/resource/collection-handle.js";
import { isNotFound } from "../errors/predicates.js";
import { StatusError } from "../errors/status-error.js";
import { parseApiVersion } from "../meta/kind.js";
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

/** Object of the call that defines kinds. */
interface KindSource {
  /** The object in words, such as `CustomResourceDefinition "sites.example.com"`. */
  readonly label: string;
  /** True if it defines the kind in this version. */
  defines(apiVersion: string, kind: string): boolean;
}

interface WebhookConfiguration {
  readonly webhooks?: readonly { readonly name?: unknown }[];
}

/** Finds the objects that others depend on. */
export function prerequisitesOf(objects: readonly DynamicObject[]): Prerequisites {
  const sources = new Map<string, KindSource[]>();
  const namespaces = new Set<string>();
  const webhooks = new Set<unknown>();
  let quotas = false;
  for (const object of objects as readonly Manifest[]) {
    const { kind, apiVersion } = object;
    const name = object.metadata?.name;
    if (kind === "CustomResourceDefinition" || kind === "APIService") {
      const { group, defines } = kindsOf(object);
      sources.set(group, [...(sources.get(group) ?? []), { label: `${kind} ${JSON.stringify(name)}`, defines }]);
    } else if (kind === "Namespace" && apiVersion === "v1") namespaces.add(name);
    else if (kind === "ResourceQuota") quotas = true;
    else if (/^(?:Mutating|Validating)WebhookConfiguration$/.test(kind))
      for (const webhook of (object as WebhookConfiguration).webhooks ?? []) webhooks.add(webhook?.name);
  }
  const definitionsOf = ({ apiVersion, kind }: Manifest): readonly string[] =>
    (sources.get(parseApiVersion(apiVersion).group) ?? [])
      .filter(({ defines }) => defines(apiVersion, kind))
      .map(({ label }) => label);
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

/** Returns what a definition or an APIService defines. The kinds of an aggregated API are unknown until it answers. */
function kindsOf({ kind, ...object }: Manifest): { readonly group: string; readonly defines: KindSource["defines"] } {
  const spec = (object["spec"] ?? {}) as {
    readonly group?: unknown;
    readonly version?: unknown;
    readonly names?: { readonly kind?: unknown };
    readonly versions?: readonly { readonly name?: unknown; readonly served?: unknown }[];
  };
  const group = String(spec.group ?? "");
  const versions = kind === "APIService" ? [{ name: spec.version }] : (spec.versions ?? []);
  const served = new Set(
    versions.filter((version) => version.served !== false).map(({ name }) => `${group}/${String(name)}`),
  );
  const defined = spec.names?.kind;
  const defines: KindSource["defines"] = (apiVersion, wanted) =>
    served.has(apiVersion) && (kind === "APIService" || wanted === defined);
  return { group, defines };
}

/** The server doesn't serve the kind of a manifest. */
export class UnservedKindError extends TypeError {}

function join(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : names.join(", ");
}
