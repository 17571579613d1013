import type { Kind, Scope } from "./kind.js";
import type { ObjectMeta } from "./object.js";
import type { StandardSchema } from "./standard-schema.js";

/** The names of a custom kind. */
export interface KindNames {
  /** API group, as `example.com`. */
  readonly group: string;
  /** API version, as `v1alpha1`. */
  readonly version: string;
  /** Name of the kind in CamelCase. */
  readonly kind: string;
  /** Name of the resource in URLs. */
  readonly plural: string;
  /** Whether its objects live in namespaces. */
  readonly scope: Scope;
  /** True where the CustomResourceDefinition has the `scale` subresource. */
  readonly scale?: boolean;
}

/** Object of a custom kind, made of the types of its spec and status. */
export interface CustomObject<Names extends KindNames, Spec, Status = undefined> {
  /** `group/version`. */
  apiVersion?: `${Names["group"]}/${Names["version"]}`;
  /** Name of the kind. */
  kind?: Names["kind"];
  /** Name, labels and the rest that is the same for all kinds. */
  metadata?: ObjectMeta;
  /** Desired state. */
  spec?: Spec;
  /** Observed state. */
  status?: Status;
}

/** The `scale` subresource as custom kinds have it. */
export interface CustomScale {
  /** `autoscaling/v1`. */
  apiVersion?: "autoscaling/v1";
  /** `Scale`. */
  kind?: "Scale";
  /** Metadata of the scaled object. */
  metadata?: ObjectMeta;
  /** Desired number of replicas. */
  spec?: { replicas?: number };
  /** Observed number of replicas, and the selector that finds them. */
  status?: { replicas: number; selector?: string };
}

/** The subresources of a custom kind: `status` where the object has one, `scale` where the names say so. */
export type CustomSubresources<Names extends KindNames, T, HasStatus extends boolean> = (HasStatus extends true
  ? { status: T }
  : unknown) &
  (Names extends { readonly scale: true } ? { scale: CustomScale } : unknown) &
  object;

/** Descriptor of a custom kind. */
export type CustomKind<Names extends KindNames, T, HasStatus extends boolean> = Kind<
  T,
  Names["scope"],
  CustomSubresources<Names, T, HasStatus>,
  "json" | "merge"
>;

/** Object of a custom kind whose whole shape a validator describes. */
export type SchemaObject<Names extends KindNames, Output> = Omit<Output, "apiVersion" | "kind" | "metadata"> &
  Pick<CustomObject<Names, never>, "apiVersion" | "kind" | "metadata">;

type OutputOf<S> = S extends StandardSchema<unknown, infer Output> ? Output : never;

/**
 * Describes a custom kind. Either the types of its spec and status are given, and the names in a second call:
 * `defineKind<Spec, Status>()({ group, version, kind, plural, scope })`, where a status type adds the `status`
 * subresource; or a Standard Schema of the whole object stands beside the names: `defineKind({ ...names, schema })`,
 * where a `status` property does. Throws a `TypeError` for names that can't stand in a URL.
 */
export function defineKind<Spec, Status = undefined>(): <const Names extends KindNames>(
  names: Names,
) => CustomKind<Names, CustomObject<Names, Spec, Status>, [Status] extends [undefined] ? false : true>;
export function defineKind<const Names extends KindNames & { readonly schema: StandardSchema<unknown, object> }>(
  names: Names,
): CustomKind<
  Names,
  SchemaObject<Names, OutputOf<Names["schema"]>>,
  "status" extends keyof OutputOf<Names["schema"]> ? true : false
>;
export function defineKind(names?: KindNames & { readonly schema?: StandardSchema<unknown, object> }): unknown {
  return names === undefined ? (given: KindNames): Kind => describe(given) : describe(names);
}

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

function describe(names: KindNames & { readonly schema?: StandardSchema<unknown, object> }): Kind {
  const { group, version, kind, plural, scope, schema } = names;
  const wrong = (field: string, value: string, expected: string): never => {
    throw new TypeError(`define kind ${JSON.stringify(kind)}: ${field} ${JSON.stringify(value)} is not ${expected}`);
  };
  if (!group.split(".").every((part) => LABEL.test(part))) wrong("group", group, "a lower-case domain name");
  if (!LABEL.test(version)) wrong("version", version, "a version as v1 or v1alpha1");
  if (!/^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$/.test(kind)) wrong("kind", kind, "a name of letters and digits");
  if (!LABEL.test(plural)) wrong("plural", plural, "a lower-case name");
  if (scope !== "Namespaced" && scope !== "Cluster") wrong("scope", String(scope), `"Namespaced" or "Cluster"`);
  return { group, version, kind, plural, scope, custom: true, ...(schema === undefined ? {} : { schema }) };
}
