// Errors of kube-apiserver 1.36 for values of the wrong type.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";

const recorded = JSON.parse(readFileSync(new URL("decoding.json", import.meta.url), "utf8")) as [
  path: string,
  body: { kind: string },
  message: string,
][];
let server: ApiServer;

async function post(
  path: string,
  body: unknown,
): Promise<{
  status: number;
  body: { message?: string; metadata?: { managedFields?: { fieldsV1: unknown }[] } } & Record<string, unknown>;
}> {
  const response = await server.handle(
    new Request(`http://server${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  );
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

beforeAll(async () => {
  server = createApiServer({ controllers: false });
  await post("/api/v1/namespaces", { metadata: { name: "ns" } });
});
afterAll(() => server.close());

describe("values of the wrong type are rejected", () => {
  it.each(recorded.map(([path, body, message]) => [message, path, body] as const))("%s", async (_, path, body) => {
    const answer = await post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(/./);
  });
});

describe("bytes given as an array of numbers", () => {
  it.each([
    [[1, 2, 255], "AQL/"],
    [[], undefined],
  ] as const)("%j are stored as base64", async (bytes, text) => {
    const { body } = await post("/api/v1/namespaces/ns/secrets?dryRun=All", {
      metadata: { name: "bytes" },
      data: { key: bytes },
    });
    expect((body["data"] as { key?: string }).key ?? "").toBe(text ?? "");
  });
});

// Only lists that Go prints even when empty get managers; none of them is stored.
describe("empty lists", () => {
  it.each([
    ["/apis/rbac.authorization.k8s.io/v1/clusterroles", { rules: [] }, { "f:rules": {} }, { rules: null }],
    ["/apis/rbac.authorization.k8s.io/v1/namespaces/ns/roles", { rules: [] }, { "f:rules": {} }, { rules: null }],
    [
      "/apis/storage.k8s.io/v1/csinodes",
      { spec: { drivers: [] } },
      { "f:spec": { "f:drivers": {} } },
      { spec: { drivers: null } },
    ],
    [
      "/apis/resource.k8s.io/v1/namespaces/ns/resourceclaimtemplates",
      { spec: { spec: { devices: { requests: [] } } } },
      { "f:spec": { "f:spec": { "f:devices": { "f:requests": {} } } } },
      { spec: { spec: { devices: {} } } },
    ],
    ["/api/v1/namespaces/ns/configmaps", { data: {} }, undefined, {}],
  ])("in %s have a manager and aren't stored", async (path, content, fields, stored) => {
    const { status, body } = await post(path, { metadata: { name: "empty" }, ...content });
    expect(status).toBe(201);
    expect(body.metadata?.managedFields?.[0]?.fieldsV1).toEqual(fields);
    expect(body).toMatchObject(stored);
  });
});
