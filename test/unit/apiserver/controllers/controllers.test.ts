import { afterEach, describe, expect, it } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { type JsonResponse, sendJson } from "../../../support/send-json.js";

let server: ApiServer;
afterEach(() => server.close());

interface Body extends Record<string, unknown> {
  metadata?: Record<string, unknown>;
  items?: { metadata: { name: string } }[];
}

const call = (method: string, path: string, body?: unknown): Promise<JsonResponse<Body>> =>
  sendJson(server, { method, path, body });

const names = async (path: string): Promise<string[]> =>
  (await call("GET", path)).body.items!.map(({ metadata }) => metadata.name);
const ns = "/api/v1/namespaces";
const maps = `${ns}/default/configmaps`;

async function owned(
  name: string,
  owners: { name: string; uid: string; blockOwnerDeletion?: boolean }[],
  finalizers?: string[],
): Promise<string> {
  const ownerReferences = owners.map((owner) => ({ apiVersion: "v1", kind: "ConfigMap", ...owner }));
  const { status, body } = await call("POST", maps, {
    metadata: {
      name,
      ...(owners.length > 0 ? { ownerReferences } : {}),
      ...(finalizers === undefined ? {} : { finalizers }),
    },
  });
  expect(status).toBe(201);
  return String(body.metadata!["uid"]);
}

