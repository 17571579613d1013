import { afterEach, expect, it } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

let server: ApiServer;
afterEach(() => server.close());

const paths = [
  "/api/v1/namespaces/default/endpoints/kubernetes",
  "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
];

async function call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  return (await sendJson(server, { method, path, body })).body;
}

const expected = (address: string, port: number, addressType: string): object[] => [
  {
    metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: address }], ports: [{ name: "https", port, protocol: "TCP" }] }],
  },
  {
    metadata: { labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType,
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: "https", port, protocol: "TCP" }],
  },
];
const all = (): Promise<unknown[]> => Promise.all(paths.map((path) => call("GET", path)));

it("Endpoints and EndpointSlice of the kubernetes Service contain the server's address", async () => {
  server = createApiServer({ controllers: false });
  expect(await all()).toMatchObject([{ code: 404 }, { code: 404 }]);
  await server.advertise("192.0.2.2", 6443);
  expect(await all()).toMatchObject(expected("192.0.2.2", 6443, "IPv4"));
  await server.advertise("192.0.2.3", 6444);
  expect(await all()).toMatchObject(expected("192.0.2.3", 6444, "IPv4"));
});

it("Endpoints of the kubernetes Service are restored after a deletion, a change or a snapshot", async () => {
  server = createApiServer({ controllers: false });
  const before = server.snapshot();
  await server.advertise("2001:db8::1", 6443);
  const wanted = expected("2001:db8::1", 6443, "IPv6");
  await call("PATCH", paths[0]!, { subsets: [] });
  await call("PATCH", paths[1]!, { endpoints: [{ addresses: ["2001:db8::2"] }] });
  await server.settled();
  expect(await all()).toMatchObject(wanted);
  const revision = (await call("GET", paths[0]!))["metadata"];
  for (const path of paths) await call("DELETE", path);
  await server.settled();
  expect(await all()).toMatchObject(wanted);
  expect((await call("GET", paths[0]!))["metadata"]).not.toEqual(revision);
  server.restore(before);
  await server.settled();
  expect(await all()).toMatchObject(wanted);
});
