import type { Frame, Vocabulary } from "../shapes.js";
import { cborBytes, envelope, jsonWords, lengthField, protobufWords } from "../vocabularies.js";

/** Places in a document: the text before and after. */
type Places = readonly (readonly [before: string, after: string])[];

const metadata = '"metadata":{"name":"a"';
const configMap = `{"apiVersion":"v1","kind":"ConfigMap",${metadata}`;
const pod = `{"apiVersion":"v1","kind":"Pod",${metadata}}`;
const container = '"name":"c","image":"i"';
export const objectFrames: Places = [
  [`${configMap}},"data":{`, "}}"],
  [`${configMap},"annotations":{`, "}}}"],
  [`${configMap},"labels":{`, "}}}"],
  [`${configMap},"ownerReferences":[`, "]}}"],
  [`${configMap},"finalizers":[`, "]}}"],
  [`${configMap},"managedFields":[`, "]}}"],
  [`${configMap},"unknown":`, "}}"],
  [`${configMap},`, "}}"],
];
export const podFrames: Places = [
  [`${pod},"spec":{"containers":[{${container},"env":[`, "]}]}}"],
  [`${pod},"spec":{"containers":[{${container}},`, "]}}"],
  [`${pod},"spec":{"containers":[{${container},"ports":[`, "]}]}}"],
  [`${pod},"spec":{"containers":[{${container},"resources":{"limits":{`, "}}}]}}"],
  [`${pod},"spec":{"volumes":[`, `],"containers":[{${container}}]}}`],
  [`${pod},"spec":{"tolerations":[`, `],"containers":[{${container}}]}}`],
  [`${pod},"spec":{`, "}}"],
];
const job = `{"apiVersion":"batch/v1","kind":"Job",${metadata}},"spec":{`;
const service = `{"apiVersion":"v1","kind":"Service",${metadata}},"spec":{`;
const slice = `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice",${metadata}},"spec":{"driver":"d","nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[`;
const autoscaler = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler",${metadata}},"spec":{"maxReplicas":2,"scaleTargetRef":{"kind":"A","name":"b"},"metrics":[`;
const webhooks = `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration",${metadata}},`;
/** Lists whose items are compared with each other, and the paths that objects with them are created at. */
export const listFrames: readonly (readonly [path: string, before: string, after: string])[] = [
  [
    "/apis/batch/v1/namespaces/default/jobs",
    `${job}"podFailurePolicy":{"rules":[{"action":"Ignore","onExitCodes":{"operator":"In","values":[`,
    `]}}]},"template":{"spec":{"restartPolicy":"Never","containers":[{${container}}]}}}}`,
  ],
  ["/api/v1/namespaces/default/services", `${service}"ports":[{"port":80}],"ipFamilies":[`, "]}}"],
  ["/api/v1/namespaces/default/services", `${service}"ports":[`, "]}}"],
  [
    "/api/v1/namespaces/default/resourcequotas",
    `{"apiVersion":"v1","kind":"ResourceQuota",${metadata}},"spec":{"scopes":[`,
    "]}}",
  ],
  [
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    `${webhooks}"webhooks":[{"name":"a.b.c","clientConfig":{"url":"https://a"},"sideEffects":"None","admissionReviewVersions":[`,
    "]}]}",
  ],
  [
    "/apis/storage.k8s.io/v1/csidrivers",
    `{"apiVersion":"storage.k8s.io/v1","kind":"CSIDriver",${metadata}},"spec":{"tokenRequests":[`,
    "]}}",
  ],
  ["/apis/resource.k8s.io/v1/resourceslices", slice, "]}}"],
  ["/apis/resource.k8s.io/v1/resourceslices", `${slice}{"name":"a","bindingConditions":[`, "]}]}}"],
  ["/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", autoscaler, "]}}"],
  ...[
    [`"volumes":[{"name":"v","configMap":{"name":"a","items":[`, "]}}]"],
    ['"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"a","labelSelector":{},"matchLabelKeys":[', "]}]"],
    ['"readinessGates":[', "]"],
    ['"resourceClaims":[', "]"],
    ['"resources":{"claims":[', "]}"],
  ].map(
    ([before, after]) =>
      [
        "/api/v1/namespaces/default/pods",
        `${pod},"spec":{"containers":[{${container}}],${before!}`,
        `${after!}}}`,
      ] as const,
  ),
];
const namespaced = "/api/v1/namespaces/default";
const role = `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role",${metadata}},`;
const policy = `{"apiVersion":"networking.k8s.io/v1","kind":"NetworkPolicy",${metadata}},"spec":{"podSelector":{},`;
const node = `{"apiVersion":"v1","kind":"Node",${metadata}},"spec":{`;
const reviews = "/apis/authorization.k8s.io/v1";
const review =
  '{"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview","spec":{"user":"a","nonResourceAttributes":{},';
