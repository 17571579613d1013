import type { Step, Topic } from "../../probe.js";
import type { Json } from "./steps.js";
import { one, patch, post, put, quiet, remove } from "./steps.js";

const claims = "/apis/resource.k8s.io/v1/namespaces/${ns}/resourceclaims";
const path = `${claims}/c`;
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const id = "01234567-89ab-cdef-0123-456789abcdef";
const device = { driver: "d.example", pool: "p", device: "dev" };
const claim = {
  metadata: { name: "c" },
  spec: {
    devices: {
      requests: [
        { name: "r", exactly: { deviceClassName: "k" } },
        {
          name: "s",
          firstAvailable: [
            { name: "a", deviceClassName: "k" },
            { name: "b", deviceClassName: "l" },
          ],
        },
      ],
    },
  },
};
const result = (more: Json = {}): Json => ({ request: "r", ...device, ...more });
const allocated = (results: readonly Json[] = [result()], more: Json = {}): Json => ({
  devices: { results, ...(more["config"] === undefined ? {} : { config: more["config"] }) },
  ...(more["nodeSelector"] === undefined ? {} : { nodeSelector: more["nodeSelector"] }),
});
const onNode = { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }] };
const state = (status: Json, sub = "?dryRun=All"): Step => put(`${path}/status${sub}`, { ...claim, status });
const told = (more: Json = {}): Json => ({ ...device, ...more });
const condition = (type: string, more: Json = {}): Json => ({
  type,
  status: "True",
  lastTransitionTime: "2001-01-01T00:00:00Z",
  reason: "R",
  message: "",
  ...more,
});
const consumer = (uid: string, more: Json = {}): Json => ({ resource: "pods", name: "p", uid, ...more });

const given: readonly (readonly [name: string, status: Json])[] = [
  ["twice", { allocation: allocated([result(), result()]) }],
  ["alternative", { allocation: allocated([result({ request: "s/a" })]) }],
  ["no-alternative", { allocation: allocated([result({ request: "s/c" })]) }],
  ["three-parts", { allocation: allocated([result({ request: "s/a/b" })]) }],
  ["of-exact", { allocation: allocated([result({ request: "r/a" })]) }],
  ["whole", { allocation: allocated([result({ request: "s" })]) }],
  ["share", { allocation: allocated([result({ shareID: id, consumedCapacity: { mem: "1Gi" } })]) }],
  ...[
    id.toUpperCase(),
    `urn:uuid:${id}`,
    `urn:uuix:${id}`,
    `{${id}}`,
    `[${id}]`,
    id.replaceAll("-", ""),
    "x".repeat(36),
    "x".repeat(32),
    `x${"y".repeat(44)}`,
    "",
  ].map(
    (shareID) =>
      [`share ${shareID}`, { allocation: allocated([result({ shareID })]), devices: [told({ shareID })] }] as const,
  ),
  ["binding", { allocation: allocated([result({ bindingConditions: ["a", "b"], bindingFailureConditions: ["c"] })]) }],
  ["binding-alone", { allocation: allocated([result({ bindingConditions: ["a"] })]) }],
  ["failing-alone", { allocation: allocated([result({ bindingFailureConditions: ["a"] })]) }],
  [
    "binding-twice",
    { allocation: allocated([result({ bindingConditions: ["a", "a"], bindingFailureConditions: ["a", "b", "b"] })]) },
  ],
  [
    "binding-many",
    {
      allocation: allocated([
        result({ bindingConditions: ["a", "b", "c", "d", "e"], bindingFailureConditions: ["x y"] }),
      ]),
    },
  ],
  ["admin", { allocation: allocated([result(), result({ adminAccess: true })]) }],
  [
    "many-results",
    { allocation: allocated(Array.from({ length: 33 }, (_, at) => result({ device: `d${String(at)}` }))) },
  ],
  [
    "many-configurations",
    {
      allocation: allocated([result()], {
        config: Array.from({ length: 65 }, () => ({ source: "FromClass", opaque: { driver: "d", parameters: {} } })),
      }),
    },
  ],
  [
    "config",
    {
      allocation: allocated([result()], {
        config: [
          { source: "FromClass", opaque: { driver: "d", parameters: {} } },
          { source: "FromClaim", requests: ["s/b", "s", "q"], opaque: { driver: "D", parameters: "x" } },
          { source: "FromClaim" },
        ],
      }),
    },
  ],
  [
    "reserved",
    {
      allocation: allocated(),
      reservedFor: [consumer("a"), consumer("a", { name: "q" }), consumer("b", { apiGroup: "x" })],
    },
  ],
  [
    "reserved-many",
    { allocation: allocated(), reservedFor: Array.from({ length: 257 }, (_, at) => consumer(`u${String(at)}`)) },
  ],
  ["reserved-alone", { reservedFor: [consumer("a")] }],
  ["devices-twice", { allocation: allocated(), devices: [told(), told()] }],
  ["device-of-no-share", { allocation: allocated([result({ shareID: id })]), devices: [told()] }],
  ["device-of-share", { allocation: allocated([result({ shareID: id })]), devices: [told({ shareID: id })] }],
  [
    "conditions",
    {
      allocation: allocated(),
      devices: [told({ conditions: Array.from({ length: 9 }, (_, at) => condition(`C${String(at)}`)) })],
    },
  ],
  [
    "conditions-twice",
    {
      allocation: allocated(),
      devices: [
        told({
          conditions: [
            condition("A"),
            condition("A", { status: "Maybe", observedGeneration: -1, reason: "1", message: "m".repeat(32769) }),
            condition("", { lastTransitionTime: null, reason: "" }),
          ],
        }),
      ],
    },
  ],
  ...[{}, [], "x", null, 5, { a: "x".repeat(10241) }].map(
    (data) =>
      [`data ${JSON.stringify(data).slice(0, 20)}`, { allocation: allocated(), devices: [told({ data })] }] as const,
  ),
  [
    "network",
    {
      allocation: allocated(),
      devices: [
        told({
          networkData: {
            interfaceName: "i".repeat(257),
            hardwareAddress: "h".repeat(129),
            ips: [
              "10.0.0.1/24",
              "010.0.0.1/24",
              "10.0.0.1",
              "::1/64",
              "::FFFF:1.2.3.4/120",
              "::ffff:1.2.3.4/20",
              "0:0::1/64",
              "fe80::1%eth0/64",
              "10.0.0.1/33",
              "10.0.0.1/024",
              "10.0.0.1/24",
              "x",
            ],
          },
        }),
      ],
    },
  ],
  [
    "network-many",
    {
      allocation: allocated(),
      devices: [told({ networkData: { ips: Array.from({ length: 17 }, (_, at) => `10.0.0.${String(at)}/24`) } })],
    },
  ],
  [
    "selector",
    {
      allocation: allocated([result()], {
        nodeSelector: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: "a b", operator: "Gt", values: ["x", "y"] },
                { key: "a", operator: "In" },
              ],
            },
            {},
          ],
        },
      }),
    },
  ],
];

