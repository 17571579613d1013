import type { Probe, Step, Topic } from "../probe.js";
import { cm, configMaps, get, one, post } from "./generic.js";

type Json = Record<string, unknown>;

const deployments = "/apis/apps/v1/namespaces/${ns}/deployments";
const pods = "/api/v1/namespaces/${ns}/pods";
const services = "/api/v1/namespaces/${ns}/services";
const widgets = "/apis/probe.cf.dev/v1/namespaces/${ns}/widgets";
const pod = (name: string, spec: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { a: "b" } },
  spec: {
    containers: [
      {
        name: "c",
        image: "i",
        env: [
          { name: "A", value: "1" },
          { name: "B", value: "2" },
        ],
        ports: [{ containerPort: 80 }],
      },
    ],
    ...spec,
  },
});
const deployment = (name: string): Json => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: {
      metadata: { labels: { a: "b" } },
      spec: {
        containers: [
          { name: "c", image: "i", env: [{ name: "A", value: "1" }], ports: [{ containerPort: 80 }], args: ["x"] },
          { name: "d", image: "i" },
        ],
        tolerations: [{ key: "k" }],
        volumes: [{ name: "v", emptyDir: {} }],
      },
    },
  },
});
const types = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;
type PatchType = keyof typeof types;
const patch = (path: string, type: PatchType, body: unknown, query = ""): Step => ({
  method: "PATCH",
  path: `${path}?dryRun=All${type === "apply" && !query.includes("fieldManager") ? "&fieldManager=m1" : ""}${query}`,
  headers: { "content-type": types[type] },
  raw: typeof body === "string" ? body : JSON.stringify(body),
});
const patchFor = (path: string, type: PatchType, body: unknown, query = ""): Step => {
  const [whole, rest] = [
    patch(path, type, body, query),
    [
      ...(type === "apply" && !query.includes("fieldManager") ? ["fieldManager=m1"] : []),
      ...(query === "" ? [] : [query.slice(1)]),
    ].join("&"),
  ];
  return { ...whole, path: rest === "" ? path : `${path}?${rest}` };
};

const definition: Json = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.probe.cf.dev" },
  spec: {
    group: "probe.cf.dev",
    scope: "Namespaced",
    names: {
      plural: "widgets",
      singular: "widget",
      kind: "Widget",
      listKind: "WidgetList",
      shortNames: ["wd"],
      categories: ["all"],
    },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.selector",
          },
        },
        additionalPrinterColumns: [
          { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
          { name: "N", type: "number", jsonPath: ".spec.ratio", priority: 1 },
          { name: "Tags", type: "string", jsonPath: ".spec.tags[*]" },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: {
                  size: { type: "string", enum: ["s", "m", "l"], default: "m" },
                  replicas: { type: "integer", minimum: 0, maximum: 10, default: 1 },
                  ratio: { type: "number", exclusiveMinimum: true, minimum: 0, multipleOf: 0.5 },
                  port: { "x-kubernetes-int-or-string": true },
                  any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  tags: {
                    type: "array",
                    items: { type: "string", maxLength: 5, pattern: "^[a-z]+$" },
                    "x-kubernetes-list-type": "set",
                    maxItems: 3,
                  },
                  parts: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, n: { type: "integer", default: 3 } },
                    },
                  },
                  map: { type: "object", additionalProperties: { type: "integer" } },
                  atomic: {
                    type: "object",
                    "x-kubernetes-map-type": "atomic",
                    properties: { a: { type: "string" }, b: { type: "string" } },
                  },
                  when: { type: "string", format: "date-time" },
                  ip: { type: "string", format: "ipv4" },
                  off: { type: "boolean", nullable: true },
                  immutable: {
                    type: "string",
                    "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "immutable is fixed" }],
                  },
                },
                "x-kubernetes-validations": [
                  {
                    rule: "!has(self.replicas) || self.replicas != 7",
                    message: "seven",
                    reason: "FieldValueForbidden",
                    fieldPath: ".replicas",
                  },
                  {
                    rule: "self.size != 'l' || self.replicas > 1",
                    messageExpression: "'size ' + self.size + ' needs replicas'",
                  },
                ],
              },
              status: { type: "object", properties: { replicas: { type: "integer" }, selector: { type: "string" } } },
            },
          },
        },
      },
    ],
  },
};
const widget = (name: string, spec: Json = {}): Json => ({
  apiVersion: "probe.cf.dev/v1",
  kind: "Widget",
  metadata: { name },
  spec: { size: "s", tags: ["a"], parts: [{ name: "p" }], map: { x: 1 }, immutable: "i", ...spec },
});

