import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";

let server: ApiServer;
const pod = (name: string, podIP?: string): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 8080 }] }] },
  ...(podIP === undefined ? {} : { status: { podIP, podIPs: [{ ip: podIP }] } }),
});
const node = (name: string, addresses: object[]): object => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name },
  status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port: 1234 } } },
});
const service = (name: string): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace: "default" },
  spec: { ports: [{ name: "web", port: 80 }] },
});
const endpoints = (name: string, subsets: object[]): object => ({
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { name, namespace: "default" },
  subsets,
});
const ofPod = (ip: string, name: string): object => ({ ip, targetRef: { kind: "Pod", namespace: "default", name } });

beforeAll(async () => {
  server = createApiServer();
  await server.load([
    pod("p"),
    pod("up", "10.1.2.3"),
    pod("six", "fd00::1"),
    pod("local", "127.0.0.1"),
    node("none", []),
    node("other", [{ type: "Other", address: "x" }]),
    node("local", [{ type: "InternalIP", address: "127.0.0.1" }]),
    node("name", [{ type: "Hostname", address: "n1" }]),
    node("up", [
      { type: "ExternalIP", address: "10.9.9.9" },
      { type: "InternalIP", address: "10.1.1.1" },
    ]),
    service("s"),
    service("empty"),
    endpoints("empty", []),
    service("up"),
    endpoints("up", [{ addresses: [ofPod("10.1.2.3", "up")], ports: [{ name: "web", port: 8080 }] }]),
    service("foreign"),
    endpoints("foreign", [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ name: "web", port: 8080 }] }]),
  ]);
  await server.settled();
});
afterAll(() => server.close());

const refused = (address: string): string =>
  `error trying to reach service: dial tcp ${address}: connect: connection refused`;

// As answered by kube-apiserver 1.36.3, except that nothing listens on the addresses.
it.each([
  ["nodes/missing/proxy/metrics", 404, 'nodes "missing" not found'],
  ["nodes/missing:10250/proxy/metrics", 404, 'nodes "missing" not found'],
  ["nodes/https:missing:10250/proxy/", 404, 'nodes "missing" not found'],
  ["nodes/ftp:up:1/proxy", 400, 'invalid node request "ftp:up:1"'],
  ["nodes/none/proxy", 500, "no preferred addresses found; known addresses: []"],
  ["nodes/other:7/proxy", 500, "no preferred addresses found; known addresses: [{Other x}]"],
  ["nodes/local/proxy", 400, "address not allowed"],
  ["nodes/name/proxy", 400, "lookup n1: no such host"],
  ["nodes/up/proxy/metrics", 503, refused("10.1.1.1:1234")],
  ["nodes/http:up:9/proxy/metrics", 503, refused("10.1.1.1:9")],
  ["namespaces/default/pods/missing:80/proxy", 404, 'pods "missing" not found'],
  ["namespaces/default/pods/a:b:c:d/proxy", 400, 'invalid pod request "a:b:c:d"'],
  ["namespaces/default/pods/p/proxy", 400, "address not allowed"],
  ["namespaces/default/pods/https:p:80/proxy", 400, "address not allowed"],
  ["namespaces/default/pods/local/proxy", 400, "address not allowed"],
  ["namespaces/default/pods/up/proxy", 503, refused("10.1.2.3:8080")],
  ["namespaces/default/pods/https:up:90/proxy/x/y", 503, refused("10.1.2.3:90")],
  ["namespaces/default/pods/six/proxy", 503, refused("[fd00::1]:8080")],
  ["namespaces/default/services/missing/proxy", 404, 'services "missing" not found'],
  ["namespaces/default/services/https:missing:80/proxy/x", 404, 'services "missing" not found'],
  ["namespaces/default/services/:80/proxy", 400, 'invalid service request ":80"'],
  ["namespaces/default/services/ftp:s:80/proxy", 400, 'invalid service request "ftp:s:80"'],
  ["namespaces/default/services/s:80/proxy", 404, 'services "s" not found'],
  ["namespaces/default/services/s:81/proxy", 503, 'no service port 81 found for service "s"'],
  ["namespaces/default/services/empty:web/proxy", 503, 'no endpoints available for service "empty"'],
  ["namespaces/default/services/up:nope/proxy", 503, 'no endpoints available for service "up:nope"'],
  ["namespaces/default/services/up/proxy", 503, 'no endpoints available for service "up"'],
  ["namespaces/default/services/foreign:80/proxy", 503, 'no endpoints available for service "foreign:80"'],
  ["namespaces/default/services/up:80/proxy/x", 503, refused("10.1.2.3:8080")],
  ["namespaces/default/services/http:up:web/proxy", 503, refused("10.1.2.3:8080")],
])("GET %s is answered with %i: %s", async (path, code, message) => {
  const response = await server.handle(new Request(`http://server/api/v1/${path}`));
  expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([code, message]);
});
