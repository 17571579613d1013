import type { Kind, Scope } from "./kind.js";
import type { ObjectMeta } from "./object.js";
import type { StandardSchema } from "./standard-schema.js";

/** Names and scope of a custom kind. */
export interface KindNames {
  /** API group, such as `example.com`. */
  readonly group: string;
  /** API version, such as `v1alpha1`. */
  readonly version: string;
  /** Name of the kind in CamelCase. */
  readonly kind: string;
  /** Name of the resource in URLs. */
  readonly plural: string;
  /** Scope of its objects: in namespaces or cluster-wide. */
  readonly scope: Scope;
  /** True if the CustomResourceDefinition enables the `scale` subresource. */
  readonly scale?: boolean | undefined;
}

/** Object type of a custom kind with the given spec and status types. */
export interface CustomObject<Names extends KindNames, Spec, Status = undefined> {
  /** `group/version`. */
  apiVersion?: `${Names["group"]}/${Names["version"]}` | undefined;
  /** Name of the kind. */
  kind?: Names["kind"] | undefined;
  /** Standard object metadata: name, labels and so on. */
  metadata?: ObjectMeta | undefined;
  /** Desired state. */
  spec?: Spec | undefined;
  /** Observed state. */
  status?: Status | undefined;
}

/** The `scale` subresource of custom kinds. */
export interface CustomScale {
  /** `autoscaling/v1`. */
  apiVersion?: "autoscaling/v1" | undefined;
  /** `Scale`. */
  kind?: "Scale" | undefined;
  /** Metadata of the scaled object. */
  metadata?: ObjectMeta | undefined;
  /** Desired number of replicas. */
  spec?: { replicas?: number | undefined } | undefined;
  /** Observed number of replicas, and the label selector for their pods. */
  status?: { replicas: number; selector?: string | undefined } | undefined;
}

/** Subresources of a custom kind: `status` if the object type has one, `scale` if the names enable it. */
export type CustomSubresources<Names extends KindNames, T, HasStatus extends boolean> = (HasStatus extends true
  ? { status: T }
  : unknown) &
  (Names extends { readonly scale: true } ? { scale: CustomScale } : unknown) &
  object;

/** Kind descriptor of a custom kind. */
export type CustomKind<Names extends KindNames, T, HasStatus extends boolean> = Kind<
  T,
  Names["scope"],
  CustomSubresources<Names, T, HasStatus>,
  "json" | "merge"
>;

/** Object type of a custom kind whose complete shape a validator describes. */
export type SchemaObject<Names extends KindNames, T> = Omit<T, "apiVersion" | "kind" | "metadata"> &
  Pick<CustomObject<Names, never>, "apiVersion" | "kind" | "metadata">;

/**
 * Type of the objects that a validator accepts: its input type, which is the type on the wire. Fields with a default
 * are optional in it. If the input type is unknown, the output type.
 */
export type InputOf<S> =
  S extends StandardSchema<infer Input, infer Output> ? (unknown extends Input ? Output : Input) : never;

/** Type of the objects that a validator returns. Fields with a default are set in it. */
export type OutputOf<S> = S extends StandardSchema<unknown, infer Output> ? Output : never;

/**
 * Creates a typed descriptor for a custom kind, in one of two ways:
 * - From types: `defineKind<Spec, Status>()({ group, version, kind, plural, scope })`. A status type adds the `status`
 * subresource.
 * - From a Standard Schema (zod, valibot, arktype, …) for the whole object: `defineKind({ ...names, schema })`. A
 * `status` property adds the subresource. Objects have the schema's input type. Requests don't run the schema, because
 * the server validates by its own; `validateObject` of `kubestream/objects` does.
 *
 * Throws a `TypeError` for names that the API would reject.
 *
 * @example
 * ```ts
 * import { defineKind } from "kubestream";
 * import { connect } from "kubestream/node";
 *
 * const CronTab = defineKind<{ schedule: string }, { lastRun?: string }>()({
 *   group: "stable.example.com",
 *   version: "v1",
 *   kind: "CronTab",
 *   plural: "crontabs",
 *   scope: "Namespaced",
 * });
 * const client = await connect();
 * const { items } = await client.resource(CronTab).namespace("web").list();
 * console.log(items.map(({ spec }) => spec?.schedule));
 * ```
 */
export function defineKind<Spec, Status = undefined>(): <const Names extends KindNames>(
  names: Names,
) => CustomKind<Names, CustomObject<Names, Spec, Status>, [Status] extends [undefined] ? false : true>;
export function defineKind<const Names extends KindNames & { readonly schema: StandardSchema<unknown, object> }>(
  names: Names,
): CustomKind<
  Names,
  SchemaObject<Names, InputOf<Names["schema"]>>,
  "status" extends keyof InputOf<Names["schema"]> ? true : false
> & { readonly schema: Names["schema"] };
export function defineKind(
  names?: KindNames & { readonly schema?: StandardSchema<unknown, object> | undefined },
): unknown {
  return names === undefined ? (given: KindNames): Kind => describe(given) : describe(names);
}

const labelPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

function describe(names: KindNames & { readonly schema?: StandardSchema<unknown, object> | undefined }): Kind {
  const { group, version, kind, plural, scope, schema } = names;
  const wrong = (field: string, value: string, expected: string): never => {
    throw new TypeError(`define kind ${JSON.stringify(kind)}: ${field} ${JSON.stringify(value)} is not ${expected}`);
  };
  if (!group.split(".").every((part) => labelPattern.test(part))) wrong("group", group, "a lower-case domain name");
  if (!labelPattern.test(version)) wrong("version", version, "a version such as v1 or v1alpha1");
  if (!/^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$/.test(kind)) wrong("kind", kind, "a name of letters and digits");
  if (!labelPattern.test(plural)) wrong("plural", plural, "a lower-case name");
  if (scope !== "Namespaced" && scope !== "Cluster") wrong("scope", String(scope), `"Namespaced" or "Cluster"`);
  return { group, version, kind, plural, scope, custom: true, ...(schema === undefined ? {} : { schema }) };
}
