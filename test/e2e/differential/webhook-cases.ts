import type { ReviewAnswer } from "../../support/webhooks/admission-webhook.js";

/** Group of the custom resource. */
export const group = "hooks.example.com";
/** Path of the ConfigMaps that the webhooks review. */
export const maps = "/api/v1/namespaces/hooked/configmaps";
/** Returns the path of the custom resources in a version. */
export const endpoints = (version: string): string => `/apis/${group}/${version}/namespaces/hooked/endpoints`;
const patch = (operations: readonly object[], more: object = {}): object => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
  ...more,
});
/** Answers of the webhooks, by name. */
export const answers: Readonly<Record<string, ReviewAnswer>> = {
  allows: () => ({ allowed: true }),
  labels: () =>
    patch([{ value: { "x.y": "a < & b" }, path: "/metadata/annotations", op: "add" }], {
      auditAnnotations: { note: "noted", "bad key": "x", "a/b": "y" },
      warnings: ["labelled"],
    }),
  again: () => patch([{ op: "add", path: "/metadata/annotations", value: { "x.y": "a < & b" } }]),
  nothing: () => patch([]),
  denies: () => ({
    allowed: false,
    status: { message: "no", code: 418, reason: "Teapot" },
    auditAnnotations: { why: "because" },
  }),
  fails: () => undefined,
  broken: () => patch([{ op: "remove", path: "/not/there" }]),
  misplaced: ({ request }) => {
    const {
      data: { use },
    } = request["object"] as { data: { use: string } };
    const [op = "", which] = use.split(" ");
    return patch([
      {
        op,
        path: which === "from" ? "/metadata/x" : "/a/b",
        from: which === "from" ? "/a/b" : "/metadata/name",
        value: 1,
      },
    ]);
  },
  garbled: () => ({ allowed: true, patchType: "JSONPatch", patch: "bm90IGpzb24=" }),
  port: () => patch([{ op: "add", path: "/spec/port", value: "99" }]),
  hostPort: () => patch([{ op: "add", path: "/spec/hostPort", value: "patched:1" }]),
};

/** Webhook to register: its answer, and fields of its configuration. */
export interface Hook {
  readonly answer: keyof typeof answers & string;
  readonly kind?: "Mutating" | "Validating";
  readonly rules?: readonly object[];
  readonly [field: string]: unknown;
}

