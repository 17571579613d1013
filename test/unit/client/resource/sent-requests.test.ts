import { describe, expect, it } from "vitest";
import { Deployment } from "../../../../src/kinds/apps/v1.js";
import { Namespace } from "../../../../src/kinds/core/v1.js";
import { bodyOf } from "../scripted-transport.js";
import { pod, setup } from "./resource-setup.js";

describe("resource handle sends the request of", () => {
  const rows: [string, (s: ReturnType<typeof setup>) => Promise<unknown>, string, unknown?, Record<string, string>?][] =
    [
      [
        "get",
        ({ pods }) => pods.get("a", { resourceVersion: "0" }),
        "GET /api/v1/namespaces/apps/pods/a?resourceVersion=0",
      ],
      [
        "get for a cluster-scoped kind",
        ({ client }) => client.resource(Namespace).get("n"),
        "GET /api/v1/namespaces/n",
      ],
      [
        "create",
        ({ pods }) =>
          pods.create({ metadata: { name: "a" } }, { fieldManager: "me", fieldValidation: "Strict", dryRun: "All" }),
        "POST /api/v1/namespaces/apps/pods?dryRun=All&fieldManager=me&fieldValidation=Strict",
        { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } },
      ],
      [
        "update",
        ({ pods }) => pods.update({ metadata: { name: "a" } }),
        "PUT /api/v1/namespaces/apps/pods/a",
        { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } },
      ],
      [
        "json patch",
        ({ pods }) => pods.patch("a", { type: "json", operations: [{ op: "remove", path: "/x" }] }),
        "PATCH /api/v1/namespaces/apps/pods/a",
        [{ op: "remove", path: "/x" }],
        { "content-type": "application/json-patch+json" },
      ],
      [
        "merge patch",
        ({ pods }) => pods.patch("a", { type: "merge", patch: { metadata: { labels: { a: null } } } }),
        "PATCH /api/v1/namespaces/apps/pods/a",
        { metadata: { labels: { a: null } } },
        { "content-type": "application/merge-patch+json" },
      ],
      [
        "strategic patch",
        ({ pods }) => pods.patch("a", { type: "strategic", patch: { spec: { priority: 3 } } }),
        "PATCH /api/v1/namespaces/apps/pods/a",
        { spec: { priority: 3 } },
        { "content-type": "application/strategic-merge-patch+json" },
      ],
      [
        "apply",
        ({ pods }) =>
          pods.apply({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" } }, { fieldManager: "me", force: true }),
        "PATCH /api/v1/namespaces/apps/pods/a?fieldManager=me&force=true",
        { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } },
        { "content-type": "application/apply-patch+yaml" },
      ],
      ["delete", ({ pods }) => pods.delete("a"), "DELETE /api/v1/namespaces/apps/pods/a"],
      [
        "delete with options",
        ({ pods }) =>
          pods.delete("a", {
            gracePeriodSeconds: 0,
            propagationPolicy: "Foreground",
            preconditions: { uid: "u" },
            dryRun: "All",
          }),
        "DELETE /api/v1/namespaces/apps/pods/a",
        {
          apiVersion: "v1",
          kind: "DeleteOptions",
          gracePeriodSeconds: 0,
          propagationPolicy: "Foreground",
          preconditions: { uid: "u" },
          dryRun: ["All"],
        },
      ],
      [
        "delete for an unreadable object",
        ({ pods }) => pods.delete("a", { ignoreStoreReadErrorWithClusterBreakingPotential: true }),
        "DELETE /api/v1/namespaces/apps/pods/a",
        { apiVersion: "v1", kind: "DeleteOptions", ignoreStoreReadErrorWithClusterBreakingPotential: true },
      ],
      [
        "deleteCollection with a shard selector",
        ({ pods }) =>
          pods.deleteCollection({
            shardSelector: "shardRange(object.metadata.uid, '0x0', '0x8')",
            fieldSelector: "spec.nodeName=n",
            limit: 0,
          }),
        "DELETE /api/v1/namespaces/apps/pods?fieldSelector=spec.nodeName%3Dn&shardSelector=shardRange(object.metadata.uid%2C%20'0x0'%2C%20'0x8')",
      ],
      [
        "delete with orphanDependents",
        ({ pods }) => pods.delete("a", { orphanDependents: true }),
        "DELETE /api/v1/namespaces/apps/pods/a",
        { apiVersion: "v1", kind: "DeleteOptions", orphanDependents: true },
      ],
      [
        "deleteCollection",
        ({ pods }) => pods.deleteCollection({ labelSelector: "a=b", limit: 3, propagationPolicy: "Orphan" }),
        "DELETE /api/v1/namespaces/apps/pods?labelSelector=a%3Db&limit=3",
        { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Orphan" },
      ],
      [
        "subresource get",
        ({ client }) => client.resource(Deployment).namespace("apps").subresource("scale").get("web"),
        "GET /apis/apps/v1/namespaces/apps/deployments/web/scale",
      ],
      [
        "subresource update",
        ({ client }) =>
          client
            .resource(Deployment)
            .namespace("apps")
            .subresource("scale")
            .update({ metadata: { name: "web" }, spec: { replicas: 3 } }),
        "PUT /apis/apps/v1/namespaces/apps/deployments/web/scale",
        { metadata: { name: "web" }, spec: { replicas: 3 } },
      ],
      [
        "subresource create",
        ({ pods }) =>
          pods
            .subresource("eviction")
            .create("a", { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } }, { dryRun: "All" }),
        "POST /api/v1/namespaces/apps/pods/a/eviction?dryRun=All",
        { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } },
      ],
      [
        "get with pretty",
        ({ pods }) => pods.get("a", { pretty: true, timeoutMs: 2000 }),
        "GET /api/v1/namespaces/apps/pods/a?pretty=true&timeout=2000ms",
      ],
      [
        "get with timeoutMs",
        ({ pods }) => pods.get("a", { timeoutMs: 1500 }),
        "GET /api/v1/namespaces/apps/pods/a?timeout=1500ms",
      ],
      [
        "get for an unreadable object",
        ({ pods }) => pods.get("a", { ignoreStoreReadErrorWithClusterBreakingPotential: true }),
        "GET /api/v1/namespaces/apps/pods/a?ignoreStoreReadErrorWithClusterBreakingPotential=true",
      ],
    ];
  it.each(rows)("%s", async (_, act, line, body, headers) => {
    const s = setup({
      body:
        line.startsWith("DELETE") && line.includes("?")
          ? { kind: "PodList", metadata: {}, items: [] }
          : { ...pod, kind: line.endsWith("/namespaces/n") ? "Namespace" : "Pod" },
    });
    await act(s);
    expect(s.transport.requests).toHaveLength(1);
    const [request] = s.transport.requests;
    expect(`${request!.method} ${request!.path}`).toBe(line);
    expect(bodyOf(request)).toEqual(body);
    expect(request!.headers).toMatchObject({ accept: "application/json", "user-agent": "kubestream", ...headers });
    expect(s.transport.open()).toBe(0);
  });
});
