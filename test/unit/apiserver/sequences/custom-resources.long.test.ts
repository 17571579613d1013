import { expect, it } from "vitest";
import { causes, named, openSequences, pod, testSequences, trinket, trinkets } from "./run-sequences.js";

const { send, handle } = openSequences();
const gadgets = "/apis/random.cf.dev/v1/namespaces/default/gadgets";

testSequences("custom resources and scales", send, [
  [
    "managed fields of another group are dropped from a custom resource",
    [
      [
        "POST",
        trinkets,
        trinket("a", {
          managedFields: [
            {
              manager: "x",
              operation: "Update",
              apiVersion: "apps/v1",
              fieldsType: "FieldsV1",
              fieldsV1: { "f:data": {} },
            },
          ],
        }),
      ],
    ],
    { "/status": 201, "/body/metadata/managedFields": undefined },
  ],
  [
    "a custom resource without apiVersion is rejected with a warning about its metadata",
    [["POST", trinkets, { kind: "Trinket", metadata: { name: "a", odd: 1 }, odd: 1 }]],
    {
      "/status": 400,
      "/warning": '299 - "unknown field \\"metadata.odd\\""',
      "/body/message": "the API version in the data () does not match the expected API version (random.cf.dev/v1)",
    },
  ],
  [
    "a custom resource without apiVersion is rejected under strict validation",
    [["POST", `${trinkets}?fieldValidation=Strict`, { kind: "Trinket", metadata: { name: "a", odd: 1 } }]],
    { "/status": 400 },
  ],
  [
    "a custom resource of the wrong kind isn't validated against the schema",
    [["POST", trinkets, { ...trinket("a", { labels: { a: "!!" } }, { odd: 1 }), kind: "Other" }]],
    {
      "/status": 422,
      "/warning": null,
      "/body/message": 'Other.random.cf.dev "a" is invalid: kind: Invalid value: "Other": must be Trinket',
    },
  ],
  [
    "validation rules don't run without a name",
    [["POST", trinkets, { apiVersion: "random.cf.dev/v1", kind: "Trinket", metadata: {} }]],
    { [causes("0/field")]: "metadata.name", [causes("1/field")]: "<nil>", [causes("2")]: undefined },
  ],
  [
    "a GET of a custom resource's Scale rejects an invalid resourceVersion",
    [
      ["POST", gadgets, { apiVersion: "random.cf.dev/v1", kind: "Gadget", metadata: { name: "a" } }],
      ["GET", `${gadgets}/a/scale?resourceVersion=abc`],
    ],
    { "/status": 500 },
  ],
  [
    "a 415 for a custom resource lists Protobuf",
    [["POST", trinkets, trinket("a"), "text/plain"]],
    {
      "/status": 415,
      "/body/message":
        "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor",
    },
  ],
  [
    "unknown fields of a custom resource are ignored in this encoding",
    [["POST", `${trinkets}?fieldValidation=Strict`, trinket("a", { odd: 1 }, { odd: 1 }), "application/cbor"]],
    { "/status": 201, "/warning": null },
  ],
  [
    "errors show a custom resource's owner references with sorted keys",
    [
      [
        "POST",
        trinkets,
        trinket("a", {
          ownerReferences: [
            { apiVersion: "v1", controller: true, kind: "A", name: "o", uid: "u" },
            { apiVersion: "v1", kind: "B", name: "p", uid: "v", controller: true },
          ],
        }),
      ],
    ],
    {
      [causes("0/message")]:
        'Invalid value: [{"apiVersion":"v1","kind":"A","name":"o","uid":"u","controller":true},{"apiVersion":"v1","kind":"B","name":"p","uid":"v","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for A/o and B/p',
    },
  ],
  [
    "a patch that removes a custom resource's kind is rejected",
    [
      ["POST", trinkets, trinket("a")],
      ["PATCH", `${trinkets}/a`, [{ op: "replace", path: "", value: {} }], "application/json-patch+json"],
    ],
    { "/status": 422 },
  ],
  [
    "a patch that removes a custom resource's apiVersion is an internal error",
    [
      ["POST", trinkets, trinket("a")],
      ["PATCH", `${trinkets}/a`, { apiVersion: null }],
    ],
    {
      "/status": 500,
      "/body/message": "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
    },
  ],
  [
    "an undecodable Scale of a custom resource is rejected without details",
    [
      ["POST", gadgets, { apiVersion: "random.cf.dev/v1", kind: "Gadget", metadata: { name: "a" } }],
      [
        "PUT",
        `${gadgets}/a/scale`,
        { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a" }, spec: { replicas: "x" } },
      ],
    ],
    {
      "/status": 400,
      "/body/reason": "BadRequest",
      "/body/details": undefined,
    },
  ],
  [
    "a patch of a Scale requires missing replicas",
    [
      ["POST", gadgets, { apiVersion: "random.cf.dev/v1", kind: "Gadget", metadata: { name: "a" } }],
      ["PATCH", `${gadgets}/a/scale`, { metadata: { labels: { a: "b" } } }],
    ],
    { "/status": 400, "/body/message": 'the spec replicas field ".spec.replicas" cannot be empty' },
  ],
  [
    "a custom resource of another version is rejected with a warning about unknown metadata",
    [["POST", trinkets, { ...trinket("a", { odd: 1 }), apiVersion: "v9" }]],
    { "/status": 400, "/warning": '299 - "unknown field \\"metadata.odd\\""' },
  ],
  [
    "a custom resource of another version is rejected for duplicate metadata under strict validation",
    [
      [
        "POST",
        `${trinkets}?fieldValidation=Strict`,
        '{"apiVersion":"v9","kind":"Trinket","metadata":{"name":"a","name":"a"}}',
      ],
    ],
    {
      "/body/message":
        'Trinket in version "v9" cannot be handled as a Trinket: strict decoding error: duplicate field "metadata.name"',
    },
  ],
  [
    "a patch that changes the uid of a Scale is rejected",
    [
      [
        "POST",
        "/apis/apps/v1/namespaces/default/deployments",
        named(
          "d",
          {},
          {
            spec: {
              selector: { matchLabels: { a: "b" } },
              template: { metadata: { labels: { a: "b" } }, spec: pod.spec },
            },
          },
        ),
      ],
      ["PATCH", "/apis/apps/v1/namespaces/default/deployments/d/scale", { metadata: { uid: "x" } }],
    ],
    { "/status": 409, "/body/details/kind": "deployments/scale" },
  ],
  [
    "the export parameter is rejected for a Scale",
    [["GET", "/apis/apps/v1/namespaces/default/deployments/a/scale?export=true"]],
    { "/status": 400, "/body/message": "the export parameter, deprecated since v1.14, is no longer supported" },
  ],
  [
    "a Scale with another uid is reported before invalid replicas of a custom resource",
    [
      [
        "POST",
        gadgets,
        { apiVersion: "random.cf.dev/v1", kind: "Gadget", metadata: { name: "a" }, spec: { replicas: 1 } },
      ],
      [
        "PUT",
        `${gadgets}/a/scale?dryRun=All`,
        { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a", uid: "x" }, spec: { replicas: -1 } },
      ],
    ],
    { "/status": 409, "/body/details/group": "random.cf.dev" },
  ],
  [
    "a patched uid in the Scale of a custom resource is ignored",
    [
      [
        "POST",
        gadgets,
        { apiVersion: "random.cf.dev/v1", kind: "Gadget", metadata: { name: "a" }, spec: { replicas: 1 } },
      ],
      ["PATCH", `${gadgets}/a/scale`, { metadata: { uid: "x" } }],
    ],
    { "/status": 200 },
  ],
  [
    "a Scale with another uid is reported before invalid replicas",
    [
      [
        "POST",
        "/apis/apps/v1/namespaces/default/replicasets",
        named(
          "a",
          {},
          {
            spec: {
              selector: { matchLabels: { a: "b" } },
              template: { metadata: { labels: { a: "b" } }, spec: pod.spec },
            },
          },
        ),
      ],
      [
        "PUT",
        "/apis/apps/v1/namespaces/default/replicasets/a/scale",
        { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a", uid: "x" }, spec: { replicas: -1 } },
      ],
    ],
    { "/status": 409 },
  ],
]);

it("request sequence: a Scale is printed with the columns of custom resources", async () => {
  await send([
    "POST",
    gadgets,
    { apiVersion: "random.cf.dev/v1", kind: "Gadget", metadata: { name: "a" }, spec: { replicas: 3 } },
  ]);
  const table = await handle(
    new Request(`http://server${gadgets}/a/scale`, {
      headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
    }),
  );
  const { columnDefinitions, rows } = (await table.json()) as {
    columnDefinitions: { name: string; format: string }[];
    rows: { cells: unknown[] }[];
  };
  expect([columnDefinitions.map(({ name, format }) => [name, format]), rows[0]!.cells.slice(0, 2)]).toEqual([
    [
      ["Name", "name"],
      ["Desired", ""],
      ["Available", ""],
      ["Age", ""],
    ],
    ["a", 3],
  ]);
});
