import { expect, it } from "vitest";
import { locateWebhook } from "../../../../src/apiserver/http/webhook-caller.js";
import { createServiceFinder } from "../../../../src/apiserver/registry/service-place.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { MvccStore } from "../../../../src/apiserver/storage/mvcc.js";
import { systemClock } from "../../../../src/internal/clock.js";

const hooks = { namespace: "system", name: "hooks" };

it.each([
  [{ url: "https://hooks.example/validate" }, "https://hooks.example/validate"],
  [{ url: "https://hooks.example//validate//pods/" }, "https://hooks.example/validate/pods"],
  [{ url: "https://hooks.example/a/./b/../c" }, "https://hooks.example/a/c"],
  [{ url: "https://hooks.example:8443" }, "https://hooks.example:8443"],
  [{ service: hooks }, "https://hooks.system.svc:443"],
  [{ service: { ...hooks, path: "/validate/", port: 8443 } }, "https://hooks.system.svc:8443/validate"],
])("webhook URL of %j is %s", async (config, expected) => {
  const located = await locateWebhook(config, createServiceFinder(new MvccStore(systemClock), undefined));
  expect(located).toEqual({ url: expected });
});

const service = (spec: object): object => ({ apiVersion: "v1", kind: "Service", metadata: hooks, spec });
const slice = (endpoints: object[], ports: object[] = [{ name: "web", port: 9443 }]): object => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { ...hooks, labels: { "kubernetes.io/service-name": "hooks" } },
  addressType: "IPv4",
  endpoints,
  ports,
});
const clusterIp = service({ clusterIP: "10.0.0.9", clusterIPs: ["10.0.0.9"], ports: [{ name: "web", port: 443 }] });

/** Calls the webhook `hooks` of a server with these objects. Returns where it was called, or the reason why it wasn't. */
async function called(objects: readonly object[], resolveService?: () => string): Promise<string> {
  let place = "";
  const server = createApiServer({
    controllers: false,
    resolveService,
    webhooks: ({ url, connectTo }) => {
      place = connectTo === undefined ? url : `${url} at ${connectTo}`;
      throw new TypeError("seen");
    },
  });
  await server.load([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "system" } }, ...objects] as never);
  const post = (path: string, body: object): Promise<Response> =>
    server.handle(
      new Request(`http://server${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    );
  await post("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
    metadata: { name: "v" },
    webhooks: [
      {
        name: "v.example.com",
        clientConfig: { service: { ...hooks, path: "/v" } },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });
  const answer = await post("/api/v1/namespaces/default/configmaps", { metadata: { name: "a" } });
  const { message } = (await answer.json()) as { message: string };
  await server.close();
  return place === "" ? message : place;
}

const dns = "https://hooks.system.svc:443/v";

it.each<[string, object[], string]>([
  ["a Service that isn't stored", [], dns],
  ["an external name", [service({ type: "ExternalName", externalName: "localhost" })], `${dns} at localhost:443`],
  [
    "the first ready endpoint of its slices",
    [
      clusterIp,
      slice([
        { addresses: ["10.1.0.1"], conditions: { ready: false } },
        { addresses: ["10.1.0.2"], conditions: {} },
      ]),
    ],
    `${dns} at 10.1.0.2:9443`,
  ],
  [
    "the first address of its Endpoints",
    [
      clusterIp,
      {
        apiVersion: "v1",
        kind: "Endpoints",
        metadata: hooks,
        subsets: [{ addresses: [{ ip: "10.1.0.3" }], ports: [{ name: "web", port: 8443 }] }],
      },
    ],
    `${dns} at 10.1.0.3:8443`,
  ],
])("a webhook is called at %s", async (_place, objects, expected) => {
  expect(await called(objects)).toBe(expected);
});

it.each<[string, object[], string]>([
  ["no endpoints", [clusterIp, slice([])], 'no endpoints available for service "hooks"'],
  ["another port", [service({ ports: [{ port: 80 }] })], 'no service port 443 found for service "hooks"'],
])("a webhook whose Service has %s fails with the reason", async (_what, objects, reason) => {
  expect(await called(objects)).toContain(reason);
});

it("resolveService decides where a webhook's Service is", async () => {
  expect(await called([clusterIp], () => "https://127.0.0.1:9443/")).toBe("https://127.0.0.1:9443/v");
});

it("an invalid URL of resolveService fails the call and names the option", async () => {
  expect(await called([], () => "127.0.0.1:9443")).toContain(
    "resolveService: invalid URL for the service system/hooks",
  );
});
