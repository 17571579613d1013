import type { ApiServer } from "../../../src/apiserver/server.js";
import { createApiServer } from "../../../src/apiserver/server.js";
import type { Frame, Vocabulary } from "../shapes.js";
import type { Hostile, Target } from "../target.js";
import { cborBytes, cborWords, envelope, jsonWords, lengthField, protobufWords, yamlWords } from "../vocabularies.js";

type Places = readonly (readonly [before: string, after: string])[];

const maxBytes = 3 * 1024 * 1024;

/** A real kube-apiserver answers 500 to these, too. */
const knownFailure =
  /etcdserver: request is too large|does not fit the schema|list element types are not identical|declared merge key|is not a map/;
/** A body is parsed by Go's rules, decoded into Go's types, validated and stored. A wrong value of two bytes has an error. */
const wholeRequest = { cpuFactor: 150, cpuMs: 150, memoryFactor: 60 };

/** Request with a hostile body, and objects that exist before it. */
interface Attack {
  readonly method?: string;
  readonly path: string;
  readonly type: string;
  readonly vocabulary: Vocabulary;
  readonly setUp?: readonly (readonly [path: string, object: object])[];
  readonly allowance?: Target["allowance"];
}

function bodyTarget({ method = "POST", path, type, vocabulary, setUp = [], allowance = wholeRequest }: Attack): Target {
  return serverTarget(
    { maxBytes, vocabulary, allowance },
    setUp,
    ({ bytes }) =>
      new Request(`http://localhost${path}`, {
        method,
        headers: { "content-type": type, accept: "application/json" },
        body: bytes as Uint8Array<ArrayBuffer>,
      }),
  );
}

function serverTarget(
  target: Pick<Target, "maxBytes" | "vocabulary" | "allowance">,
  setUp: NonNullable<Attack["setUp"]>,
  request: (input: Hostile) => Request | undefined,
): Target {
  let server: ApiServer | undefined;
  return {
    ...target,
    async prepare(input) {
      const running = (server = createApiServer());
      for (const [path, object] of setUp) await create(running, path, object);
      const hostile = request(input);
      return async () => {
        if (hostile === undefined) return;
        const response = await running.handle(hostile);
        const answer = Buffer.from(await response.arrayBuffer()).toString("latin1", 0, 2_000);
        if (response.status >= 500 && !knownFailure.test(answer))
          throw new Error(`${String(response.status)}: ${answer}`);
      };
    },
    async cleanUp() {
      await server?.close();
      server = undefined;
    },
  };
}

async function create(server: ApiServer, path: string, object: object): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify(object);
  const response = await server.handle(new Request(`http://localhost${path}`, { method: "POST", headers, body }));
  if (!response.ok) throw new Error(`setting up ${path}: ${await response.text()}`);
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const pods = "/api/v1/namespaces/default/pods";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const metadata = '"metadata":{"name":"a"';
const configMap = `{"apiVersion":"v1","kind":"ConfigMap",${metadata}`;
const pod = `{"apiVersion":"v1","kind":"Pod",${metadata}}`;
const container = '"name":"c","image":"i"';
const objectFrames: Places = [
  [`${configMap}},"data":{`, "}}"],
  [`${configMap},"annotations":{`, "}}}"],
  [`${configMap},"labels":{`, "}}}"],
  [`${configMap},"ownerReferences":[`, "]}}"],
  [`${configMap},"finalizers":[`, "]}}"],
  [`${configMap},"managedFields":[`, "]}}"],
  [`${configMap},"unknown":`, "}}"],
  [`${configMap},`, "}}"],
];
const podFrames: Places = [
  [`${pod},"spec":{"containers":[{${container},"env":[`, "]}]}}"],
  [`${pod},"spec":{"containers":[{${container}},`, "]}}"],
  [`${pod},"spec":{"containers":[{${container},"ports":[`, "]}]}}"],
  [`${pod},"spec":{"containers":[{${container},"resources":{"limits":{`, "}}}]}}"],
  [`${pod},"spec":{"volumes":[`, `],"containers":[{${container}}]}}`],
  [`${pod},"spec":{"tolerations":[`, `],"containers":[{${container}}]}}`],
  [`${pod},"spec":{`, "}}"],
];
const definition = (schema: object): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});
const text = { type: "string" };
const thingSchema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        names: { type: "array", items: text, "x-kubernetes-list-type": "set" },
        rows: {
          type: "array",
          items: {
            type: "object",
            properties: { name: text, at: { ...text, format: "date-time" } },
            required: ["name"],
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
        },
        words: { type: "object", additionalProperties: { ...text, pattern: "^(a+)+$" } },
        any: { "x-kubernetes-preserve-unknown-fields": true },
        old: { type: "array", maxItems: 10, items: { ...text, enum: ["a", "b"] } },
      },
    },
  },
};
const thing = '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{';
const thingFrames: Places = [
  [`${thing}"names":[`, "]}}"],
  [`${thing}"rows":[`, "]}}"],
  [`${thing}"words":{`, "}}}"],
  [`${thing}"any":`, "}}"],
  [`${thing}"old":[`, "]}}"],
  [`${thing}`, "}}"],
];
const schemaStart =
  '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"things","singular":"thing","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":';
