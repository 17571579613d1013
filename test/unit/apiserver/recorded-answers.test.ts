// Responses of kube-apiserver 1.36 to single requests.
import { beforeAll, describe, expect, it } from "vitest";
import type { ApiServer } from "../../../src/apiserver/server.js";
import { createApiServer } from "../../../src/apiserver/server.js";
import { sendJson } from "../../support/send-json.js";

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
const list = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const maps = "/api/v1/namespaces/default/configmaps";

type Row = readonly [request: string, accept: string | undefined, expected: Readonly<Record<string, unknown>>];

/** Expected `status`, headers by name, and values of the body by JSON pointer; null means missing. */
const rows: readonly Row[] = [
  [
    "PATCH /apis",
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    { status: 200, "/kind": "APIGroupDiscoveryList" },
  ],
  ["PATCH /api", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", { status: 405 }],
  ["PATCH /api", "text/html;as=x", { status: 405 }],
  [`GET ${maps}?resourceVersion=0&fieldSelector=metadata.name%3Da%5C%2Cb`, undefined, { status: 200, "/items": [] }],
  ["GET /version", "application/yaml", { status: 406, "content-type": "application/yaml" }],
  ["GET /version", "application/json;as=Table", { status: 200, "content-type": "application/json", "/minor": "36" }],
  ["POST /apis", undefined, { status: 200, "/kind": "APIGroupList" }],
  ["DELETE /apis/apps", undefined, { status: 200, "/kind": "APIGroup" }],
  ["GET /apis/apps", "application/*", { status: 200 }],
  ["GET /apis/apps/v1", "application/*", { status: 406 }],
  [
    "GET /apis/apps/v1",
    undefined,
    { status: 200, "/apiVersion": "v1", "/resources/0/storageVersionHash": "85nkx63pcBU=" },
  ],
  ["GET /apis/autoscaling/v1", undefined, { status: 200, "/resources/0/storageVersionHash": "qwQve8ut294=" }],
  [
    "GET /api/v1",
    undefined,
    {
      status: 200,
      "/apiVersion": null,
      "/resources/1/storageVersionHash": null,
      "/resources/2/storageVersionHash": "qFsyl6wFWjQ=",
    },
  ],
  ["GET /", "text/html", { status: 200, "content-type": "application/json" }],
  ["GET /index.html", undefined, { status: 200, "/paths/0": "/.well-known/openid-configuration" }],
  ["GET /healthz/", undefined, { status: 404 }],
  ["GET /livez/ping", undefined, { status: 200, "x-content-type-options": null }],
  ["GET /livez", undefined, { status: 200, "x-content-type-options": "nosniff" }],
  [
    `GET ${maps}`,
    list,
    { status: 200, "/items/0/kind": "PartialObjectMetadata", "/items/0/apiVersion": "meta.k8s.io/v1" },
  ],
  [
    `GET ${maps}/a`,
    list,
    {
      status: 406,
      "/reason": "NotAcceptable",
    },
  ],
  [
    `GET ${maps}/none`,
    "application/yaml;as=Table;v=v1;g=meta.k8s.io",
    { status: 404, "content-type": "application/json" },
  ],
  [`GET ${maps}/a`, "application/json;stream=watch", { status: 200, "/kind": "ConfigMap" }],
  [`GET ${maps}/a`, "application/json;q=0", { status: 200, "/kind": "ConfigMap" }],
  [`GET ${maps}/a?export=1`, undefined, { status: 400, "/reason": "BadRequest" }],
  [`GET ${maps}/a?export=0`, undefined, { status: 200 }],
  ["GET /apis/storage.k8s.io/v1/csinodes", table, { status: 200, "/columnDefinitions/1/name": "Drivers" }],
  ["GET /apis/events.k8s.io/v1/events", table, { status: 200, "/columnDefinitions/0/name": "Last Seen" }],
  [
    "GET /apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests",
    table,
    { status: 200, "/columnDefinitions/9/name": "Completed" },
  ],
  [
    "GET /apis/coordination.k8s.io/v1beta1/leasecandidates",
    undefined,
    {
      status: 200,
      warning: '299 - "coordination.k8s.io/v1beta1 LeaseCandidate is deprecated in v1.36+, unavailable in v1.39+"',
    },
  ],
  ["GET /apis/resource.k8s.io/v1beta2/devicetaintrules", undefined, { status: 200, warning: null }],
  ["GET /api/v1/nodes?fieldSelector=metadata.namespace%3Dx", undefined, { status: 400 }],
  ["GET /apis/apps/v1/replicasets?fieldSelector=status.replicas%3D0", undefined, { status: 400 }],
  ["GET /api/v1/pods?fieldSelector=status.podIPs%3D1.2.3.4", undefined, { status: 200 }],
  ["GET /apis/batch/v1/jobs?fieldSelector=type%3Dx", undefined, { status: 400, "/reason": "BadRequest" }],
  ["GET /apis/events.k8s.io/v1/events?fieldSelector=regarding.name%3Dx", undefined, { status: 200 }],
  ["GET /apis/events.k8s.io/v1/events?fieldSelector=involvedObject.name%3Dx", undefined, { status: 400 }],
];

let server: ApiServer;

beforeAll(async () => {
  server = createApiServer({ controllers: false });
  await sendJson(server, { method: "POST", path: maps, body: { metadata: { name: "a" } } });
  return () => server.close();
});

describe("recorded responses of kube-apiserver", () => {
  it.each(
    rows.map(([request, accept, expected]) => [`${request} ${accept ?? ""}`, request, accept, expected] as const),
  )("%s", async (_, request, accept, expected) => {
    const [method, path] = request.split(" ") as [string, string];
    const response = await server.handle(
      new Request(`http://server${path}`, { method, ...(accept === undefined ? {} : { headers: { accept } }) }),
    );
    const text = await response.text();
    const body = text.startsWith("{") ? (JSON.parse(text) as unknown) : undefined;
    const got = Object.fromEntries(
      Object.keys(expected).map((key) => [
        key,
        key === "status" ? response.status : key.startsWith("/") ? valueAt(body, key) : response.headers.get(key),
      ]),
    );
    expect(got).toEqual(expected);
  });
});

function valueAt(body: unknown, pointer: string): unknown {
  return (
    pointer
      .split("/")
      .slice(1)
      .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], body) ?? null
  );
}
