import type { RootDocument } from "./openapi-roots.js";
import type { Json } from "./protobuf-parts.js";

/** Media types in the order in which version 2 tells them. */
const order: readonly string[] = [
  "text/plain",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/cbor",
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
  "application/cbor-seq",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "application/apply-patch+cbor",
];
const methods: ReadonlySet<string> = new Set(["get", "put", "post", "delete", "options", "head", "patch"]);

const own: ReadonlySet<string> = new Set(["name", "dryRun", "fieldValidation"]);
const sharedBodies: readonly string[] = ["DeleteOptions", "Patch"];

/**
 * What the names of shared parameters end with: a hash of the parameter as it is served, description included. Those are not part of ours, so the
 * hashes are told; where parameters of one name differ, by what their method, path and position have in it.
 */
const hashes: Readonly<Record<string, string | readonly (readonly [place: RegExp, hash: string])[]>> = {
  allowWatchBookmarks: "HC2hJt-J",
  "body-DeleteOptions": "2Y1dVQaQ",
  "body-Patch": "78PwaGsr",
  command: "Py3eQybp",
  continue: "QfD61s0i",
  fieldSelector: "xIcQKXFG",
  follow: "9OIXh_2R",
  force: "tOGGb0Yi",
  gracePeriodSeconds: "-K5HaBOS",
  ignoreStoreReadErrorWithClusterBreakingPotential: "QbNkfIqj",
  insecureSkipTLSVerifyBackend: "gM00jVbe",
  labelSelector: "5Zw57w4C",
  limit: "1NfNmdNH",
  limitBytes: "zwd1RXuc",
  namespace: "vgWSWtn3",
  orphanDependents: "uRB25kX5",
  ports: "91KROJmm",
  pretty: "tJGM1-ng",
  previous: "1jxDPu3y",
  propagationPolicy: "6jk3prlO",
  resourceVersion: "5WAnf1kx",
  resourceVersionMatch: "t8XhRHeC",
  sendInitialEvents: "rLXlEK_k",
  shardSelector: "Kgyki_3_",
  sinceSeconds: "vE2NLdnP",
  stream: "l-48cgXv",
  tailLines: "9xQLWHMV",
  timeoutSeconds: "yvYezaOC",
  timestamps: "c17fW1w_",
  watch: "XNNPZGbK",
  container: [
    [/\/log /, "1GeXxFDC"],
    [/\/attach /, "_Q-EJ3nR"],
    [/\/exec /, "i5dOmRiM"],
  ],
  fieldManager: [
    [/^patch /, "7c6nTn1T"],
    [/./, "Qy4HdaTW"],
  ],
  path: [
    [/ path$/, "z6Ciiujn"],
    [/\/services\//, "QCf0eosM"],
    [/\/pods\//, "oPbzgLUj"],
    [/\/nodes\//, "rFDtV0x9"],
  ],
  stderr: [
    [/\/attach /, "26jJhFUR"],
    [/\/exec /, "W_1TNlWc"],
  ],
  stdin: [
    [/\/exec /, "PSzNhyUC"],
    [/\/attach /, "sEFnN3IS"],
  ],
  stdout: [
    [/\/exec /, "-EZLRwV1"],
    [/\/attach /, "005YMKE6"],
  ],
  tty: [
    [/\/attach /, "g7MlET_l"],
    [/\/exec /, "s0flW37O"],
  ],
};

/** The name of a shared parameter; `place` is its method, path and position. */
function sharedName(key: string, place: string): string {
  const known = hashes[key];
  const hash = typeof known === "string" ? known : known?.find(([pattern]) => pattern.test(place))?.[1];
  return hash === undefined ? key : `${key.replace(/^body-.*/, "body")}-${hash}`;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Json;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

/** Paths of version 2, and the parameters that they share. */
export interface PathsV2 {
  readonly paths: Record<string, Json>;
  readonly parameters: Record<string, Json>;
}

/** Translates the paths of documents of version 3. `schemaOf` gives a schema in the form of version 2. */
export function pathsOfV2(
  documents: Iterable<Readonly<Record<string, Json>>>,
  schemaOf: (schema: Json) => Json,
): PathsV2 {
  const parameters: Record<string, Json> = {};
  const share = (key: string, parameter: Json, place: string): Json => {
    const name = sharedName(key, `${place} ${String(parameter["in"])}`);
    parameters[name] ??= parameter;
    return { $ref: `#/parameters/${name}` };
  };
  const plain = ({ schema, ...rest }: Parameter): Json => ({ ...schema, ...rest });
  // What is said of these differs from path to path, or they are too short to be shared.
  const parameter = (one: Parameter, place: string): Json =>
    own.has(one.name) ? plain(one) : share(one.name, plain(one), place);
  const body = (schema: Json, required: boolean, place: string): Json => {
    const given = { name: "body", in: "body", ...(required ? { required } : {}), schema: schemaOf(schema) };
    const kind = sharedBodies.find((name) => String(schema["$ref"]).endsWith(`.${name}`));
    return kind === undefined ? given : share(`body-${kind}`, given, place);
  };
  const types = (content: Content["content"]): string[] =>
    Object.keys(content ?? {}).sort((a, b) => order.indexOf(a) - order.indexOf(b));
  const operation = (one: Json, place: string): Json => {
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
      ...(taken === undefined ? [] : [body(taken, requestBody?.required === true, place)]),
      ...given.map((each) => parameter(each, place)),
    ];
    const produces = types(responses["200"]?.content);
    const action = one["x-kubernetes-action"];
    return {
      // Custom resources take what they answer in, built-in ones anything that they know.
      consumes:
        action === "patch"
          ? types(requestBody?.content)
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
      const shared = (item["parameters"] as Parameter[] | undefined)?.map((one) =>
        parameter(one, `parameters ${path}`),
      );
      const operations = Object.entries(item)
        .filter(([method]) => methods.has(method))
        .map(([method, one]) => [method, operation(one as Json, `${method} ${path}`)]);
      paths[path] = {
        ...(Object.fromEntries(operations) as Json),
        ...(shared === undefined || shared.length === 0 ? {} : { parameters: shared }),
      };
    }
  }
  return { paths, parameters };
}

/** The path of a root document. */
export function rootPathV2({ operationId, tag, types, consumes, returns }: RootDocument): Json {
  const schema = returns === undefined ? { type: "string" } : { $ref: `#/definitions/${returns}` };
  const sorted = (list: readonly string[]): string[] => [...list].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return {
    get: {
      ...(consumes === undefined ? {} : { consumes: sorted(consumes) }),
      produces: sorted(types),
      schemes: ["https"],
      tags: [tag],
      operationId,
      responses: { 200: { description: "OK", schema }, 401: { description: "Unauthorized" } },
    },
  };
}