const schemaWords = jsonWords([
  [schemaStart, "}}]}}"],
  [`${schemaStart}{"type":"object","properties":{`, "}}}}]}}"],
  [`${schemaStart}{"type":"object"}},"additionalPrinterColumns":[`, "]}]}}"],
]);
const schemas: Vocabulary = {
  ...schemaWords,
  pairs: [
    ...schemaWords.pairs,
    ['{"type":"object","properties":{"a":', "}}"],
    ['{"type":"array","items":', "}"],
    ['{"allOf":[', "]}"],
    ['{"not":', "}"],
    ['{"type":"object","additionalProperties":', "}"],
  ],
  values: [
    ...schemaWords.values,
    (at) => `{"type":"string","pattern":"^(a|b){1,${String(at % 900)}}$"}`,
    '{"type":"string","default":"a","enum":["a","b"]}',
    '{"type":"array","items":{"type":"string"},"x-kubernetes-validations":[{"rule":"self.all(x, self.all(y, y == x))"}]}',
    (at) => `{"name":"c${String(at)}","type":"string","jsonPath":".spec.a${String(at)}"}`,
  ],
};

const patchWords = jsonWords([
  ["[", "]"],
  ['[{"op":"add","path":"/data/a","value":', "}]"],
]);
const jsonPatches: Vocabulary = {
  ...patchWords,
  values: [
    ...patchWords.values,
    (at) => `{"op":"add","path":"/data/k${String(at)}","value":"v"}`,
    '{"op":"copy","from":"/data","path":"/metadata/annotations"}',
    '{"op":"copy","from":"/data/a","path":"/data/b"}',
    '{"op":"test","path":"/data","value":{}}',
    '{"op":"add","path":"/metadata/finalizers/0","value":"example.com/a"}',
    '{"op":"remove","path":"/metadata/finalizers/0"}',
    `{"op":"add","path":"${"/a".repeat(500)}","value":1}`,
  ],
};
const mergeFrames: Places = [
  ['{"data":{', "}}"],
  ['{"metadata":{"annotations":{', "}}}"],
  ['{"metadata":', "}"],
];
const strategicWords = jsonWords([
  ['{"spec":{"template":{"spec":{"containers":[', "]}}}}"],
  ['{"spec":{"template":{"spec":{"$setElementOrder/containers":[', "]}}}}"],
  ['{"metadata":{"$deleteFromPrimitiveList/finalizers":[', "]}}"],
  ['{"metadata":{"finalizers":[', "]}}"],
]);
const strategic: Vocabulary = {
  ...strategicWords,
  values: [
    ...strategicWords.values,
    (at) => `{"name":"c${String(at)}","image":"i"}`,
    (at) => `{"name":"c${String(at)}","$patch":"delete"}`,
    '{"$patch":"replace"}',
  ],
};
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "a" },
  spec: {
    selector: { matchLabels: { app: "a" } },
    template: {
      metadata: { labels: { app: "a" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
  },
};
const aConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "1" } };
const yamlFrames: readonly Frame[] = [
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n", "", "members"],
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {", "}", "members"],
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: |\n", ""],
  ["{", "}", "members"],
];
const pair = (key: string, value: string): string => cborBytes(key) + cborBytes(value);
const cborStart = `\xd9\xd9\xf7\xbf${pair("apiVersion", "v1")}${pair("kind", "ConfigMap")}${cborBytes("metadata")}\xa1${pair("name", "a")}`;
const cborFrames: readonly Frame[] = [
  [`${cborStart}${cborBytes("data")}\xbf`, "\xff\xff", "members"],
  [cborStart, "\xff", "members"],
  [`${cborStart}${cborBytes("data")}`, "\xff"],
];
const fields = [1, 2, 3, 11, 12, 13, 17].map((number) => (inner: string) => lengthField(number, inner));
const protobufBodies = protobufWords(
  [["k8s\0", ""]],
  [
    ...fields,
    (raw) => envelope("v1", "ConfigMap", raw),
    (raw) => envelope("v1", "ConfigMap", lengthField(1, lengthField(1, "a") + raw)),
    (raw) => envelope("v1", "ConfigMap", lengthField(1, lengthField(1, "a")) + lengthField(2, raw)),
  ],
);

/** A body of the 400,000 tokens that the server reads takes most of a second, in trees of some 300 bytes per token. */
const fewTokens = { cpuFactor: 120, cpuMs: 1_000, memoryFactor: 120 };

