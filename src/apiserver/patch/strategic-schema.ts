/** The parts of a schema that strategic merge patches use. The schemas of built-in kinds have this form. */
export interface StrategicSchema {
  /** Bare name of another definition. */
  readonly $ref?: string;
  /** Single-element wrapper, such as next to a default. */
  readonly allOf?: readonly StrategicSchema[];
  /** Members of a struct. */
  readonly properties?: Readonly<Record<string, StrategicSchema>>;
  /** Elements of a list. */
  readonly items?: StrategicSchema;
  /** `merge`, `replace`, `retainKeys`, or two of them separated by a comma. */
  readonly "x-kubernetes-patch-strategy"?: string;
  /** Member that identifies the elements of a merged list. */
  readonly "x-kubernetes-patch-merge-key"?: string;
}

/** Returns the definition that a `$ref` names. */
export type StrategicSchemaResolver = (name: string) => StrategicSchema;

/** Patch strategy of one struct member. */
export interface PatchMeta {
  /** `merge`, `replace`, or `""`. */
  readonly strategy: string;
  /** `""` for lists of scalars. */
  readonly mergeKey: string;
  /** Schema of the member, or of its elements if it is a list. */
  readonly schema: StrategicSchema;
}

/** Resolves references and wrappers. */
export function resolveStrategicSchema(schema: StrategicSchema, resolve: StrategicSchemaResolver): StrategicSchema {
  let current = schema;
  for (let hops = 0; hops < 16; hops += 1) {
    const inner = current.allOf?.[0];
    if (inner !== undefined && current.properties === undefined) current = inner;
    else if (current.$ref !== undefined) current = resolve(current.$ref);
    else break;
  }
  return current;
}

/** Looks up the patch strategy of a member; returns `undefined` if the schema isn't a struct with that member. */
export function lookUpPatchMeta(
  schema: StrategicSchema,
  key: string,
  resolve: StrategicSchemaResolver,
): PatchMeta | undefined {
  const properties = resolveStrategicSchema(schema, resolve).properties;
  if (properties === undefined || !Object.hasOwn(properties, key)) return undefined;
  const member = properties[key]!;
  const target = resolveStrategicSchema(member, resolve);
  const strategies = (member["x-kubernetes-patch-strategy"] ?? "").split(",");
  return {
    strategy: strategies.find((strategy) => strategy !== "retainKeys") ?? "",
    mergeKey: member["x-kubernetes-patch-merge-key"] ?? "",
    schema: target.items ?? member,
  };
}
