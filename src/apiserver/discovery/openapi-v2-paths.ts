import { equalJson } from "../internal/json-value.js";
import type { Json } from "./protobuf-parts.js";

const methods: ReadonlySet<string> = new Set(["get", "put", "post", "delete", "options", "head", "patch"]);

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Json;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

/** Paths in OpenAPI v2, and their shared parameters. */
export interface PathsV2 {
  readonly paths: Record<string, Json>;
  readonly parameters: Record<string, Json>;
}

/** Converts the paths of v3 documents. `schemaOf` converts a schema to v2. */
export function pathsOfV2(
  documents: Iterable<Readonly<Record<string, Json>>>,
  schemaOf: (schema: Json) => Json,
): PathsV2 {
  const parameters: Record<string, Json> = {};
  // The first parameter of a name is shared; a different one with the same name is inlined.
  const parameter = ({ schema, ...rest }: Parameter): Json => {
    const plain = { ...schema, ...rest };
    return equalJson((parameters[rest.name] ??= plain), plain) ? { $ref: `#/parameters/${rest.name}` } : plain;
  };
  const operation = (one: Json): Json => {
    const {
      parameters: given = [],
      requestBody,
      responses,
      tags,
      operationId,
      ...extensions
    } = one as Json & {
      parameters?: Parameter[];
      requestBody?: Content & { required?: boolean };
      responses: Record<string, Content & { description: string }>;
    };
    const taken = Object.values(requestBody?.content ?? {})[0]?.schema;
    const list = [
      ...(taken === undefined
        ? []
        : [
            {
              name: "body",
              in: "body",
              ...(requestBody?.required === true ? { required: true } : {}),
              schema: schemaOf(taken),
            },
          ]),
      ...given.map(parameter),
    ];
    const produces = Object.keys(responses["200"]?.content ?? {});
    const action = one["x-kubernetes-action"];
    return {
      // Custom resources consume the types they produce, built-in ones any known type.
      consumes:
        action === "patch"
          ? Object.keys(requestBody?.content ?? {})
          : action === undefined || !produces.some((type) => type === "*/*" || type.includes("protobuf"))
            ? produces
            : ["*/*"],
      produces,
      schemes: ["https"],
      tags,
      operationId,
      ...(list.length === 0 ? {} : { parameters: list }),
      responses: Object.fromEntries(
        Object.entries(responses).map(([code, { description, content }]) => {
          const schema = Object.values(content ?? {})[0]?.schema;
          return [code, { description, ...(schema === undefined ? {} : { schema: schemaOf(schema) }) }];
        }),
      ),
      ...extensions,
    };
  };
  const paths: Record<string, Json> = {};
  for (const items of documents) {
    for (const [path, item] of Object.entries(items)) {
      const shared = (item["parameters"] as Parameter[] | undefined)?.map(parameter);
      const operations = Object.entries(item)
        .filter(([method]) => methods.has(method))
        .map(([method, one]) => [method, operation(one as Json)]);
      paths[path] = {
        ...(Object.fromEntries(operations) as Json),
        ...(shared === undefined || shared.length === 0 ? {} : { parameters: shared }),
      };
    }
  }
  return { paths, parameters };
}