type PlacedFrame = readonly [path: string, before: string, after: string];
const inPod = (before: string, after: string): PlacedFrame => [
  `${namespaced}/pods`,
  `${pod},"spec":{${before}`,
  `${after}}}`,
];
const contained = (before: string, after: string): PlacedFrame =>
  inPod(`"containers":[{${container},${before}`, `${after}}]`);
const others = `"containers":[{${container}}],`;
const template = `"template":{"metadata":{"labels":{"a":"b"}},"spec":{"restartPolicy":"Never","containers":[{${container}}]}}`;
const withStatus = `{"apiVersion":"apps/v1","kind":"Deployment",${metadata}},"spec":{"selector":{"matchLabels":{"a":"b"}},${template}},"status":{`;
/** Lists and maps that hold a million items in a body, and the paths that objects with them are created at. */
export const wideFrames: readonly PlacedFrame[] = [
  inPod('"containers":[', "]"),
  inPod(`${others}"initContainers":[`, "]"),
  inPod(`${others}"volumes":[`, "]"),
  inPod(`${others}"tolerations":[`, "]"),
  inPod(`${others}"imagePullSecrets":[`, "]"),
  inPod(`${others}"resourceClaims":[`, "]"),
  inPod(`${others}"hostAliases":[`, "]"),
  inPod(`${others}"nodeSelector":{`, "}"),
  inPod(`${others}"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[`, "]}}"),
  contained('"env":[', "]"),
  contained('"ports":[', "]"),
  contained('"volumeMounts":[', "]"),
  contained('"resources":{"limits":{', "}}"),
  [`${namespaced}/configmaps`, `${configMap}},"data":{`, "}}"],
  [`${namespaced}/configmaps`, `${configMap},"labels":{`, "}}}"],
  [`${namespaced}/configmaps`, `${configMap},"annotations":{`, "}}}"],
  [`${namespaced}/configmaps`, `${configMap},"ownerReferences":[`, "]}}"],
  [`${namespaced}/configmaps`, `${configMap},"finalizers":[`, "]}}"],
  ["/apis/apps/v1/namespaces/default/deployments", `${withStatus}"conditions":[`, "]}}"],
  ["/apis/batch/v1/namespaces/default/jobs", `${job}${template},"podFailurePolicy":{"rules":[`, "]}}}"],
  [`${namespaced}/endpoints`, `{"apiVersion":"v1","kind":"Endpoints",${metadata}},"subsets":[`, "]}"],
  [`${namespaced}/services`, `${service}"ports":[`, "]}}"],
  ["/api/v1/nodes", `${node}"taints":[`, "]}}"],
  ["/api/v1/nodes", `${node}},"status":{"conditions":[`, "]}}"],
  ["/api/v1/nodes", `${node}},"status":{"capacity":{`, "}}}"],
  [`${reviews}/subjectaccessreviews`, `${review}"extra":{`, "}}}"],
  [`${reviews}/subjectaccessreviews`, `${review}"resourceAttributes":{"labelSelector":{"requirements":[`, "]}}}}"],
  ["/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles", `${role}"rules":[`, "]}"],
  ["/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", `${webhooks}"webhooks":[`, "]}"],
  ["/apis/networking.k8s.io/v1/namespaces/default/networkpolicies", `${policy}"ingress":[`, "]}}"],
];
/** Items of a few bytes, whose defaults and errors take many. */
export const wideItems: Vocabulary = {
  frames: wideFrames.map(([, before, after]) => (before.endsWith("{") ? [before, after, "members"] : [before, after])),
  pairs: [],
  values: [
    ...["{}", "{}", "null", '""', "1"],
    (at) => `{"name":"n${String(at)}"}`,
    (at) => `{"name":"c${String(at)}","image":"i"}`,
    (at) => `{"key":"k${String(at)}","operator":"Exists"}`,
    (at) => `{"name":"p${String(at)}","port":${String(1 + (at % 65_535))}}`,
  ],
  keys: [(at) => `"k${String(at)}":`, (at) => `"example.com/k${String(at)}":`, (at) => `"k ${String(at)}":`],
  junk: ["[]", '"a"', "true"],
  joints: [","],
};
/** Items that are all different, so that nothing ends a comparison early. */
export const listItems: Vocabulary = {
  frames: listFrames.map(([, before, after]) => [before, after]),
  pairs: [],
  values: [
    (at) => String(at),
    (at) => `"n${String(at)}"`,
    (at) =>
      `{"name":"n${String(at)}","type":"n${String(at)}","key":"k","path":"p${String(at)}","port":${String(at)},"audience":"n${String(at)}"}`,
    (at) => `{"key":"k","path":"${"p/".repeat(at % 50)}${String(at)}","conditionType":"n${String(at)}"}`,
    (at) => `{"type":"Resource","resource":{"name":"n${String(at)}"}}`,
  ],
  junk: ["1", '"a"', "{}", '{"name":"n1"}', '{"key":"k","path":"p"}'],
  joints: [","],
};
export const definition = (schema: object): object => ({
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
export const thingSchema = {
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
        objects: {
          type: "array",
          items: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
        },
      },
    },
  },
};
const thing = '{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{';
export const thingFrames: Places = [
  [`${thing}"names":[`, "]}}"],
  [`${thing}"rows":[`, "]}}"],
  [`${thing}"words":{`, "}}}"],
  [`${thing}"any":`, "}}"],
  [`${thing}"old":[`, "]}}"],
  [`${thing}"objects":[`, "]}}"],
  [`${thing}`, "}}"],
];
const schemaStart =
  '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.example.com"},"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"things","singular":"thing","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":';
