// Responses of kube-apiserver 1.36 to deletions, subresources and reviews.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());
const base = "/api/v1/namespaces/default";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const pod = { metadata: { name: "p", labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };

interface Answer {
  readonly status: number;
  readonly body: {
    metadata: Record<string, unknown>;
    status?: Record<string, unknown>;
    items?: unknown[];
    message?: string;
  };
}

async function send(method: string, path: string, body?: unknown, type = "application/json"): Promise<Answer> {
  const init =
    body === undefined
      ? { method }
      : { method, headers: { "content-type": type }, body: typeof body === "string" ? body : JSON.stringify(body) };
  const response = await server.handle(new Request(`http://server${path}`, init));
  return { status: response.status, body: (await response.json()) as never };
}

beforeAll(async () => {
  await send("POST", `${base}/pods`, pod);
  await send("POST", `${base}/serviceaccounts`, { metadata: { name: "robot" } });
  await send("POST", deployments, {
    metadata: { name: "dep", labels: { a: "b" } },
    spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: pod.spec } },
  });
});

describe("bodies of deletions", () => {
  it.each([{ gracePeriodSeconds: "x" }, { dryRun: "All" }, { kind: "Pod" }, [[]], '"x"'])(
    "%j is rejected",
    async (body) => {
      expect((await send("DELETE", `${base}/pods/p`, body)).status).toBe(400);
      expect((await send("GET", `${base}/pods/p`)).status).toBe(200);
    },
  );

  it("GET with a resourceVersion before the object existed finds nothing", async () => {
    const {
      body: { metadata },
    } = await send("POST", `${base}/secrets`, { metadata: { name: "first" } });
    await send("POST", `${base}/secrets`, { metadata: { name: "second" } });
    const { body } = await send("DELETE", `${base}/secrets?resourceVersion=${String(metadata["resourceVersion"])}`);
    expect(body.items).toHaveLength(1);
    expect((await send("GET", `${base}/secrets`)).body.items).toHaveLength(1);
  });
});

describe("/status endpoint", () => {
  const merge = "application/merge-patch+json";
  const metadata = {
    labels: { z: "y" },
    annotations: { z: "y" },
    ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "x", uid: "u" }],
  };
  it.each([
    [`${base}/pods/p`, { labels: { a: "b", z: "y" }, annotations: { z: "y" } }, ["ownerReferences"]],
    [
      `${deployments}/dep`,
      { labels: { a: "b" }, annotations: { z: "y" }, ownerReferences: metadata.ownerReferences },
      [],
    ],
  ])("of %s changes only the metadata that it may change", async (path, wanted, absent) => {
    const { body } = await send("PATCH", `${path}/status?dryRun=All`, { metadata }, merge);
    expect(body.metadata).toMatchObject(wanted);
    expect(Object.keys(body.metadata["labels"] as object).sort()).toEqual(Object.keys(wanted.labels).sort());
    for (const key of absent) expect(body.metadata).not.toHaveProperty(key);
  });

  it("keeps the QoS class of a pod", async () => {
    expect((await send("PUT", `${base}/pods/p/status?dryRun=All`, pod)).body.status).toMatchObject({
      qosClass: "BestEffort",
    });
  });
});

describe("/scale endpoint", () => {
  it("doesn't show managed fields of the object", async () => {
    expect((await send("GET", `${deployments}/dep/scale`)).body.metadata).not.toHaveProperty("managedFields");
    expect(
      (await send("PUT", `${deployments}/dep/scale`, { metadata: { name: "dep" }, spec: { replicas: 2 } })).body
        .metadata,
    ).not.toHaveProperty("managedFields");
  });

  it("rejects a Scale of another object", async () => {
    const { status } = await send("PUT", `${deployments}/dep/scale`, {
      metadata: { name: "dep", uid: "x" },
      spec: { replicas: 2 },
    });
    expect(status).toBe(409);
  });
});

describe("TokenRequests", () => {
  const kind = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest" };
  it.each([
    [
      { kind: "Pod", apiVersion: "v1", name: "p" },
      400,
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    ],
    [{ kind: "Pod", apiVersion: "v1", name: "none" }, 404, 'pods "none" not found'],
    [
      { kind: "ConfigMap", apiVersion: "v1", name: "x" },
      400,
      "cannot bind token to object of type /v1, Kind=ConfigMap",
    ],
  ])("bound to %j are rejected with %i", async (boundObjectRef, status, message) => {
    expect(
      await send("POST", `${base}/serviceaccounts/robot/token`, { ...kind, spec: { boundObjectRef } }),
    ).toMatchObject({ status, body: { message } });
  });

  it("record field managers", async () => {
    const { body } = await send("POST", `${base}/serviceaccounts/robot/token`, { ...kind, spec: {} });
    expect(body.metadata["managedFields"]).toMatchObject([
      { fieldsV1: { "f:spec": { "f:expirationSeconds": {} } }, subresource: "token" },
    ]);
  });
});

describe("bodies of another kind sent to /eviction", () => {
  it.each([
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "p" } },
    { apiVersion: "policy/v2", kind: "Eviction", metadata: { name: "p" } },
  ])("%j is rejected", async (body) => {
    expect((await send("POST", `${base}/pods/p/eviction`, body)).status).toBe(400);
  });
});

describe("reviews", () => {
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  it("record field managers", async () => {
    const { body } = await send("POST", path, { spec: { resourceAttributes: { verb: "get" } } });
    expect(body.metadata["managedFields"]).toMatchObject([
      { operation: "Update", fieldsV1: { "f:spec": { "f:resourceAttributes": { ".": {}, "f:verb": {} } } } },
    ]);
  });

  it("accept a selector in only one form", async () => {
    const labelSelector = { rawSelector: "a=b", requirements: [{ key: "a", operator: "In", values: ["b"] }] };
    expect(
      (await send("POST", path, { spec: { resourceAttributes: { verb: "list", labelSelector } } })).body.message,
    ).toBe(
      '.authorization.k8s.io "" is invalid: spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements',
    );
  });
});

describe("malformed YAML bodies", () => {
  it.each([
    "a: [",
    "{",
    "a: b: c",
    "a:\n\tb: c",
    '"x',
    "a: *x",
    "a: {b: c",
    "a:\n  - b\n c: d",
    "a b\nc: d",
    "a: b\n- c",
    "- a\nb: c",
    "a: b\nc: {d: e}\n}",
    '{"a" 1}',
    'x: ["a"\n 1]',
    "[".repeat(10_002),
  ])("%j is rejected", async (body) => {
    const { status } = await send("PATCH", `${base}/configmaps/y?fieldManager=m`, body, "application/apply-patch+yaml");
    expect(status).toBe(400);
  });
});

describe("generateName", () => {
  it.each([
    ["G-", "metadata.name"],
    ["-", "metadata.generateName"],
    ["a.b.", "metadata.generateName"],
  ])("%j is first reported on %s", async (generateName, field) => {
    expect((await send("POST", `${base}/configmaps`, { metadata: { generateName } })).body.message).toMatch(
      new RegExp(`is invalid: \\[?${field.replace(".", "\\.")}: `),
    );
  });
});