const rule = (resources: string, verbs: string, resourceNames?: readonly string[]): Json => ({
  apiGroups: ["resource.k8s.io"],
  resources: [resources],
  verbs: verbs.split(","),
  ...(resourceNames === undefined ? {} : { resourceNames }),
});
const subject = { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "alice" };
const alice = (step: Step): Step => ({ ...step, token: "alice-token" });

/** Steps for a user with these rights on a claim's status. */
function granted(rules: readonly Json[], ...steps: readonly Step[]): readonly Step[] {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "claims-${ns}" };
  return [
    quiet(post(`${rbac}/clusterroles`, { metadata: { name: roleRef.name }, rules })),
    quiet(post(`${rbac}/clusterrolebindings`, { metadata: { name: roleRef.name }, roleRef, subjects: [subject] })),
    { ...quiet(post(claims, claim)), pauseMs: 300 },
    ...steps,
    quiet(remove(`${rbac}/clusterrolebindings/claims-\${ns}`)),
    quiet(remove(`${rbac}/clusterroles/claims-\${ns}`)),
    quiet(remove(path)),
  ];
}

const status = rule("resourceclaims/status", "update,patch");
const attempts: readonly Step[] = [
  alice(state({})),
  alice(state({ allocation: allocated() })),
  alice(state({ allocation: allocated(), devices: [told()] })),
  quiet(
    state(
      {
        allocation: allocated([result(), result({ driver: "e.example" })], { nodeSelector: onNode }),
        reservedFor: [consumer("a")],
      },
      "",
    ),
  ),
  ...[
    { devices: [told()] },
    { devices: [told({ driver: "e.example" }), told()] },
    { reservedFor: [consumer("b")] },
  ].map((change) => alice(patch(`${path}/status?dryRun=All`, "merge", { status: change }))),
  alice(patch(`${path}/status?dryRun=All`, "merge", { status: { allocation: null } })),
];

/** Changes to the status of a resource claim, by user. */
export const claimScenarios: Topic = {
  name: "s-claims",
  setup: [],
  probes: [
    one("first", quiet(post(claims, claim))),
    ...given.map(([name, change]) => one(`given/${name}`, state(change))),
    one(
      "kept",
      state(
        { allocation: allocated(), devices: [told({ conditions: [condition("A")] })], reservedFor: [consumer("a")] },
        "",
      ),
      state({ allocation: allocated([result({ pool: "other" })]) }),
      state({ allocation: allocated(), devices: [] }),
      state({}),
      state({ devices: [told()] }),
      state({ allocation: allocated(), reservedFor: [consumer("a"), consumer("b")] }),
    ),
    one(
      "deleted",
      patch(path, "merge", { metadata: { finalizers: ["x.example/y"] } }),
      remove(path),
      state({ allocation: allocated(), reservedFor: [consumer("a"), consumer("b")] }),
      state({ allocation: allocated(), reservedFor: [] }),
      quiet(patch(path, "merge", { metadata: { finalizers: null } })),
    ),
    one("rights/status", ...granted([status], ...attempts)),
    one("rights/binding", ...granted([status, rule("resourceclaims/binding", "update,patch")], ...attempts)),
    one(
      "rights/driver",
      ...granted(
        [
          status,
          rule("resourceclaims/binding", "update,patch"),
          rule("resourceclaims/driver", "arbitrary-node:update,arbitrary-node:patch", ["d.example"]),
        ],
        ...attempts,
      ),
    ),
    one(
      "rights/associated",
      ...granted([status, rule("resourceclaims/driver", "associated-node:update,associated-node:patch")], ...attempts),
    ),
  ],
};