describe("namespaces", () => {
  it("get a default ServiceAccount and the root CA ConfigMap", async () => {
    server = createApiServer({ rootCa: "PEM" });
    await call("POST", ns, { metadata: { name: "a" } });
    await server.settled();
    expect(await names(`${ns}/a/serviceaccounts`)).toEqual(["default"]);
    expect((await call("GET", `${ns}/a/configmaps/kube-root-ca.crt`)).body["data"]).toEqual({ "ca.crt": "PEM" });
    await call("DELETE", `${ns}/a/serviceaccounts/default`);
    await call("PATCH", `${ns}/a/configmaps/kube-root-ca.crt`, {
      metadata: { annotations: { "kubernetes.io/description": null, own: "text" } },
      data: { "ca.crt": "changed" },
    });
    await server.settled();
    expect(await names(`${ns}/a/serviceaccounts`)).toEqual(["default"]);
    const { metadata, data } = (await call("GET", `${ns}/a/configmaps/kube-root-ca.crt`)).body;
    expect(data).toEqual({ "ca.crt": "PEM" });
    const description = expect.stringContaining("CA bundle") as unknown;
    expect(metadata?.annotations).toEqual({ "kubernetes.io/description": description, own: "text" });
  });

  it("are emptied and removed when deleted", async () => {
    server = createApiServer();
    await call("POST", ns, { metadata: { name: "a" } });
    await call("POST", `${ns}/a/secrets`, { metadata: { name: "s" } });
    await call("POST", "/apis/apps/v1/namespaces/a/deployments", {
      metadata: { name: "d" },
      spec: {
        selector: { matchLabels: { app: "x" } },
        template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    await server.settled();
    expect((await call("DELETE", `${ns}/a`)).body["status"]).toMatchObject({ phase: "Terminating" });
    await server.settled();
    expect((await call("GET", `${ns}/a`)).status).toBe(404);
    expect(await names(`${ns}/a/secrets`)).toEqual([]);
    expect(await names("/apis/apps/v1/namespaces/a/deployments")).toEqual([]);
  });

  it("keep their other objects until their pods are gone", async () => {
    server = createApiServer();
    await call("POST", ns, { metadata: { name: "a" } });
    await call("POST", `${ns}/a/configmaps`, { metadata: { name: "m" } });
    await call("POST", `${ns}/a/pods`, {
      metadata: { name: "p", finalizers: ["example.com/hold"] },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    await call("DELETE", `${ns}/a`);
    await server.settled();
    expect(await names(`${ns}/a/configmaps`)).toContain("m");
    const { status } = (await call("GET", `${ns}/a`)).body as { status?: { conditions: { reason: string }[] } };
    expect(status!.conditions.map(({ reason }) => reason)).toEqual([
      "ResourcesDiscovered",
      "ParsedGroupVersions",
      "ContentDeleted",
      "ContentRemoved",
      "ContentHasNoFinalizers",
    ]);
    await call("PATCH", `${ns}/a/pods/p`, { metadata: { finalizers: null } });
    await server.settled();
    expect((await call("GET", `${ns}/a`)).status).toBe(404);
  });

  it("report what blocks their deletion, and go once it is gone", async () => {
    server = createApiServer();
    await call("POST", ns, { metadata: { name: "a" } });
    await call("POST", `${ns}/a/secrets`, { metadata: { name: "s", finalizers: ["example.com/hold"] } });
    await server.settled();
    await call("DELETE", `${ns}/a`);
    await server.settled();
    const { status } = (await call("GET", `${ns}/a`)).body as unknown as {
      status: { conditions: { type: string; status: string; message: string }[] };
    };
    expect(
      status.conditions.filter(({ status: value }) => value === "True").map(({ type, message }) => [type, message]),
    ).toEqual([
      ["NamespaceContentRemaining", "Some resources are remaining: secrets. has 1 resource instances"],
      [
        "NamespaceFinalizersRemaining",
        "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
      ],
    ]);
    await call("PATCH", `${ns}/a/secrets/s`, { metadata: { finalizers: null } });
    await server.settled();
    expect((await call("GET", `${ns}/a`)).status).toBe(404);
  });
});

describe("garbage collection", () => {
  const present = async (): Promise<string[]> => {
    await server.settled();
    return (await names(maps)).filter((name) => name !== "kube-root-ca.crt");
  };

  it("deletes dependents recursively, except those with another owner", async () => {
    server = createApiServer();
    const a = await owned("a", []);
    const other = await owned("other", []);
    const b = await owned("b", [{ name: "a", uid: a }]);
    await owned("c", [{ name: "b", uid: b }]);
    await owned("shared", [
      { name: "a", uid: a },
      { name: "other", uid: other },
    ]);
    expect(await present()).toEqual(["a", "b", "c", "other", "shared"]);
    await call("DELETE", `${maps}/a`);
    expect(await present()).toEqual(["other", "shared"]);
    expect((await call("GET", `${maps}/shared`)).body.metadata!["ownerReferences"]).toEqual([
      { apiVersion: "v1", kind: "ConfigMap", name: "other", uid: other },
    ]);
  });

  it("deletes dependents of a missing owner, or one with another uid", async () => {
    server = createApiServer();
    await owned("a", []);
    await owned("lost", [{ name: "nobody", uid: "1" }]);
    await owned("mistaken", [{ name: "a", uid: "1" }]);
    expect(await present()).toEqual(["a"]);
  });

  it("keeps dependents of a kind that isn't served", async () => {
    server = createApiServer();
    await call("POST", maps, {
      metadata: { name: "x", ownerReferences: [{ apiVersion: "example.com/v1", kind: "Widget", name: "w", uid: "1" }] },
    });
    expect(await present()).toEqual(["x"]);
  });

  it("keeps an owner in foreground deletion until its blocking dependents are gone", async () => {
    server = createApiServer();
    const a = await owned("a", []);
    await owned("held", [{ name: "a", uid: a, blockOwnerDeletion: true }], ["example.com/hold"]);
    await owned("free", [{ name: "a", uid: a }]);
    await call("DELETE", `${maps}/a?propagationPolicy=Foreground`);
    expect(await present()).toEqual(["a", "held"]);
    await call("PATCH", `${maps}/held`, { metadata: { finalizers: null } });
    expect(await present()).toEqual([]);
  });

  it("deletes two objects that own and block each other in the foreground", async () => {
    server = createApiServer();
    const uid = await owned("a", []);
    const other = await owned("b", [{ name: "a", uid, blockOwnerDeletion: true }]);
    await call("PATCH", `${maps}/a`, {
      metadata: {
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "b", uid: other, blockOwnerDeletion: true }],
      },
    });
    await call("DELETE", `${maps}/a`, { propagationPolicy: "Foreground" });
    await server.settled();
    const left = await names(maps);
    expect(left).not.toContain("a");
    expect(left).not.toContain("b");
  });

  it("keeps dependents of a version that isn't served", async () => {
    server = createApiServer();
    const uid = "00000000-0000-4000-8000-000000000001";
    for (const [name, apiVersion] of [
      ["served", "apps/v1"],
      ["unserved", "apps/v1beta1"],
    ]) {
      const ownerReferences = [{ apiVersion, kind: "Deployment", name: "web", uid }];
      await call("POST", maps, { metadata: { name, ownerReferences } });
    }
    expect(await present()).toEqual(["unserved"]);
  });

  it("keeps dependents without a namespace of an owner in one", async () => {
    server = createApiServer();
    const uid = await owned("a", []);
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid }];
    await call("POST", "/api/v1/nodes", { metadata: { name: "n", ownerReferences } });
    await call("DELETE", `${maps}/a`);
    expect([await present(), await names("/api/v1/nodes")]).toEqual([[], ["n"]]);
  });

  it("orphans dependents on request", async () => {
    server = createApiServer();
    const a = await owned("a", []);
    await owned("b", [{ name: "a", uid: a }]);
    await call("DELETE", `${maps}/a?propagationPolicy=Orphan`);
    expect(await present()).toEqual(["b"]);
    expect((await call("GET", `${maps}/b`)).body.metadata!["ownerReferences"]).toBeUndefined();
  });

  it("can be switched off", async () => {
    server = createApiServer({ controllers: { garbageCollection: false, defaultServiceAccount: false } });
    const a = await owned("a", []);
    await owned("b", [{ name: "a", uid: a }]);
    await call("DELETE", `${maps}/a`);
    expect(await present()).toEqual(["b"]);
    expect(await names(`${ns}/default/serviceaccounts`)).toEqual([]);
  });

  it("continues after a snapshot was restored", async () => {
    server = createApiServer();
    const a = await owned("a", []);
    await owned("b", [{ name: "a", uid: a }]);
    await server.settled();
    const snapshot = server.snapshot();
    await call("DELETE", `${maps}/a`);
    expect(await present()).toEqual([]);
    server.restore(snapshot);
    expect(await present()).toEqual(["a", "b"]);
    await call("DELETE", `${maps}/a`);
    expect(await present()).toEqual([]);
  });
});

describe("dependents after a deletion without a propagation policy", () => {
  const template = {
    metadata: { labels: { app: "x" } },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
  };
  const always = { ...template, spec: { containers: template.spec.containers } };
  it.each([
    [
      "ReplicationController",
      "v1",
      "/api/v1/namespaces/default/replicationcontrollers",
      { selector: { app: "x" }, template: always },
      "stay",
    ],
    ["Job", "batch/v1", "/apis/batch/v1/namespaces/default/jobs", { template }, "stay"],
    [
      "ReplicaSet",
      "apps/v1",
      "/apis/apps/v1/namespaces/default/replicasets",
      { selector: { matchLabels: { app: "x" } }, template: always },
      "go",
    ],
    [
      "CronJob",
      "batch/v1",
      "/apis/batch/v1/namespaces/default/cronjobs",
      { schedule: "* * * * *", jobTemplate: { spec: { template } } },
      "go",
    ],
  ])("of a %s in %s follow the kind's default", async (kind, apiVersion, path, spec, fate) => {
    server = createApiServer();
    const made = await call("POST", path, { metadata: { name: "owner" }, spec });
    expect(made.status).toBe(201);
    await owned("dependent", []);
    await call("PATCH", `${maps}/dependent`, {
      metadata: { ownerReferences: [{ apiVersion, kind, name: "owner", uid: made.body.metadata!["uid"] }] },
    });
    await call("DELETE", `${path}/owner`);
    await server.settled();
    expect((await call("GET", `${path}/owner`)).status).toBe(404);
    expect((await call("GET", `${maps}/dependent`)).status).toBe(fate === "stay" ? 200 : 404);
  });
});
