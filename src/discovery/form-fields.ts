/** Control that fits a value. */
export type FormFieldType =
  | "text"
  | "number"
  | "integer"
  | "checkbox"
  /** One of `choices`. */
  | "choice"
  /** A number or a text, such as a port or a percentage. */
  | "intOrString"
  /** A quantity, such as `500m`. */
  | "quantity"
  | "dateTime"
  /** An object with known fields. */
  | "group"
  /** A list of equal items. */
  | "list"
  /** An object with any keys and equal values, such as labels. */
  | "map"
  /** A value of any form: show it as YAML. */
  | "any";

/** Limits of a value; the server checks them, too. */
export interface FormFieldLimits {
  /** Least number. */
  readonly minimum?: number | undefined;
  /** Greatest number. */
  readonly maximum?: number | undefined;
  /** Least length of a text in characters. */
  readonly minLength?: number | undefined;
  /** Greatest length of a text in characters. */
  readonly maxLength?: number | undefined;
  /** Regular expression for a text. */
  readonly pattern?: string | undefined;
  /** Least number of items. */
  readonly minItems?: number | undefined;
  /** Greatest number of items. */
  readonly maxItems?: number | undefined;
}

/** Field of a form. */
export interface FormField {
  /** Name in the object; empty for the object itself and for items. */
  readonly name: string;
  /** The name in words: `Image pull policy` for `imagePullPolicy`. */
  readonly label: string;
  /** The server's description. */
  readonly description: string | undefined;
  /** Control that fits. */
  readonly type: FormFieldType;
  /** True if the object is invalid without it. */
  readonly isRequired: boolean;
  /** True if `null` is allowed. */
  readonly isNullable: boolean;
  /** Value that the server sets if the field is missing. */
  readonly defaultValue: unknown;
  /** Values of a `choice`. */
  readonly choices: readonly unknown[];
  /** Limits of the value. */
  readonly limits: FormFieldLimits;
  /** Keys that identify an item of a list, such as `name` for containers. */
  readonly listKeys: readonly string[];
  /** Messages of the server's further rules (CEL), for a hint. */
  readonly rules: readonly string[];
  /** Returns the fields of a `group`. Schemas can be recursive, so call it when the group is shown. */
  fields(): readonly FormField[];
  /** Returns the field for one item of a `list` or `map`; `undefined` for other types. */
  item(): FormField | undefined;
}

/** The parts of a schema that matter here. */
interface Schema extends Omit<FormFieldLimits, "pattern"> {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-validations"?: readonly { readonly rule: string; readonly message?: string }[];
  readonly "x-kubernetes-group-version-kind"?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

type Schemas = Readonly<Record<string, Schema>>;

/**
 * Converts the OpenAPI schema of a kind to the fields of a form, for built-in kinds and custom ones: labels, controls,
 * choices, limits, defaults and descriptions. `document` comes from `createOpenApi`. Returns `undefined` if it doesn't
 * describe the kind.
 *
 * @example
 * ```ts
 * import { createOpenApi, getFormFields } from "kubestream/discovery";
 * import { Deployment } from "kubestream/kinds/apps/v1";
 * import { connect } from "kubestream/node";
 *
 * const document = await createOpenApi(await connect()).document("apps/v1");
 * const form = document && getFormFields(document, Deployment);
 * const spec = form?.fields().find(({ name }) => name === "spec");
 * for (const { label, type, isRequired } of spec?.fields() ?? []) console.log(label, type, isRequired);
 * ```
 */
export function getFormFields(
  document: object,
  kind: { readonly group: string; readonly version: string; readonly kind: string },
): FormField | undefined {
  const { components } = document as { readonly components?: { readonly schemas?: Schemas } };
  const schemas = components?.schemas ?? {};
  const found = Object.values(schemas).find(({ "x-kubernetes-group-version-kind": kinds = [] }) =>
    kinds.some((each) => each.group === kind.group && each.version === kind.version && each.kind === kind.kind),
  );
  return found && createField("", found, true, schemas);
}

function createField(name: string, given: Schema, isRequired: boolean, schemas: Schemas): FormField {
  const { schema, reference } = resolve(given, schemas);
  const type = typeOf(schema, reference);
  const { minimum, maximum, minLength, maxLength, pattern, minItems, maxItems } = schema;
  const item =
    schema.items ?? (typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined);
  return {
    name,
    label: labelOf(name),
    description: schema.description,
    type,
    isRequired,
    isNullable: schema.nullable === true,
    defaultValue: schema.default,
    choices: schema.enum ?? [],
    limits: { minimum, maximum, minLength, maxLength, pattern, minItems, maxItems },
    listKeys: schema["x-kubernetes-list-map-keys"] ?? [],
    rules: (schema["x-kubernetes-validations"] ?? []).map(({ rule, message }) => message ?? rule),
    fields: () => {
      const required = new Set(schema.required);
      return type !== "group"
        ? []
        : Object.entries(schema.properties ?? {}).map(([key, value]) =>
            createField(key, value, required.has(key), schemas),
          );
    },
    item: () => ((type === "list" || type === "map") && item ? createField("", item, true, schemas) : undefined),
  };
}

/** References followed in a row. Real schemas have one. */
const mostReferences = 10;

/** Merges a schema with those that it refers to; its own keywords win. */
function resolve(given: Schema, schemas: Schemas): { readonly schema: Schema; readonly reference: string } {
  let schema = given;
  let reference = "";
  for (let turn = 0; turn < mostReferences; turn++) {
    const [only] = schema.allOf?.length === 1 ? schema.allOf : [];
    const target = schema.$ref ?? only?.$ref;
    if (target === undefined) break;
    reference = target.replace("#/components/schemas/", "");
    const { $ref: _, allOf: __, ...own } = schema;
    schema = { ...(Object.hasOwn(schemas, reference) ? schemas[reference] : {}), ...own };
  }
  return { schema, reference };
}

function typeOf(schema: Schema, reference: string): FormFieldType {
  if (schema["x-kubernetes-int-or-string"] === true || schema.format === "int-or-string") return "intOrString";
  if (reference.endsWith(".resource.Quantity")) return "quantity";
  if (schema.enum !== undefined) return "choice";
  switch (schema.type) {
    case "string":
      return schema.format === "date-time" ? "dateTime" : "text";
    case "boolean":
      return "checkbox";
    case "number":
    case "integer":
      return schema.type;
    case "array":
      return schema.items === undefined ? "any" : "list";
    case "object":
      if (schema.properties !== undefined) return "group";
      return typeof schema.additionalProperties === "object" ? "map" : "any";
    default:
      return "any";
  }
}

/** Splits a name at its capitals; abbreviations such as `IP` stay whole. */
function labelOf(name: string): string {
  const words = name.replace(/([a-z\d])(?=[A-Z])/g, "$1 ").replace(/([A-Z])(?=[A-Z][a-z])/g, "$1 ");
  const text = words
    .split(" ")
    .map((word) => (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word))
    .join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
