import { describe, expect, it } from "vitest";
import type { Answer } from "./scenario-server.js";
import { base, maps, merge, openScenarios, pods } from "./scenario-server.js";

const { send } = openScenarios();

describe("deletion", () => {
  it.each([["uid=nope"], ["resourceVersion=1"], ["uid=nope&resourceVersion=1"]])(
    "checks the preconditions ?%s",
    async (query) => {
      await send("POST", maps, { metadata: { name: "held" } });
      expect((await send("DELETE", `${maps}/held?${query}`)).status).toBe(409);
      expect((await send("GET", `${maps}/held`)).status).toBe(200);
    },
  );

  it("stores a grace period of 0 before a pod is removed", async () => {
    const {
      body: { metadata },
    } = await send("POST", pods, {
      metadata: { name: "p" },
      spec: { nodeName: "n", containers: [{ name: "c", image: "i" }] },
    });
    await send("DELETE", `${pods}/p?gracePeriodSeconds=0`);
    const { body } = await send(
      "GET",
      `${pods}?watch=1&timeoutSeconds=1&resourceVersion=${String(metadata?.["resourceVersion"])}`,
    );
    expect(
      body.items?.map((event) => [
        (event as { type: string }).type,
        (event as { object: Answer["body"] }).object.metadata?.["deletionGracePeriodSeconds"],
      ]),
    ).toEqual([
      ["MODIFIED", 0],
      ["DELETED", 0],
    ]);
  });

  it.each([
    ["", 1],
    ["?propagationPolicy=Background", 0],
    ["?propagationPolicy=Orphan", 0],
  ])('of a Job with query "%s" warns about its pods %i times', async (query, warnings) => {
    const jobs = "/apis/batch/v1/namespaces/default/jobs";
    await send("POST", jobs, {
      metadata: { name: "j" },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    });
    expect((await send("DELETE", `${jobs}/j${query}`)).warnings).toBe(warnings);
    await send("PATCH", `${jobs}/j`, { metadata: { finalizers: null } }, { "content-type": merge });
  });
});

describe("PUT that creates an object", () => {
  it("requires the right to create", async () => {
    const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    await send("POST", `${roles}/roles`, {
      metadata: { name: "r" },
      rules: [{ apiGroups: [""], resources: ["configmaps", "endpoints"], verbs: ["update", "patch"] }],
    });
    await send("POST", `${roles}/rolebindings`, {
      metadata: { name: "r" },
      roleRef: { kind: "Role", name: "r" },
      subjects: [{ kind: "User", name: "alice" }],
    });
    const alice = { authorization: "Bearer alice" };
    expect(await send("PUT", `${base}/endpoints/none`, { metadata: { name: "none" } }, alice)).toMatchObject({
      status: 403,
      body: {
        message:
          'endpoints "none" is forbidden: User "alice" cannot create resource "endpoints" in API group "" in the namespace "default"',
      },
    });
    expect(
      (
        await send(
          "PATCH",
          `${maps}/none?fieldManager=a`,
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "none" } },
          { ...alice, "content-type": "application/apply-patch+yaml" },
        )
      ).status,
    ).toBe(403);
    expect((await send("PUT", `${maps}/held`, { metadata: { name: "held" } }, alice)).status).toBe(200);
  });
});

describe("strict field validation", () => {
  const twice = '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"},"bogus":1,"bogus":2}';
  it.each([
    ["application/json", 'duplicate field "data.a", unknown field "bogus"'],
    [
      "application/yaml",
      'yaml: unmarshal errors:\n  line 1: key "a" already set in map\n  line 1: key "bogus" already set in map, unknown field "bogus"',
    ],
  ])("of %s reports unknown and duplicate fields", async (type, problems) => {
    const { body } = await send("POST", `${maps}?fieldValidation=Strict`, twice, { "content-type": type });
    expect(body.message).toBe(
      `ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: ${problems}`,
    );
  });
});

describe("object types in bodies", () => {
  it.each([
    { apiVersion: "v1", kind: "Secret" },
    { apiVersion: "v2", kind: "ConfigMap" },
    { apiVersion: "apps/v1", kind: "Bogus" },
    { kind: [] },
  ])("%j is rejected in a create of a ConfigMap", async (body) => {
    expect((await send("POST", `${maps}?dryRun=All`, body)).status).toBe(400);
  });

  it("kind and apiVersion of DeleteOptions must be strings", async () => {
    expect((await send("DELETE", `${maps}/held?dryRun=All`, { apiVersion: {}, kind: "x" })).status).toBe(400);
  });
});

describe("patches and lists of missing objects", () => {
  it.each([
    ["application/json-patch+json", "{}", 404],
    ["application/merge-patch+json", "a: b", 404],
    ["application/strategic-merge-patch+json", "a: b", 404],
  ])("%s with body %s", async (type, body, status) => {
    expect((await send("PATCH", `${maps}/missing`, body, { "content-type": type })).status).toBe(status);
  });

  it("a GET of a future resourceVersion says when to retry", async () => {
    const { body } = await send(
      "GET",
      `${maps}?fieldSelector=metadata.name%3Da&resourceVersion=1000000&resourceVersionMatch=NotOlderThan&limit=2`,
    );
    expect(body).toMatchObject({ code: 504, details: { retryAfterSeconds: 1 } });
  });
});
