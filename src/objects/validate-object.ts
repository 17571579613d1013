import type { OutputOf } from "../meta/define-kind.js";
import type { DeepReadonly, KubernetesObject } from "../meta/object.js";
import type { StandardIssue, StandardSchema } from "../meta/standard-schema.js";

/** Object that `validateObject` returns: the schema's output, with the object's identity. */
export type ValidatedObject<S> = OutputOf<S> & Pick<KubernetesObject, "apiVersion" | "kind" | "metadata">;

/**
 * Validates an object with the schema that its kind was defined with. Resolves with the schema's output, in which
 * defaults are filled in and values converted, and with the object's `apiVersion`, `kind` and `metadata` if the schema
 * drops them. Rejects with a `TypeError` that names each invalid field. The object isn't modified.
 *
 * @example
 * ```ts
 * import { defineKind, type StandardSchema } from "kubestream";
 * import { connect } from "kubestream/node";
 * import { validateObject } from "kubestream/objects";
 *
 * declare const schema: StandardSchema<{ spec: { size?: number } }, { spec: { size: number } }>; // for example from zod
 * const names = { group: "example.com", version: "v1", kind: "Widget", plural: "widgets", scope: "Namespaced" } as const;
 * const Widget = defineKind({ ...names, schema });
 * const client = await connect();
 * const stored = await client.resource(Widget).namespace("web").get("large");
 * const widget = await validateObject(Widget, stored);
 * console.log(stored.spec.size ?? "default", widget.spec.size);
 * ```
 */
export async function validateObject<S extends StandardSchema<unknown, object>>(
  kind: { readonly kind: string; readonly schema: S },
  object: DeepReadonly<KubernetesObject>,
): Promise<ValidatedObject<S>> {
  const result = await kind.schema["~standard"].validate(object);
  if (result.issues !== undefined) {
    const name = object.metadata?.name;
    const problems = result.issues.map(describeIssue).join("; ");
    throw new TypeError(`invalid ${kind.kind}${name === undefined ? "" : ` ${JSON.stringify(name)}`}: ${problems}`);
  }
  const { apiVersion, kind: own, metadata } = object;
  return {
    ...(apiVersion !== undefined && { apiVersion }),
    ...(own !== undefined && { kind: own }),
    ...(metadata !== undefined && { metadata }),
    ...result.value,
  } as ValidatedObject<S>;
}

function describeIssue({ message, path = [] }: StandardIssue): string {
  const keys = path.map((part) => (typeof part === "object" ? part.key : part));
  const place = keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  return place === "" ? message : `${place.replace(/^\./, "")}: ${message}`;
}
