import { expect, it } from "vitest";
import { core, maps, named, openSequences, pod, pods, testSequences, trinket, trinkets } from "./run-sequences.js";

const { send, handle } = openSequences();

testSequences("encodings and options", send, [
  [
    "an invalid timeout is reported in JSON, not CBOR",
    [["GET", `${maps}?timeout=x`, undefined, undefined, "application/cbor"]],
    { "/status": 400, "/type": "application/json" },
  ],
  [
    "an unsupported method is reported in JSON, not CBOR",
    [["PATCH", `${core}/serviceaccounts/a/token`, {}, "application/merge-patch+json", "application/cbor"]],
    { "/status": 405, "/type": "application/json" },
  ],
  [
    "an unknown patch type is reported in JSON, not CBOR",
    [["PATCH", `${maps}/a`, {}, "text/plain", "application/cbor"]],
    { "/status": 415, "/type": "application/json" },
  ],
  [
    "/finalize of a namespace doesn't support Tables",
    [
      ["POST", "/api/v1/namespaces", named("n")],
      ["PUT", "/api/v1/namespaces/n/finalize", named("n"), undefined, "application/json;as=Table;v=v1;g=meta.k8s.io"],
    ],
    { "/status": 406 },
  ],
  [
    "/finalize of a namespace supports PartialObjectMetadata",
    [
      ["POST", "/api/v1/namespaces", named("n")],
      [
        "PUT",
        "/api/v1/namespaces/n/finalize",
        named("n"),
        undefined,
        "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
      ],
    ],
    { "/body/kind": "PartialObjectMetadata" },
  ],
  [
    "a TokenRequest supports PartialObjectMetadata",
    [
      ["POST", `${core}/serviceaccounts`, named("a")],
      [
        "POST",
        `${core}/serviceaccounts/a/token`,
        { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" },
        undefined,
        "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
      ],
    ],
    { "/status": 201, "/body/kind": "PartialObjectMetadata", "/body/metadata/name": "a" },
  ],
  [
    "a list of one name with a limit reads the latest state",
    [
      ["POST", maps, named("a")],
      ["GET", `${maps}?fieldSelector=metadata.name%3Da&limit=2&resourceVersion=1`],
    ],
    { "/body/items/0/metadata/name": "a" },
  ],
  [
    "a list of one name with a limit doesn't wait for a future resourceVersion",
    [["GET", `${maps}?fieldSelector=metadata.name%3Da&limit=2&resourceVersion=99999`]],
    { "/status": 504, "/retryAfter": null },
  ],
  [
    "a Binding requested as PartialObjectMetadata returns a Status",
    [
      ["POST", pods, pod],
      [
        "POST",
        `${pods}/p/binding`,
        { metadata: { name: "p" }, target: { name: "n" } },
        undefined,
        "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
      ],
    ],
    { "/status": 201, "/body/kind": "Status" },
  ],
  [
    "an empty PartialObjectMetadataList has null items",
    [
      [
        "GET",
        `${maps}?labelSelector=none`,
        undefined,
        undefined,
        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
      ],
    ],
    { "/body/kind": "PartialObjectMetadataList", "/body/items": null },
  ],
  [
    "a PUT reports invalid options before an unknown media type",
    [["PUT", `${maps}/a?dryRun=x`, named("a"), "text/plain"]],
    { "/status": 422 },
  ],
  [
    "a POST reports an unknown media type before invalid options",
    [["POST", `${maps}?dryRun=x`, named("a"), "text/plain"]],
    { "/status": 415 },
  ],
  [
    "a 406 of the routing has no deprecation warning",
    [["GET", `${core}/endpoints`, undefined, undefined, "text/html"]],
    { "/status": 406, "/warning": null },
  ],
  [
    "an apiVersion of another group is rejected without a warning",
    [
      ["POST", trinkets, trinket("a")],
      ["PATCH", `${trinkets}/a`, { apiVersion: "other", odd: 1 }],
    ],
    { "/status": 422, "/warning": null },
  ],
  [
    "a GET of an Event rejects an invalid resourceVersion",
    [["GET", `${core}/events/a?resourceVersion=a%00b`]],
    { "/status": 400 },
  ],
  [
    "PUT /resize of a pod doesn't support Tables",
    [["PUT", `${pods}/a/resize`, {}, undefined, "application/json;as=Table;v=v1;g=meta.k8s.io"]],
    { "/status": 406 },
  ],
  [
    "PATCH /ephemeralcontainers of a pod doesn't support Tables",
    [["PATCH", `${pods}/a/ephemeralcontainers`, {}, undefined, "application/json;as=Table;v=v1;g=meta.k8s.io"]],
    { "/status": 406 },
  ],
  [
    "GET /resize of a pod doesn't support Tables",
    [["GET", `${pods}/a/resize`, undefined, undefined, "application/json;as=Table;v=v1;g=meta.k8s.io"]],
    { "/status": 406 },
  ],
]);

it("request sequence: an unknown token gets a JSON Status", async () => {
  const request = new Request(`http://server${maps}`, {
    headers: { authorization: "Bearer none", accept: "application/cbor" },
  });
  expect((await handle(request)).headers.get("content-type")).toBe("application/json");
});
