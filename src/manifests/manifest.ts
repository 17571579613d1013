import type { DynamicObject } from "../client/resource/collection-handle.js";
import type { ManifestSource } from "../errors/manifests-error.js";
import type { DeepReadonly, KubernetesObject, ObjectMeta } from "../meta/object.js";

/** An object of any kind that can be applied: it has a kind and a name. */
export interface Manifest extends DynamicObject {
  /** `group/version`, or the version for the core group. */
  apiVersion: string;
  /** Name of the kind. */
  kind: string;
  /** Standard object metadata, with a name. */
  metadata: ObjectMeta & { name: string };
}

const sources = new WeakMap<object, ManifestSource>();

/**
 * Returns the place of an object in the text that it was parsed from. Returns `undefined` for objects that don't come
 * from `parseManifests`, such as copies.
 *
 * @example
 * ```ts
 * import { getManifestSource, parseManifests } from "kubestream/manifests";
 *
 * const text = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: web\n";
 * for (const object of await parseManifests(text, { source: "app.yaml" })) {
 *   const { name, line } = getManifestSource(object) ?? {};
 *   console.log(`${name}:${line}: ${object.metadata.name}`); // app.yaml:1: web
 * }
 * ```
 */
export function getManifestSource(object: object): ManifestSource | undefined {
  return sources.get(object);
}

/** Records the place of an object. */
export function setManifestSource<T extends object>(object: T, source: ManifestSource | undefined): T {
  if (source !== undefined) sources.set(object, source);
  return object;
}

/** Expands `List` objects. Their items get the list's place. */
export function flatten(manifests: readonly DeepReadonly<KubernetesObject>[]): DynamicObject[] {
  const flat: DynamicObject[] = [];
  for (const manifest of manifests as readonly unknown[]) {
    const { kind, apiVersion, items } = (manifest ?? {}) as { kind?: unknown; apiVersion?: unknown; items?: unknown };
    if (kind === "List" && apiVersion === "v1" && Array.isArray(items)) {
      const source = sources.get(manifest as object);
      for (const item of flatten(items as KubernetesObject[])) {
        const isObject = typeof item === "object" && item !== null;
        flat.push(isObject && !sources.has(item) ? setManifestSource(item, source) : item);
      }
    } else flat.push(manifest as DynamicObject);
  }
  return flat;
}

/** Throws a `TypeError` for anything that can't be applied. */
export function checkManifests(objects: readonly DynamicObject[]): asserts objects is Manifest[] {
  objects.forEach((object, index) => {
    const problem = problemOf(object);
    if (problem !== undefined) throw new TypeError(`manifest ${index + 1}${problem}`);
  });
}

/** Returns the reason why something can't be applied, to be appended to its place. */
export function problemOf(object: unknown): string | undefined {
  if (typeof object !== "object" || object === null || Array.isArray(object)) return " is not an object";
  const { apiVersion, kind, metadata } = object as Partial<Record<string, unknown>>;
  if (typeof apiVersion !== "string" || apiVersion === "") return ": apiVersion is required";
  if (typeof kind !== "string" || kind === "") return ": kind is required";
  const name = (metadata as { readonly name?: unknown } | null | undefined)?.name;
  return typeof name === "string" && name !== "" ? undefined : ` (${kind}): metadata.name is required`;
}
