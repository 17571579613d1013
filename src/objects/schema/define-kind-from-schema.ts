import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceSubresourceScale,
  ValidationRule,
} from "../../kinds/apiextensions/v1.js";
import {
  type CustomKind,
  defineKind,
  type InputOf,
  type KindNames,
  type SchemaObject,
} from "../../meta/define-kind.js";
import type { StandardSchema } from "../../meta/standard-schema.js";
import { isSchema, requiredIn, type StructuralSchema } from "./json-schema.js";
import { structuralSchema } from "./structural-schema.js";

/**
 * Validator that can export itself as JSON Schema, such as those of zod from 4.2.
 * @see https://standardschema.dev/json-schema
 */
export interface StandardJsonSchema {
  /** Properties of the validator. */
  readonly "~standard": {
    /** Exports the schema of the values that the validator accepts. */
    readonly jsonSchema: { readonly input: (options: { readonly target: "draft-2020-12" }) => object };
  };
}

/** Options for `defineKindFromSchema`. */
export interface SchemaKindOptions extends KindNames {
  /**
   * Validator for the whole object: its `spec`, and its `status` if it has one. `apiVersion`, `kind` and `metadata` needn't
   * be part of it.
   */
  readonly schema: StandardSchema<unknown, object>;
  /** The validator as JSON Schema. Default: the validator exports it (`StandardJsonSchema`). */
  readonly jsonSchema?: object | undefined;
  /**
   * CEL rules by path: `""` for the object, `spec.items[]` for the items of a list or the values of a record. Validators
   * that keep unknown keywords, such as zod with `.meta({ "x-kubernetes-validations": [...] })`, can hold them as well.
   */
  readonly rules?: Readonly<Record<string, readonly ValidationRule[]>> | undefined;
  /** Columns that `kubectl get` prints. Default: the name and the age. */
  readonly columns?: readonly CustomResourceColumnDefinition[] | undefined;
  /** Paths of the `scale` subresource, if `scale` is true. Default `.spec.replicas` and `.status.replicas`. */
  readonly scalePaths?: Partial<CustomResourceSubresourceScale> | undefined;
  /** Short names for kubectl, such as `bk`. */
  readonly shortNames?: readonly string[] | undefined;
  /** Groups of resources for kubectl, such as `all`. */
  readonly categories?: readonly string[] | undefined;
}

/** Kind descriptor with the definition that installs it. */
export type SchemaKind<Options extends SchemaKindOptions> = CustomKind<
  Options,
  SchemaObject<Options, InputOf<Options["schema"]>>,
  "status" extends keyof InputOf<Options["schema"]> ? true : false
> & {
  /** Validator, for `validateObject`. */
  readonly schema: Options["schema"];
  /** CustomResourceDefinition with one version, to apply or to print. */
  readonly definition: CustomResourceDefinition & {
    readonly apiVersion: "apiextensions.k8s.io/v1";
    readonly kind: "CustomResourceDefinition";
  };
};

/**
 * Creates a typed kind descriptor and its CustomResourceDefinition from one validator: `client.resource(kind)` is typed,
 * and `kind.definition` has the structural schema, CEL rules, columns, and the `status` subresource if the validator has a
 * `status`. Fields with a default are optional, and the server fills them in.
 *
 * Throws a `TypeError` that names the field if the schema can't be expressed as a structural schema (tuples, recursion,
 * unions of different types, patterns with lookarounds), if a path in `rules` doesn't exist, and for names that the API
 * would reject.
 *
 * @example
 * ```ts
 * import { applyManifests } from "kubestream/manifests";
 * import { connect } from "kubestream/node";
 * import { defineKindFromSchema } from "kubestream/objects";
 * import { z } from "zod";
 *
 * export const Backup = defineKindFromSchema({
 *   group: "storage.example.com",
 *   version: "v1",
 *   kind: "Backup",
 *   plural: "backups",
 *   scope: "Namespaced",
 *   schema: z.object({
 *     spec: z.object({ schedule: z.string().min(1), keep: z.int().min(1).default(7), database: z.string() }),
 *     status: z.object({ lastRun: z.iso.datetime().optional() }).optional(),
 *   }),
 *   rules: { spec: [{ rule: "self.database == oldSelf.database", message: "database is immutable" }] },
 *   columns: [{ name: "Schedule", type: "string", jsonPath: ".spec.schedule" }],
 * });
 *
 * const client = await connect();
 * await applyManifests(client, [Backup.definition], { fieldManager: "installer" });
 * await client.resource(Backup).namespace("db").create({ metadata: { name: "nightly" }, spec: { schedule: "0 3 * * *", database: "main" } });
 * ```
 */