const setup: readonly Step[] = [
  post(configMaps, cm("there", { data: { a: "1", b: "2" } })),
  post(deployments, deployment("dep")),
  post(pods, pod("pod")),
  post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition),
  ...Array.from({ length: 12 }, (): Step => get("/apis/probe.cf.dev/v1?wait")).map(
    (step): Step => ({ ...step, silent: true }),
  ),
];

const jsonPatches: readonly unknown[] = [
  [],
  {},
  "[",
  "null",
  [null],
  [1],
  [{}],
  [{ op: "add" }],
  [{ op: "add", path: "" }],
  [{ op: "add", path: "", value: {} }],
  [{ op: "add", path: "/data/c", value: "3" }],
  [{ op: "add", path: "/data/c", value: 3 }],
  [{ op: "add", path: "data/c", value: "3" }],
  [{ op: "add", path: "/none/c", value: "3" }],
  [{ op: "add", path: "/data/a~1b", value: "3" }],
  [{ op: "add", path: "/data/a~0b", value: "3" }],
  [{ op: "add", path: "/data/a~2b", value: "3" }],
  [{ op: "add", path: "/metadata/finalizers", value: ["a/b"] }],
  [{ op: "add", path: "/metadata/finalizers/-", value: "a/b" }],
  [
    { op: "add", path: "/metadata/labels", value: { x: "y" } },
    { op: "replace", path: "/metadata/labels/x", value: "z" },
  ],
  [{ op: "remove", path: "/data/none" }],
  [{ op: "remove", path: "/data" }],
  [{ op: "remove", path: "" }],
  [{ op: "remove", path: "/metadata" }],
  [{ op: "replace", path: "/data/none", value: "x" }],
  [{ op: "replace", path: "", value: { kind: "ConfigMap" } }],
  [{ op: "test", path: "/data/a", value: "1" }],
  [{ op: "test", path: "/data/a", value: "2" }],
  [{ op: "test", path: "/data/none", value: null }],
  [{ op: "test", path: "/data/none", value: "x" }],
  [{ op: "test", path: "/data", value: { b: "2", a: "1" } }],
  [{ op: "move", from: "/data/a", path: "/data/c" }],
  [{ op: "move", from: "/data/none", path: "/data/c" }],
  [{ op: "move", path: "/data/c" }],
  [{ op: "move", from: "/data", path: "/data/x" }],
  [{ op: "copy", from: "/data/a", path: "/data/c" }],
  [{ op: "copy", from: "/data/none", path: "/data/c" }],
  [{ op: "bogus", path: "/data/a" }],
  [{ op: "replace", path: "/kind", value: "Secret" }],
  [{ op: "replace", path: "/metadata/name", value: "other" }],
  [{ op: "replace", path: "/metadata/namespace", value: "other" }],
  [{ op: "replace", path: "/metadata/uid", value: "other" }],
  [{ op: "replace", path: "/metadata/resourceVersion", value: "1" }],
  [{ op: "add", path: "/bogus", value: 1 }],
  [{ op: "add", path: "/data/c", value: "3", extra: 1 }],
  [{ op: "add", path: "/data/c", value: null }],
  [{ op: "replace", path: "/data", value: null }],
  [{ op: "ADD", path: "/data/c", value: "3" }],
];
const listPatches: readonly unknown[] = [
  [{ op: "add", path: "/spec/template/spec/containers/0/args/-", value: "y" }],
  [{ op: "add", path: "/spec/template/spec/containers/0/args/0", value: "y" }],
  [{ op: "add", path: "/spec/template/spec/containers/0/args/1", value: "y" }],
  [{ op: "add", path: "/spec/template/spec/containers/0/args/2", value: "y" }],
  [{ op: "add", path: "/spec/template/spec/containers/0/args/-1", value: "y" }],
  [{ op: "add", path: "/spec/template/spec/containers/0/args/x", value: "y" }],
  [{ op: "add", path: "/spec/template/spec/containers/0/args/01", value: "y" }],
  [{ op: "remove", path: "/spec/template/spec/containers/1" }],
  [{ op: "remove", path: "/spec/template/spec/containers/-1" }],
  [{ op: "remove", path: "/spec/template/spec/containers/5" }],
  [{ op: "remove", path: "/spec/template/spec/containers/-" }],
  [{ op: "replace", path: "/spec/template/spec/containers/0/image", value: "j" }],
  [{ op: "replace", path: "/spec/template/spec/containers/9/image", value: "j" }],
  [{ op: "replace", path: "/spec/replicas", value: "two" }],
  [{ op: "replace", path: "/spec/replicas", value: -1 }],
  [{ op: "replace", path: "/spec/replicas", value: 1.5 }],
  [{ op: "test", path: "/spec/replicas", value: 1 }],
  [{ op: "test", path: "/spec/replicas", value: 1.0 }],
  [{ op: "test", path: "/spec/replicas", value: "1" }],
];
const merges: readonly unknown[] = [
  {},
  "null",
  "[]",
  "1",
  '"x"',
  "{",
  "",
  { data: null },
  { data: { a: null } },
  { data: { a: null, c: "3" } },
  { data: { a: 1 } },
  { data: "x" },
  { data: [] },
  { metadata: null },
  { metadata: { labels: { x: "y" } } },
  { metadata: { labels: { "b@d": "y" } } },
  { metadata: { name: "x" } },
  { metadata: { namespace: "x" } },
  { metadata: { uid: "x" } },
  { metadata: { resourceVersion: "1" } },
  { metadata: { resourceVersion: "x" } },
  { metadata: { resourceVersion: "" } },
  { metadata: { resourceVersion: null } },
  { metadata: { resourceVersion: 1 } },
  { metadata: { finalizers: ["x"] } },
  { metadata: { managedFields: [] } },
  { metadata: { managedFields: [{}] } },
  { metadata: { managedFields: null } },
  { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "x", uid: "y" }] } },
  { metadata: { ownerReferences: [{ kind: "Pod", name: "x", uid: "y" }] } },
  { metadata: { deletionTimestamp: "2020-01-01T00:00:00Z" } },
  { metadata: { creationTimestamp: null } },
  { metadata: { generation: 7 } },
  { metadata: { annotations: { a: "x" } } },
  { metadata: { annotations: { a: 1 } } },
  { kind: "Secret" },
  { apiVersion: "v2" },
  { apiVersion: "apps/v1" },
  { kind: null },
  { bogus: 1 },
  { immutable: true },
  { immutable: "yes" },
  { binaryData: { x: "AA==" } },
  { binaryData: { x: "!" } },
  { binaryData: { a: "AA==" } },
  { data: { "bad key": "x" } },
  '{"data":{"a":"1","a":"2"}}',
  '{"data":{"a":"1"},"data":{"c":"2"}}',
  "data:\n  a: '9'\n",
];
const strategics: readonly unknown[] = [
  { spec: { template: { spec: { containers: [{ name: "c", image: "j" }] } } } },
  { spec: { template: { spec: { containers: [{ name: "e", image: "j" }] } } } },
  { spec: { template: { spec: { containers: [{ image: "j" }] } } } },
  { spec: { template: { spec: { containers: [{ name: "c", $patch: "delete" }] } } } },
  { spec: { template: { spec: { containers: [{ name: "none", $patch: "delete" }] } } } },
  { spec: { template: { spec: { containers: [{ $patch: "replace" }, { name: "z", image: "z" }] } } } },
  { spec: { template: { spec: { containers: [{ name: "c", $patch: "bogus" }] } } } },
  { spec: { template: { spec: { $setElementOrder: 1 } } } },
  { spec: { template: { spec: { "$setElementOrder/containers": [{ name: "d" }, { name: "c" }] } } } },
  {
    spec: {
      template: {
        spec: {
          "$setElementOrder/containers": [{ name: "d" }, { name: "c" }],
          containers: [{ name: "x", image: "y" }],
        },
      },
    },
  },
  {
    spec: {
      template: {
        spec: {
          "$setElementOrder/containers": [{ name: "d" }, { name: "c" }, { name: "x" }],
          containers: [{ name: "x", image: "y" }],
        },
      },
    },
  },
  { spec: { template: { spec: { "$setElementOrder/containers": "x" } } } },
  { spec: { template: { spec: { "$deleteFromPrimitiveList/finalizers": ["x"] } } } },
  { metadata: { "$deleteFromPrimitiveList/finalizers": ["x"] } },
  { metadata: { finalizers: ["a/b"], "$setElementOrder/finalizers": ["a/b"] } },
  { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
  {
    spec: {
      strategy: { $retainKeys: ["type", "rollingUpdate"], type: "RollingUpdate", rollingUpdate: { maxSurge: 3 } },
    },
  },
  { spec: { strategy: { $retainKeys: ["type"], rollingUpdate: {} } } },
  { spec: { strategy: { $retainKeys: "type" } } },
  { spec: { strategy: { type: "Recreate" } } },
  { spec: { strategy: { $patch: "replace", type: "Recreate" } } },
  { spec: { strategy: { $patch: "delete" } } },
  { spec: { template: { $patch: "delete" } } },
  { $patch: "delete" },
  { $patch: "replace", spec: {} },
  { $patch: "merge" },
  {
    spec: {
      template: {
        spec: {
          containers: [
            {
              name: "c",
              env: [
                { name: "A", value: "2" },
                { name: "N", value: "3" },
              ],
            },
          ],
        },
      },
    },
  },
  { spec: { template: { spec: { containers: [{ name: "c", env: [{ name: "A", $patch: "delete" }] }] } } } },
  { spec: { template: { spec: { containers: [{ name: "c", ports: [{ containerPort: 81 }] }] } } } },
  { spec: { template: { spec: { containers: [{ name: "c", ports: [{ containerPort: 80, protocol: "UDP" }] }] } } } },
  { spec: { template: { spec: { containers: [{ name: "c", args: ["z"] }] } } } },
  { spec: { template: { spec: { tolerations: [{ key: "z" }] } } } },
  { spec: { template: { spec: { volumes: [{ name: "v", emptyDir: null, configMap: { name: "x" } }] } } } },
  { spec: { template: { spec: { volumes: [{ name: "v", configMap: { name: "x" } }] } } } },
  {
    spec: {
      template: { spec: { volumes: [{ name: "v", $retainKeys: ["name", "configMap"], configMap: { name: "x" } }] } },
    },
  },
  { spec: { template: { spec: { containers: null } } } },
  { spec: { template: { spec: { containers: [] } } } },
  { spec: { template: { spec: { containers: {} } } } },
  { spec: { template: { spec: { containers: "x" } } } },
  { spec: { template: { spec: { containers: [1] } } } },
  { spec: { selector: { matchLabels: { a: "c" } } } },
  { spec: { replicas: null } },
  { spec: { replicas: "3" } },
  { spec: { bogus: 1 } },
  { metadata: { labels: { x: null, y: "z" } } },
  { metadata: { annotations: { x: "y" } } },
  "null",
  "[]",
  "{",
  { metadata: { ownerReferences: [{ uid: "u", apiVersion: "v1", kind: "Pod", name: "p" }] } },
  { spec: null },
  { spec: { template: { metadata: { labels: { a: null } } } } },
  { spec: { minReadySeconds: -1 } },
  { status: { replicas: 5 } },
];

const widgetPatches: readonly (readonly [PatchType, unknown])[] = [
  ["merge", { spec: { size: "x" } }],
  ["merge", { spec: { size: null } }],
  ["merge", { spec: { size: "l" } }],
  ["merge", { spec: { replicas: 7 } }],
  ["merge", { spec: { replicas: 11 } }],
  ["merge", { spec: { replicas: "1" } }],
  ["merge", { spec: { replicas: 1.5 } }],
  ["merge", { spec: { replicas: 1e3 } }],
  ["merge", { spec: { ratio: 0 } }],
  ["merge", { spec: { ratio: 0.7 } }],
  ["merge", { spec: { ratio: 1.5 } }],
  ["merge", { spec: { port: "x" } }],
  ["merge", { spec: { port: 1.5 } }],
  ["merge", { spec: { port: true } }],
  ["merge", { spec: { any: { x: [1, { y: null }] } } }],
  ["merge", { spec: { any: 1 } }],
  ["merge", { spec: { tags: ["a", "a"] } }],
  ["merge", { spec: { tags: ["a", "b", "c", "d"] } }],
  ["merge", { spec: { tags: ["toolong"] } }],
  ["merge", { spec: { tags: ["A"] } }],
  ["merge", { spec: { tags: [null] } }],
  ["merge", { spec: { tags: [1] } }],
  ["merge", { spec: { tags: "a" } }],
  ["merge", { spec: { parts: [{ name: "p" }, { name: "p" }] } }],
  ["merge", { spec: { parts: [{}] } }],
  ["merge", { spec: { parts: [{ name: "q", n: "x" }] } }],
  ["merge", { spec: { map: { y: "1" } } }],
  ["merge", { spec: { map: { y: 1, x: null } } }],
  ["merge", { spec: { when: "yesterday" } }],
  ["merge", { spec: { when: "2020-01-01T00:00:00Z" } }],
  ["merge", { spec: { ip: "1.2.3" } }],
  ["merge", { spec: { off: null } }],
  ["merge", { spec: { off: "x" } }],
  ["merge", { spec: { immutable: "j" } }],
  ["merge", { spec: { immutable: null } }],
  ["merge", { spec: { bogus: 1 } }],
  ["merge", { bogus: 1 }],
  ["merge", { spec: null }],
  ["merge", { spec: [] }],
  ["merge", { status: { replicas: 3 } }],
  ["merge", { metadata: { labels: { "b@d": "x" } } }],
  ["merge", { metadata: { generation: 9 } }],
  ["merge", { metadata: { bogus: 1 } }],
  ["merge", { metadata: { finalizers: ["x"] } }],
  ["merge", { metadata: { labels: { a: 1 } } }],
  ["merge", { metadata: null }],
  ["merge", { metadata: [] }],
  ["merge", { apiVersion: "probe.cf.dev/v2" }],
  ["merge", { kind: "Other" }],
  ["json", [{ op: "add", path: "/spec/tags/-", value: "b" }]],
  ["json", [{ op: "remove", path: "/spec" }]],
  ["json", [{ op: "replace", path: "/spec/map/x", value: "s" }]],
  ["json", [{ op: "test", path: "/spec/size", value: "s" }]],
  ["json", [{ op: "add", path: "/spec/none/x", value: 1 }]],
  ["strategic", { spec: { size: "m" } }],
  ["strategic", "{"],
];

const metadataValues = [
  "[]",
  '"x"',
  "1",
  "true",
  "null",
  "{}",
  '{"name":1}',
  '{"name":"wid","labels":[]}',
  '{"name":"wid","labels":{"a":1}}',
  '{"name":"wid","labels":{"a":null}}',
  '{"name":"g"}',
  '{"name":"wid","annotations":3}',
  '{"name":"wid","finalizers":"x"}',
  '{"name":"wid","ownerReferences":[1]}',
  '{"name":"wid","generation":"x"}',
  '{"name":"wid","creationTimestamp":"x"}',
  '{"name":"wid","bogus":1}',
  '{"name":"wid","resourceVersion":7}',
  '{"name":"wid","managedFields":{}}',
  '{"name":"wid","deletionTimestamp":1}',
];

/** Patches of every type. */
export const patches: Topic = {
  name: "patch",
  setup: [...setup, post(widgets, widget("wid"))],
  probes: [
    ...jsonPatches.flatMap((body, at): Probe[] => [
      one(`json/${at} ${JSON.stringify(body).slice(0, 80)}`, patch(`${configMaps}/there`, "json", body)),
      one(`json-strict/${at}`, patch(`${configMaps}/there`, "json", body, "&fieldValidation=Strict")),
    ]),
    ...listPatches.map((body, at) =>
      one(`json-list/${at} ${JSON.stringify(body).slice(0, 80)}`, patch(`${deployments}/dep`, "json", body)),
    ),
    ...merges.flatMap((body, at): Probe[] =>
      (["merge", "strategic"] as const).flatMap((type) => [
        one(`${type}/${at} ${JSON.stringify(body).slice(0, 80)}`, patch(`${configMaps}/there`, type, body)),
        one(`${type}-strict/${at}`, patch(`${configMaps}/there`, type, body, "&fieldValidation=Strict")),
      ]),
    ),
    ...strategics.flatMap((body, at): Probe[] => [
      one(
        `strategic-deployment/${at} ${JSON.stringify(body).slice(0, 90)}`,
        patch(`${deployments}/dep`, "strategic", body),
      ),
      one(`merge-deployment/${at}`, patch(`${deployments}/dep`, "merge", body)),
    ]),
    ...widgetPatches.flatMap(([type, body], at): Probe[] =>
      ["", "&fieldValidation=Strict", "&fieldValidation=Ignore"].map((query) =>
        one(`custom${query}/${at} ${JSON.stringify(body).slice(0, 80)}`, patch(`${widgets}/wid`, type, body, query)),
      ),
    ),
    ...metadataValues.flatMap((text): Probe[] =>
      [`${widgets}/wid`, `${configMaps}/there`].flatMap((path, at): Probe[] => {
        const value = text.replaceAll("wid", at === 0 ? "wid" : "there");
        const kind = at === 0 ? "custom" : "built-in";
        return [
          one(`metadata-merge/${kind} ${text}`, patch(path, "merge", `{"metadata":${value}}`)),
          one(
            `metadata-json/${kind} ${text}`,
            patch(path, "json", `[{"op":"replace","path":"/metadata","value":${value}}]`),
          ),
          ...(at === 0
            ? []
            : [one(`metadata-strategic/${kind} ${text}`, patch(path, "strategic", `{"metadata":${value}}`))]),
        ];
      }),
    ),
    ...["/none", "/there/status", "/there/bogus"].map((path) =>
      one(
        `where${path}`,
        patch(`${configMaps}${path}`, "merge", {}),
        patch(`${configMaps}${path}`, "apply", cm("none")),
      ),
    ),
  ],
};

const applied = (data: unknown, more: Json = {}): Json => ({ ...cm("ssa"), data, ...more });
const applies: readonly (readonly [
  name: string,
  ...steps: (readonly [manager: string, body: unknown, query?: string])[],
])[] = [
  ["share", ["a", applied({ x: "1" })], ["b", applied({ x: "1", y: "2" })], ["a", applied({})], ["b", applied({})]],
  [
    "conflict",
    ["a", applied({ x: "1", y: "1" })],
    ["b", applied({ x: "2", y: "2", z: "3" })],
    ["b", applied({ x: "2" }), "&force=true"],
    ["a", applied({ y: "1" })],
  ],
  ["null", ["a", applied({ x: null })], ["a", applied(null)], ["a", { ...cm("ssa") }]],
  ["types", ["a", applied({ x: 1 })], ["a", applied([])], ["a", applied("x")], ["a", applied({ x: { y: "z" } })]],
  [
    "unknown",
    ["a", applied({ x: "1" }, { bogus: 1 })],
    ["a", applied({ x: "1" }, { bogus: 1 }), "&fieldValidation=Strict"],
    ["a", applied({ x: "1" }, { bogus: 1 }), "&fieldValidation=Ignore"],
  ],
  [
    "meta",
    [
      "a",
      {
        ...cm("ssa"),
        metadata: {
          name: "ssa",
          labels: { a: "b" },
          annotations: { c: "d" },
          finalizers: ["e/f"],
          ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }],
        },
      },
    ],
    ["b", { ...cm("ssa"), metadata: { name: "ssa", labels: { a: "c" }, finalizers: ["g/h"] } }],
    ["a", { ...cm("ssa"), metadata: { name: "ssa" } }],
    ["c", { ...cm("ssa"), metadata: { name: "ssa", finalizers: [] } }],
  ],
  [
    "identity",
    ["a", { ...cm("other") }],
    ["a", { apiVersion: "v1", kind: "Secret", metadata: { name: "ssa" } }],
    ["a", { kind: "ConfigMap", metadata: { name: "ssa" } }],
    ["a", { apiVersion: "v1", metadata: { name: "ssa" } }],
    ["a", { apiVersion: "v1", kind: "ConfigMap" }],
    ["a", { apiVersion: "v2", kind: "ConfigMap", metadata: { name: "ssa" } }],
    ["a", { ...cm("ssa"), metadata: { name: "ssa", namespace: "other" } }],
    ["a", { ...cm("ssa"), metadata: { name: "ssa", uid: "nope" } }],
    ["a", { ...cm("ssa"), metadata: { name: "ssa", resourceVersion: "1" } }],
    ["a", { ...cm("ssa"), metadata: { name: "ssa", generateName: "x" } }],
    ["a", { ...cm("ssa"), metadata: { name: "ssa", managedFields: [{ manager: "a" }] } }],
    ["a", { ...cm("ssa"), metadata: { name: "ssa", creationTimestamp: "2020-01-01T00:00:00Z" } }],
  ],
  [
    "bodies",
    ["a", ""],
    ["a", "null"],
    ["a", "[]"],
    ["a", "a: b: c"],
    ["a", "x"],
    ["a", "{"],
    ["a", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ssa\ndata:\n  a: '1'\n  a: '2'\n"],
    ["a", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ssa\ndata:\n  a: 1\n"],
    ["a", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ssa\n---\napiVersion: v1\n"],
    ["a", "\t- x"],
    ["a", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ssa}\ndata: {a: &x '1', b: *x}\n"],
  ],
  [
    "managers",
    ["", applied({})],
    ["a b", applied({ x: "1" })],
    ["x".repeat(128), applied({ x: "1" }), "&force=true"],
    ["é", applied({ x: "1" }), "&force=true"],
  ],
];
const deploymentApplies: readonly (readonly [
  name: string,
  ...steps: (readonly [manager: string, spec: Json, query?: string])[],
])[] = [
  [
    "containers",
    ["a", { containers: [{ name: "c", image: "i" }] }],
    ["b", { containers: [{ name: "c", image: "j" }] }],
    ["b", { containers: [{ name: "x", image: "j" }] }],
    ["a", { containers: [{ name: "z", image: "i" }] }],
    [
      "a",
      {
        containers: [
          { name: "z", image: "i" },
          { name: "z", image: "k" },
        ],
      },
    ],
    ["a", { containers: [{ image: "k" }] }],
    ["a", { containers: [] }],
  ],
  [
    "ports",
    [
      "a",
      {
        containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }] }],
      },
    ],
    ["a", { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, name: "x" }] }] }],
    ["b", { containers: [{ name: "c", ports: [{ containerPort: 80, name: "y" }] }] }],
    ["b", { containers: [{ name: "c", ports: [{ name: "y" }] }] }],
  ],
  [
    "volumes",
    [
      "a",
      {
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "v", emptyDir: {} }],
        tolerations: [{ key: "a" }],
        nodeSelector: { a: "b" },
      },
    ],
    [
      "b",
      { volumes: [{ name: "v", configMap: { name: "x" } }], tolerations: [{ key: "b" }], nodeSelector: { a: "c" } },
    ],
    ["b", { nodeSelector: { c: "d" } }],
  ],
  [
    "wrong",
    ["a", { containers: "x" }],
    ["a", { containers: [1] }],
    ["a", { containers: [{ name: "c", image: 1 }] }],
    ["a", { containers: [{ name: "c", image: "i", bogus: 1 }] }],
    ["a", { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "x" } } }] }],
    ["a", { containers: [{ name: "c", image: "i", resources: { limits: { cpu: "1000m", memory: 1073741824 } } }] }],
  ],
];