/** Longest head of a request that Node accepts. */
const longHead = 16 * 1024;
const targets: Vocabulary = {
  frames: [
    ["/api/v1/namespaces/default/configmaps?labelSelector=", ""],
    ["/api/v1/namespaces/default/pods?fieldSelector=", ""],
    ["/api/v1/namespaces/default/configmaps?continue=", ""],
    ["/api/v1/namespaces/default/configmaps?limit=", ""],
    ["/api/v1/namespaces/", "/configmaps"],
    ["/apis/", ""],
    ["/openapi/v3/", ""],
    ["/", ""],
  ],
  pairs: [["a%20in%20(", ")"]],
  values: [
    "a",
    "a=b",
    "a!=b",
    "!a",
    "/",
    "..",
    "%2e%2e",
    "%20",
    "a%3Db",
    "pods",
    "default",
    "&limit=1",
    "&watch=0",
    "eyJ2IjoibWV0YSJ9",
  ],
  junk: ["%", "%zz", "?", "&", "=", ",", "(", ")", "%00", "%ff", ";", "+"],
  joints: ["/", ",", "&", "", "%2C"],
};
const heads: Vocabulary = {
  frames: [["", ""]],
  pairs: [],
  values: [
    ...[
      "application/json",
      "*/*",
      "application/json;as=Table;v=v1;g=meta.k8s.io",
      "q=0.5",
      "gzip",
      "Bearer a.b.c",
      "system:masters",
    ],
    ...["application/vnd.kubernetes.protobuf", "a", "1", 'W/"a"', "en;q=0.1"],
  ],
  junk: [";", "=", '"', "\\", "(", "%zz", "\t", " "],
  joints: [",", ";", ", ", ""],
};
const headerNames = [
  "accept",
  "authorization",
  "impersonate-user",
  "impersonate-extra-a",
  "accept-encoding",
  "if-none-match",
];

/** The embedded server: everything that happens to a request with a body. */
export const server: Record<string, Target> = {
  "server-url": serverTarget(
    { maxBytes: longHead, vocabulary: targets, allowance: wholeRequest },
    [],
    ({ text: target }) => {
      const url = `http://localhost/${target}`;
      return URL.canParse(url) ? new Request(url) : undefined;
    },
  ),
  "server-headers": serverTarget(
    { maxBytes: longHead, vocabulary: heads, allowance: wholeRequest },
    [],
    ({ text: value }) => {
      const name = headerNames[value.length % headerNames.length]!;
      return new Request(`http://localhost${configMaps}`, { headers: { [name]: value.replace(/[^\t -~]/g, "") } });
    },
  ),
  "server-json": bodyTarget({ path: configMaps, type: "application/json", vocabulary: jsonWords(objectFrames) }),
  "server-pod": bodyTarget({ path: pods, type: "application/json", vocabulary: jsonWords(podFrames) }),
  "server-yaml": bodyTarget({
    path: configMaps,
    type: "application/yaml",
    vocabulary: yamlWords(yamlFrames),
    allowance: fewTokens,
  }),
  "server-cbor": bodyTarget({ path: configMaps, type: "application/cbor", vocabulary: cborWords(cborFrames) }),
  "server-protobuf": bodyTarget({
    path: configMaps,
    type: "application/vnd.kubernetes.protobuf",
    vocabulary: protobufBodies,
  }),
  "server-definition": bodyTarget({ path: definitions, type: "application/json", vocabulary: schemas }),
  "server-custom": bodyTarget({
    path: "/apis/example.com/v1/namespaces/default/things",
    type: "application/json",
    vocabulary: jsonWords(thingFrames),
    setUp: [[definitions, definition(thingSchema)]],
  }),
  "server-json-patch": bodyTarget({
    method: "PATCH",
    path: `${configMaps}/a`,
    type: "application/json-patch+json",
    vocabulary: jsonPatches,
    setUp: [[configMaps, aConfigMap]],
  }),
  "server-merge-patch": bodyTarget({
    method: "PATCH",
    path: `${configMaps}/a`,
    type: "application/merge-patch+json",
    vocabulary: jsonWords(mergeFrames),
    setUp: [[configMaps, aConfigMap]],
  }),
  "server-strategic": bodyTarget({
    method: "PATCH",
    path: "/apis/apps/v1/namespaces/default/deployments/a",
    type: "application/strategic-merge-patch+json",
    vocabulary: strategic,
    setUp: [["/apis/apps/v1/namespaces/default/deployments", deployment]],
  }),
  "server-apply": bodyTarget({
    method: "PATCH",
    path: `${configMaps}/a?fieldManager=a&force=true`,
    type: "application/apply-patch+yaml",
    allowance: fewTokens,
    vocabulary: jsonWords(objectFrames),
    setUp: [[configMaps, aConfigMap]],
  }),
  "server-apply-custom": bodyTarget({
    method: "PATCH",
    path: "/apis/example.com/v1/namespaces/default/things/a?fieldManager=a&force=true",
    type: "application/apply-patch+yaml",
    allowance: fewTokens,
    vocabulary: jsonWords(thingFrames),
    setUp: [[definitions, definition(thingSchema)]],
  }),
};