export function defineKindFromSchema<const Options extends SchemaKindOptions>(options: Options): SchemaKind<Options> {
  const { group, version, kind, plural, scope, schema, shortNames, categories } = options;
  const described = defineKind({ group, version, kind, plural, scope, schema });
  const openAPIV3Schema = objectSchema(options);
  const properties = openAPIV3Schema["properties"] as Readonly<Record<string, unknown>>;
  const names: CustomResourceDefinitionNames = {
    kind,
    plural,
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    ...(shortNames && { shortNames: [...shortNames] }),
    ...(categories && { categories: [...categories] }),
  };
  const subresources = {
    ...(properties["status"] !== undefined && { status: {} }),
    ...(options.scale === true && {
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas", ...options.scalePaths },
    }),
  };
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names,
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          ...(Object.keys(subresources).length > 0 && { subresources }),
          ...(options.columns && { additionalPrinterColumns: options.columns.map((column) => ({ ...column })) }),
        },
      ],
    },
  };
  return { ...described, definition } as unknown as SchemaKind<Options>;
}

/** Fields that the API server defines. */
const identity = new Set(["apiVersion", "kind", "metadata"]);

/** Converts the validator to the schema of the object. */
function objectSchema(options: SchemaKindOptions): StructuralSchema {
  const given = options.jsonSchema ?? exportSchema(options);
  if (!isSchema(given)) throw new TypeError(`define kind ${options.kind}: the JSON Schema must be an object`);
  const converted = structuralSchema(given, { path: "", root: given, references: [] });
  if (converted["type"] !== "object" || !isSchema(converted["properties"]))
    throw new TypeError(`define kind ${options.kind}: the schema must be an object with properties such as spec`);
  const { required: _, "x-kubernetes-preserve-unknown-fields": _open, ...rest } = converted;
  const own = Object.entries(converted["properties"]).filter(([name]) => !identity.has(name));
  // A status is written after the creation.
  const required = requiredIn(converted).filter((name) => !identity.has(name) && name !== "status");
  const schema = { ...rest, properties: Object.fromEntries(own), ...(required.length > 0 && { required }) };
  for (const [path, rules] of Object.entries(options.rules ?? {})) addRules(schema, path, rules);
  return schema;
}

function exportSchema({ kind, schema }: SchemaKindOptions): object {
  const { jsonSchema } = schema["~standard"] as Partial<StandardJsonSchema["~standard"]>;
  if (jsonSchema === undefined)
    throw new TypeError(
      `define kind ${kind}: this version of ${schema["~standard"].vendor} doesn't export JSON Schema: pass options.jsonSchema`,
    );
  return jsonSchema.input({ target: "draft-2020-12" });
}

function addRules(schema: StructuralSchema, path: string, rules: readonly ValidationRule[]): void {
  let target: unknown = schema;
  for (const part of path.match(/\[\]|[^.[\]]+/g) ?? []) {
    const at: Readonly<Record<string, unknown>> = isSchema(target) ? target : {};
    const { properties } = at;
    if (part === "[]") target = at["items"] ?? at["additionalProperties"];
    else target = isSchema(properties) && Object.hasOwn(properties, part) ? properties[part] : undefined;
  }
  if (!isSchema(target)) throw new TypeError(`options.rules: the schema has no field ${JSON.stringify(path)}`);
  const before = target["x-kubernetes-validations"];
  const all = [...(Array.isArray(before) ? (before as unknown[]) : []), ...rules.map((rule) => ({ ...rule }))];
  (target as Record<string, unknown>)["x-kubernetes-validations"] = all;
}
