import { afterEach, describe, expect, it } from "vitest";
import type { ApiServerOptions } from "../../../../src/apiserver/options.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";

let server: ApiServer;
afterEach(() => server.close());

type Json = Record<string, unknown>;

function start(options: ApiServerOptions = {}): void {
  server = createApiServer({ controllers: false, ...options });
}

async function post(path: string, body: Json): Promise<Json> {
  const headers = { "content-type": "application/json" };
  const request = new Request(`http://server${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return (await (await server.handle(request)).json()) as Json;
}

const claim = {
  metadata: { name: "c" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
};
const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
const claims = "/api/v1/namespaces/default/persistentvolumeclaims";
const pods = "/api/v1/namespaces/default/pods";

describe("admission plugins that a server runs", () => {
  it.each([
    [
      { enableAdmissionPlugins: ["NodeRestrictions"] },
      'enableAdmissionPlugins[0]: unknown admission plugin "NodeRestrictions"',
    ],
    [{ disableAdmissionPlugins: ["Priority", "x"] }, 'disableAdmissionPlugins[1]: unknown admission plugin "x"'],
    [
      { enableAdmissionPlugins: ["EventRateLimit"] },
      "enableAdmissionPlugins[0]: this server doesn't implement the plugin EventRateLimit",
    ],
    [
      { enableAdmissionPlugins: ["Priority"], disableAdmissionPlugins: ["Priority"] },
      "enableAdmissionPlugins[0]: Priority is also in disableAdmissionPlugins",
    ],
  ])("a server with %j fails at start", (options, message) => {
    start();
    expect(() => createApiServer(options)).toThrow(message);
  });

  it("a plugin of kube-apiserver that the server lacks can be disabled", () => {
    expect(() => start({ disableAdmissionPlugins: ["EventRateLimit", "PodGroupProtection"] })).not.toThrow();
  });

  it.each([
    ["StorageObjectInUseProtection", claims, claim, "finalizers"],
    ["DefaultTolerationSeconds", pods, pod, "tolerations"],
    ["TaintNodesByCondition", "/api/v1/nodes", { metadata: { name: "n" } }, "taints"],
  ])("without %s, an object keeps what was sent", async (plugin, path, body, field) => {
    start();
    expect(JSON.stringify(await post(`${path}?dryRun=All`, body))).toContain(`"${field}":`);
    await server.close();
    start({ disableAdmissionPlugins: [plugin] });
    const created = await post(`${path}?dryRun=All`, body);
    const { managedFields: _managed, ...metadata } = created["metadata"] as Json;
    expect(created["kind"]).not.toBe("Status");
    expect(JSON.stringify({ ...created, metadata })).not.toContain(`"${field}":`);
  });

  it("without NamespaceLifecycle, objects are created in a namespace that doesn't exist", async () => {
    start({ disableAdmissionPlugins: ["NamespaceLifecycle"] });
    expect((await post("/api/v1/namespaces/missing/configmaps", { metadata: { name: "a" } }))["kind"]).toBe(
      "ConfigMap",
    );
  });

  it.each([
    ["own", 201],
    ["other", 403],
  ])("NodeRestriction: a node that evicts a pod of the node %s gets %i", async (nodeName, status) => {
    start({
      enableAdmissionPlugins: ["NodeRestriction"],
      tokens: new Map([["t", { name: "system:node:own", uid: "", groups: ["system:nodes"], extra: {} }]]),
    });
    await post(pods, { metadata: { name: "p" }, spec: { nodeName, containers: [{ name: "c", image: "i" }] } });
    const headers = { "content-type": "application/json", authorization: "Bearer t" };
    const body = JSON.stringify({ metadata: { name: "p" } });
    const request = new Request(`http://server${pods}/p/eviction`, { method: "POST", headers, body });
    expect((await server.handle(request)).status).toBe(status);
  });

  it("ServiceAccount waits for the account default of a new namespace", async () => {
    start({ enableAdmissionPlugins: ["ServiceAccount"], controllers: {} });
    await post("/api/v1/namespaces", { metadata: { name: "team" } });
    const created = await post("/api/v1/namespaces/team/pods", pod);
    expect((created["spec"] as Json)["serviceAccountName"]).toBe("default");
  });

  it("ServiceAccount refuses a pod whose account default doesn't appear within a second", async () => {
    start({ enableAdmissionPlugins: ["ServiceAccount"] });
    expect((await post(pods, pod))["message"]).toBe(
      'pods "p" is forbidden: error looking up service account default/default: serviceaccount "default" not found',
    );
  });
});

describe("admission plugins of a test's own", () => {
  it.each([
    ["admit", undefined, 201],
    ["validate", undefined, 201],
    ["admit", false, 500],
    ["validate", false, 500],
    ["validate", 0, 500],
    ["validate", "denied", 500],
    ["validate", { allowed: false }, 500],
  ] as const)("%s that returns %j answers %i", async (phase, result, code) => {
    start({ admission: [{ name: "Own", [phase]: () => Promise.resolve(result) }] });
    const answer = await post("/api/v1/namespaces/default/configmaps", { metadata: { name: "a" } });
    if (code === 201) expect(answer["kind"]).toBe("ConfigMap");
    else expect(answer).toMatchObject({ code, message: expect.stringContaining(`Own.${phase} must throw`) as string });
  });
});