/** Rules for ConfigMaps. */
export const onMaps = [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
const onEndpoints = (...apiVersions: string[]): object[] => [
  { operations: ["*"], apiGroups: [group], apiVersions, resources: ["endpoints"] },
];
/** Returns an object with the name. */
export const map = (name: string, more: object = {}): object => ({ metadata: { name }, ...more });
const endpoint = (version: string, name: string, spec: object): object => ({
  apiVersion: `${group}/${version}`,
  kind: "Endpoint",
  metadata: { name },
  spec,
});

/** Request that both servers get. */
export type Request = readonly [method: string, path: string, body?: object];
type Row = readonly [title: string, hooks: readonly Hook[], requests: readonly Request[]];

/** Returns a request that creates a ConfigMap without storing it. */
export const create = (name: string): Request => ["POST", `${maps}?dryRun=All`, map(name)];
const v1: Request = ["POST", endpoints("v1"), endpoint("v1", "e", { hostPort: "h:1" })];
const v2: Request = ["POST", endpoints("v2"), endpoint("v2", "e", { host: "h", port: "1" })];
const gone: Request = ["DELETE", `${endpoints("v2")}/e`];

/** Webhooks, and requests that they review. */
export const rows: readonly Row[] = [
  [
    "a patch",
    [{ answer: "labels" }],
    [
      create("a"),
      [
        "PATCH",
        `${maps}/whole?dryRun=All&fieldManager=m`,
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "whole" } },
      ],
      ["GET", `${maps}/whole`],
      ["DELETE", `${maps}/none`],
    ],
  ],
  [
    "patches that change nothing",
    [{ answer: "nothing" }, { answer: "again" }, { answer: "again" }, { answer: "allows" }],
    [create("a")],
  ],
  [
    "a second round",
    [
      { answer: "allows", reinvocationPolicy: "IfNeeded" },
      { answer: "labels", reinvocationPolicy: "IfNeeded" },
    ],
    [create("a")],
  ],
  ["a refusal after a patch", [{ answer: "labels" }, { answer: "denies" }], [create("a")]],
  ["a refusal by one that only looks", [{ answer: "labels" }, { answer: "denies", kind: "Validating" }], [create("a")]],
  [
    "failures that are ignored",
    [
      { answer: "fails", failurePolicy: "Ignore" },
      { answer: "garbled", failurePolicy: "Ignore" },
      { answer: "fails", kind: "Validating", failurePolicy: "Ignore" },
    ],
    [create("a")],
  ],
  ["a failure", [{ answer: "fails" }], [create("a")]],
  ["a patch that does not fit", [{ answer: "broken" }], [create("a")]],
  [
    "a webhook that does not take dry runs",
    [{ answer: "labels", sideEffects: "NoneOnDryRun" }, { answer: "labels" }],
    [create("a")],
  ],
  [
    "conditions that hold and do not",
    [
      { answer: "labels", matchConditions: [{ name: "named", expression: "object.metadata.name == 'a'" }] },
      {
        answer: "denies",
        kind: "Validating",
        matchConditions: [{ name: "other", expression: "request.name.startsWith('d')" }],
      },
    ],
    [create("a"), create("b"), create("d")],
  ],
  [
    "a condition that fails",
    [{ answer: "labels", matchConditions: [{ name: "broken", expression: "object.data.none == 'a'" }] }],
    [create("a")],
  ],
  [
    "a condition that fails and is ignored",
    [
      {
        answer: "labels",
        failurePolicy: "Ignore",
        matchConditions: [{ name: "broken", expression: "object.data.none == 'a'" }],
      },
    ],
    [create("a")],
  ],
  [
    "a condition that fails next to one that does not hold",
    [
      {
        answer: "labels",
        matchConditions: [
          { name: "broken", expression: "object.data.none == 'a'" },
          { name: "no", expression: "false" },
        ],
      },
    ],
    [create("a")],
  ],
  [
    "equivalent: the older version",
    [{ answer: "allows", rules: onEndpoints("v1"), matchPolicy: "Equivalent" }],
    [v1, v2, gone],
  ],
  [
    "equivalent: the newer version",
    [
      { answer: "allows", rules: onEndpoints("v2"), matchPolicy: "Equivalent" },
      { answer: "allows", kind: "Validating", rules: onEndpoints("v1"), matchPolicy: "Equivalent" },
    ],
    [v1, gone, v2, ["PATCH", `${endpoints("v1")}/e`, { spec: { hostPort: "other:2" } }], gone],
  ],
  [
    "exact: versions apart",
    [{ answer: "allows", rules: onEndpoints("v1"), matchPolicy: "Exact" }],
    [v1, gone, v2, gone],
  ],
  ["exact: any version", [{ answer: "allows", rules: onEndpoints("*"), matchPolicy: "Exact" }], [v1, gone, v2, gone]],
  [
    "equivalent: a patch in the other version",
    [{ answer: "hostPort", rules: onEndpoints("v1"), matchPolicy: "Equivalent" }],
    [v2, ["GET", `${endpoints("v1")}/e`], gone],
  ],
  [
    "equivalent: patches in both versions",
    [
      { answer: "hostPort", rules: onEndpoints("v1"), matchPolicy: "Equivalent" },
      { answer: "port", rules: onEndpoints("v2"), matchPolicy: "Equivalent" },
      { answer: "allows", kind: "Validating", rules: onEndpoints("v1"), matchPolicy: "Equivalent" },
    ],
    [v1, ["GET", `${endpoints("v2")}/e`], gone],
  ],
  [
    "equivalent: conditions see the webhook's version",
    [
      {
        answer: "port",
        rules: onEndpoints("v2"),
        matchPolicy: "Equivalent",
        matchConditions: [
          { name: "host", expression: "object == null || object.spec.host == 'h'" },
          {
            name: "version",
            expression:
              "request.resource.version == 'v1' && request.requestResource.version == 'v1' && request.kind.version == 'v2'",
          },
        ],
      },
    ],
    [v1, gone, v2, gone],
  ],
  [
    "equivalent: conditions see the resource that was asked for",
    [
      {
        answer: "denies",
        rules: onEndpoints("v2"),
        matchPolicy: "Equivalent",
        matchConditions: [{ name: "version", expression: "request.resource.version == 'v2'" }],
      },
    ],
    [v1, v2, gone],
  ],
  [
    "equivalent: conditions that name what the version has not",
    [
      {
        answer: "port",
        rules: onEndpoints("v2"),
        matchPolicy: "Equivalent",
        matchConditions: [{ name: "hostPort", expression: "object.spec.hostPort == 'h:1'" }],
      },
    ],
    [v1],
  ],
  [
    "other patches that do not fit",
    [{ answer: "misplaced", failurePolicy: "Ignore" }],
    ["add", "replace", "move from", "move to", "copy from", "copy to", "test"].map((name) => [
      "POST",
      `${maps}?dryRun=All`,
      map("a", { data: { use: name } }),
    ]),
  ],
  [
    "requests of deprecated kinds, and what is refused before webhooks are asked",
    [{ answer: "allows" }],
    [
      ["POST", `/apis/apps/v1/namespaces/hooked/deployments?dryRun=All`, map("d")],
      ["GET", "/api/v1/namespaces/hooked/endpoints"],
      ["GET", "/apis/storage.k8s.io/v1beta1/volumeattributesclasses"],
    ],
  ],
];