const schemaWords = jsonWords([
  [schemaStart, "}}]}}"],
  [`${schemaStart}{"type":"object","properties":{`, "}}}}]}}"],
  [`${schemaStart}{"type":"object"}},"additionalPrinterColumns":[`, "]}]}}"],
]);
export const schemas: Vocabulary = {
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
export const jsonPatches: Vocabulary = {
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
export const mergeFrames: Places = [
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
export const strategic: Vocabulary = {
  ...strategicWords,
  values: [
    ...strategicWords.values,
    (at) => `{"name":"c${String(at)}","image":"i"}`,
    (at) => `{"name":"c${String(at)}","$patch":"delete"}`,
    '{"$patch":"replace"}',
  ],
};
export const deployment = {
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
export const aConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "1" } };
export const yamlFrames: readonly Frame[] = [
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n", "", "members"],
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {", "}", "members"],
  ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: |\n", ""],
  ["{", "}", "members"],
];
const pair = (key: string, value: string): string => cborBytes(key) + cborBytes(value);
const cborStart = `\xd9\xd9\xf7\xbf${pair("apiVersion", "v1")}${pair("kind", "ConfigMap")}${cborBytes("metadata")}\xa1${pair("name", "a")}`;
export const cborFrames: readonly Frame[] = [
  [`${cborStart}${cborBytes("data")}\xbf`, "\xff\xff", "members"],
  [cborStart, "\xff", "members"],
  [`${cborStart}${cborBytes("data")}`, "\xff"],
];
const fields = [1, 2, 3, 11, 12, 13, 17].map((number) => (inner: string) => lengthField(number, inner));
export const protobufBodies = protobufWords(
  [["k8s\0", ""]],
  [
    ...fields,
    (raw) => envelope("v1", "ConfigMap", raw),
    (raw) => envelope("v1", "ConfigMap", lengthField(1, lengthField(1, "a") + raw)),
    (raw) => envelope("v1", "ConfigMap", lengthField(1, lengthField(1, "a")) + lengthField(2, raw)),
  ],
);

export const targets: Vocabulary = {
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
export const heads: Vocabulary = {
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
