import { describe, expect, it } from "vitest";
import { isAlreadyExists, isConflict, isForbidden, isInvalid, isNotFound } from "../../src/errors/predicates.js";
import type { StatusError } from "../../src/errors/status-error.js";
import { Deployment } from "../../src/kinds/apps/v1.js";
import { ConfigMap } from "../../src/kinds/core/v1.js";
import { connect } from "../../src/node/connection/connect.js";
import type { Target } from "./target.js";
import { forEachOf, withNamespace } from "./target.js";

/** Verbs on single objects and collections, and their errors. */
export function objectsSuite(target: Target): void {
  describe("objects", () => {
    it("are created, read, replaced, patched and deleted", () =>
      withNamespace(target, async (client, namespace) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        const created = await maps.create({ metadata: { name: "one" }, data: { a: "1" } });
        expect(created).toMatchObject({
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "one", namespace },
          data: { a: "1" },
        });
        expect(await maps.get("one")).toEqual(created);
        const updated = await maps.update({ ...created, data: { a: "2", b: "3" } });
        expect(updated.metadata?.uid).toBe(created.metadata?.uid);
        expect(updated.metadata?.resourceVersion).not.toBe(created.metadata?.resourceVersion);
        const merged = await maps.patch("one", { type: "merge", patch: { data: { a: null, c: "4" } } });
        expect(merged.data).toEqual({ b: "3", c: "4" });
        const patched = await maps.patch("one", {
          type: "json",
          operations: [
            { op: "test", path: "/data/b", value: "3" },
            { op: "replace", path: "/data/b", value: "5" },
          ],
        });
        expect(patched.data).toEqual({ b: "5", c: "4" });
        await maps.delete("one");
        await expect(maps.get("one")).rejects.toSatisfy(isNotFound);
      }));

    it("are rejected with AlreadyExists, Conflict, Invalid, NotFound or a TypeError", () =>
      withNamespace(target, async (client, namespace) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        const created = await maps.create({ metadata: { name: "one" } });
        await expect(maps.create({ metadata: { name: "one" } })).rejects.toSatisfy(isAlreadyExists);
        await maps.update({ ...created, data: { a: "1" } });
        await expect(maps.update({ ...created, data: { a: "2" } })).rejects.toSatisfy(isConflict);
        const failure = await maps.create({ metadata: { name: "Not_A_Name" } }).then(
          () => undefined,
          (error: unknown) => error as StatusError,
        );
        expect(failure).toSatisfy(isInvalid);
        expect(failure?.code).toBe(422);
        expect(failure?.details?.causes?.[0]?.field).toBe("metadata.name");
        await expect(
          client
            .resource(ConfigMap)
            .namespace("no-such-namespace")
            .create({ metadata: { name: "one" } }),
        ).rejects.toSatisfy(isNotFound);
        for (const name of ["", "a/b", "..", ".", "a%2fb"])
          await expect((async () => maps.get(name))()).rejects.toBeInstanceOf(TypeError);
      }));

    it("are forbidden without permission, and the error doesn't contain the token", async () => {
      const client = await connect({ kubeconfig: target.kubeconfig(), context: "alice" });
      try {
        const failure = await client
          .resource(ConfigMap)
          .namespace("default")
          .list()
          .then(
            () => undefined,
            (error: unknown) => error as StatusError,
          );
        expect(failure).toSatisfy(isForbidden);
        expect(failure?.status.message).toContain('User "alice" cannot list resource "configmaps"');
        expect(JSON.stringify(failure) + String(failure?.stack)).not.toContain("alice-token");
      } finally {
        await client.close();
      }
    });

    it("are changed through subresources", () =>
      withNamespace(target, async (client, namespace) => {
        const deployments = client.resource(Deployment).namespace(namespace);
        const labels = { app: "web" };
        await deployments.create({
          metadata: { name: "web" },
          spec: {
            replicas: 1,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "web:1" }] } },
          },
        });
        const scale = await deployments.subresource("scale").get("web");
        expect(scale.spec?.replicas).toBe(1);
        await deployments.subresource("scale").patch("web", { type: "merge", patch: { spec: { replicas: 3 } } });
        const strategic = await deployments.patch("web", {
          type: "strategic",
          patch: { spec: { template: { spec: { containers: [{ name: "main", image: "web:2" }] } } } },
        });
        expect(strategic.spec).toMatchObject({
          replicas: 3,
          template: { spec: { containers: [{ name: "main", image: "web:2", imagePullPolicy: "IfNotPresent" }] } },
        });
        const status = await deployments
          .subresource("status")
          .patch("web", { type: "merge", patch: { status: { replicas: 3 } } });
        expect(status.status?.replicas).toBe(3);
        expect(status.metadata?.generation).toBe(strategic.metadata?.generation);
      }));

    it("are applied with field ownership", () =>
      withNamespace(target, async (client, namespace) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        const applied = await maps.apply(
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" }, data: { a: "1", b: "2" } },
          { fieldManager: "first" },
        );
        expect(applied.metadata?.managedFields?.map((entry) => [entry.manager, entry.operation])).toEqual([
          ["first", "Apply"],
        ]);
        const other = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" }, data: { a: "9" } } as const;
        const failure = await maps.apply(other, { fieldManager: "second" }).then(
          () => undefined,
          (error: unknown) => error as StatusError,
        );
        expect(failure).toSatisfy(isConflict);
        expect(failure?.details?.causes).toMatchObject([{ reason: "FieldManagerConflict", field: ".data.a" }]);
        expect((await maps.apply(other, { fieldManager: "second", force: true })).data).toEqual({ a: "9", b: "2" });
        const left = await maps.apply(
          { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } },
          { fieldManager: "first" },
        );
        expect(left.data).toEqual({ a: "9" });
      }));

    it("keep unknown fields through update with a function", () =>
      withNamespace(target, async (client, namespace) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        await maps.create({
          metadata: { name: "one", annotations: { "example.test/x": "y" } },
          data: { __proto__x: "1", constructor: "2" },
        });
        const changed = await maps.update("one", (object) => {
          object.data = { ...object.data, more: "3" };
        });
        expect(changed.data).toEqual({ __proto__x: "1", constructor: "2", more: "3" });
        expect(changed.metadata?.annotations).toMatchObject({ "example.test/x": "y" });
      }));

    it("are selected by labels and deleted as a collection", () =>
      withNamespace(target, async (client, namespace) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        await forEachOf(6, (index) =>
          maps.create({ metadata: { name: `m${String(index)}`, labels: { half: index % 2 === 0 ? "even" : "odd" } } }),
        );
        const even = await maps.list({ labelSelector: "half=even" });
        expect(even.items.map((item) => item.metadata?.name)).toEqual(["m0", "m2", "m4"]);
        await maps.deleteCollection({ labelSelector: "half=even" });
        expect((await maps.list({ labelSelector: "half" })).items.map((item) => item.metadata?.name)).toEqual([
          "m1",
          "m3",
          "m5",
        ]);
        expect((await maps.list({ fieldSelector: "metadata.name=m3" })).items).toHaveLength(1);
      }));

    it("are not stored by a dry run", () =>
      withNamespace(target, async (client, namespace) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        expect((await maps.create({ metadata: { name: "one" } }, { dryRun: "All" })).metadata?.uid).toBeDefined();
        await expect(maps.get("one")).rejects.toSatisfy(isNotFound);
      }));

    it("are listed as metadata and as a table", () =>
      withNamespace(target, async (client, namespace) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        await maps.create({ metadata: { name: "one" }, data: { a: "1" } });
        const [meta] = (await maps.metadataOnly().list({ fieldSelector: "metadata.name=one" })).items;
        expect(meta?.metadata?.name).toBe("one");
        expect(meta).not.toHaveProperty("data");
        const [row] = (await maps.asTable().list({ fieldSelector: "metadata.name=one" })).items;
        expect(JSON.stringify(row)).toContain('"one"');
      }));
  });
}
