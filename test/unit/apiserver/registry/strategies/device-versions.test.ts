import { expect, it } from "vitest";
import { createApiServer } from "../../../../../src/apiserver/server.js";
import { type JsonResponse, sendJson } from "../../../../support/send-json.js";

const group = "apis/resource.k8s.io";
const alternatives = [{ name: "small", deviceClassName: "c", allocationMode: "ExactCount", count: 1 }];
const claim = (request: object): object => ({ devices: { requests: [{ name: "r", ...request }] } });
const slice = (device: object): object => ({
  driver: "d.example.com",
  pool: { name: "p", generation: 1, resourceSliceCount: 1 },
  nodeName: "n",
  devices: [{ name: "d", ...device }],
});

async function post(kind: string, path: string, spec: object) {
  await using server = createApiServer();
  const send = (method: string, version: string, body?: object): Promise<JsonResponse<any>> =>
    sendJson(server, { method, path: `/${group}/${version}/${path}`, body });
  const object = { apiVersion: "resource.k8s.io/v1beta1", kind, metadata: { name: "a" }, spec };
  const { status, body } = await send("POST", "v1beta1", object);
  if (status !== 201) return body.details.causes.map(({ field }: { field: string }) => field);
  const items = async (version: string): Promise<object> => (await send("GET", version)).body.items[0].spec;
  return { v1beta1: await items("v1beta1"), v1: await items("v1") };
}

// The answers were recorded from kube-apiserver.
it.each<[what: string, given: object, expected: unknown]>([
  [
    "a class",
    { deviceClassName: "c" },
    {
      v1beta1: claim({ deviceClassName: "c", allocationMode: "ExactCount", count: 1 }),
      v1: claim({ exactly: { deviceClassName: "c", allocationMode: "ExactCount", count: 1 } }),
    },
  ],
  [
    "alternatives",
    { firstAvailable: [{ name: "small", deviceClassName: "c" }] },
    {
      v1beta1: claim({ deviceClassName: "", firstAvailable: alternatives }),
      v1: claim({ firstAvailable: alternatives }),
    },
  ],
  ["neither", {}, ["spec.devices.requests[0]"]],
  ["both", { deviceClassName: "c", firstAvailable: alternatives }, ["spec.devices.requests[0]"]],
  [
    "a count without a class",
    { count: 2 },
    ["spec.devices.requests[0].exactly.deviceClassName", "spec.devices.requests[0].exactly.allocationMode"],
  ],
  [
    "all devices, and a count",
    { deviceClassName: "c", allocationMode: "All", count: 3 },
    ["spec.devices.requests[0].exactly.count"],
  ],
])("a claim of v1beta1 that requests %s is checked by the rules of v1", async (_, request, expected) => {
  expect(await post("ResourceClaim", "namespaces/default/resourceclaims", claim(request))).toEqual(expected);
});

it.each<[what: string, attribute: object, expected: unknown]>([
  [
    "one value",
    { string: "x" },
    {
      v1beta1: slice({ basic: { attributes: { a: { string: "x" } } } }),
      v1: slice({ attributes: { a: { string: "x" } } }),
    },
  ],
  ["two values", { string: "x", int: 1 }, ["spec.devices[0].attributes[a]"]],
])("an attribute with %s in a slice of v1beta1 is checked by the rules of v1", async (_, attribute, expected) => {
  expect(await post("ResourceSlice", "resourceslices", slice({ basic: { attributes: { a: attribute } } }))).toEqual(
    expected,
  );
});