function apply(path: string, [manager, body, query = ""]: readonly [string, unknown, string?]): Step {
  return patchFor(path, "apply", body, `&fieldManager=${encodeURIComponent(manager)}${query}`);
}

/** Server-side apply: ownership, conflicts and errors. */
export const ssa: Topic = {
  name: "ssa",
  setup,
  probes: [
    ...applies.map(([name, ...steps]) =>
      one(
        name,
        ...steps.map((step) => apply(`${configMaps}/ssa`, step)),
        { method: "DELETE", path: `${configMaps}/ssa`, silent: true },
        patchFor(`${configMaps}/ssa`, "merge", { metadata: { finalizers: null } }),
      ),
    ),
    ...deploymentApplies.map(([name, ...steps]) =>
      one(
        `deployment-${name}`,
        ...steps.map(([manager, spec, query]) =>
          apply(`${deployments}/ssa`, [
            manager,
            {
              apiVersion: "apps/v1",
              kind: "Deployment",
              metadata: { name: "ssa" },
              spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec } },
            },
            query,
          ]),
        ),
        { method: "DELETE", path: `${deployments}/ssa`, silent: true },
      ),
    ),
    one(
      "service",
      ...[
        [{ port: 80 }],
        [{ port: 80, name: "x" }],
        [{ port: 80, protocol: "UDP" }],
        [{ port: 80 }, { port: 80, protocol: "TCP" }],
      ].flatMap((ports) =>
        ["a", "b"].map((manager) =>
          apply(`${services}/ssa`, [
            manager,
            { apiVersion: "v1", kind: "Service", metadata: { name: "ssa" }, spec: { ports, selector: { x: manager } } },
          ]),
        ),
      ),
      { method: "DELETE", path: `${services}/ssa`, silent: true },
    ),
    one(
      "widget",
      ...(
        [
          ["a", { size: "s", tags: ["a"], parts: [{ name: "p", n: 1 }], map: { x: 1 }, atomic: { a: "1" } }],
          ["b", { size: "s", tags: ["b"], parts: [{ name: "q" }], map: { y: 1 }, atomic: { a: "1" } }],
          ["b", { size: "m", tags: ["a", "b"], atomic: { b: "1" } }],
          ["b", { size: "m", parts: [{ name: "p", n: 2 }] }, "&force=true"],
          ["a", { size: "m" }],
          ["a", { size: "m", tags: ["x", "x"] }],
          ["a", { size: "m", parts: [{ n: 1 }] }],
          ["a", { size: "m", parts: [{ name: "p" }, { name: "p" }] }],
          ["a", { size: "m", bogus: 1 }],
          ["a", { size: "m", tags: "x" }],
          ["a", { size: "x" }],
          ["a", { replicas: 1 }],
        ] as const
      ).map(([manager, spec, query]) =>
        apply(`${widgets}/ssa`, [
          manager,
          { apiVersion: "probe.cf.dev/v1", kind: "Widget", metadata: { name: "ssa" }, spec },
          query,
        ]),
      ),
      apply(`${widgets}/ssa/status`, [
        "s",
        { apiVersion: "probe.cf.dev/v1", kind: "Widget", metadata: { name: "ssa" }, status: { replicas: 3 } },
      ]),
      apply(`${widgets}/ssa/scale`, [
        "t",
        { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "ssa" }, spec: { replicas: 3 } },
      ]),
      { method: "DELETE", path: `${widgets}/ssa`, silent: true },
    ),
    one(
      "subresources",
      apply(`${deployments}/dep/status`, [
        "s",
        { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "dep" }, status: { replicas: 3 } },
      ]),
      apply(`${deployments}/dep/scale`, [
        "t",
        { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "dep" }, spec: { replicas: 3 } },
      ]),
      apply(`${deployments}/dep/scale`, [
        "u",
        { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "dep" }, spec: { replicas: 4 } },
      ]),
      apply(`${deployments}/dep`, [
        "v",
        { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "dep" }, spec: { replicas: 5 } },
      ]),
      apply(`${deployments}/none/status`, [
        "s",
        { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "none" }, status: { replicas: 3 } },
      ]),
      apply(`${pods}/pod/status`, [
        "s",
        {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "pod" },
          status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
        },
      ]),
    ),
  ],
};
export { definition, deployment, deployments, patchFor, pod, pods, services, setup, widget, widgets };
