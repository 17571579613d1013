import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { getResponseInfo } from "../../src/client/call/response-info.js";
import type { Client } from "../../src/client/client.js";
import { withDryRun } from "../../src/client/decorators/with-dry-run.js";
import { withImpersonation } from "../../src/client/decorators/with-impersonation.js";
import { isStatus } from "../../src/client/resource/collection-handle.js";
import type { Codec } from "../../src/codec/codec.js";
import { isAlreadyExists, isConflict, isForbidden, isInvalid, isNotFound } from "../../src/errors/predicates.js";
import { Lease } from "../../src/kinds/coordination/v1.js";
import { ConfigMap, Event, Namespace, Pod, Secret } from "../../src/kinds/core/v1.js";
import { ClusterRole } from "../../src/kinds/rbac/v1.js";
import type { Warning } from "../../src/meta/options.js";
import { clientOf, encodings, failure, freshNamespace, podOf } from "./clients.js";
import { streamsLists, type Target } from "./target.js";

/** All verbs and options of the client, in every encoding. */
export function clientVerbsSuite(target: Target): void {
  describe.each(encodings)("verbs in %s:", (_, codecs) => verbs(target, codecs));
}

function verbs(target: Target, codecs: Codec[]): void {
  let client: Client;
  let namespace = "";
  beforeEach(async () => {
    client = await clientOf(target, { codecs });
    if (namespace === "") namespace = await freshNamespace(client);
  });
  afterEach(() => client.close());
  const maps = () => client.resource(ConfigMap).namespace(namespace);
  const pods = () => client.resource(Pod).namespace(namespace);

  it("create, get, update, patch and delete work on an object", async () => {
    const created = await maps().create({ metadata: { name: "a" }, data: { k: "1" } });
    expect(getResponseInfo(created)).toMatchObject({
      status: 201,
      attempts: 1,
      flowSchemaUid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      priorityLevelUid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      auditId: expect.any(String) as string,
    });
    expect(created.metadata?.managedFields?.[0]?.manager).toBe("e2e");
    expect((await failure(maps().create({ metadata: { name: "a" } }))).message).toBe(
      `create configmaps "a" in "${namespace}": 409 AlreadyExists: configmaps "a" already exists`,
    );
    expect(await failure(maps().create({ metadata: { name: "a" } }))).toSatisfy(isAlreadyExists);

    const read = await maps().get("a", { resourceVersion: "0" });
    read.data!["k"] = "2";
    const updated = await maps().update(read, { fieldManager: "other" });
    expect(updated.data).toEqual({ k: "2" });
    expect(await failure(maps().update(created))).toSatisfy(isConflict);

    expect(
      (
        await maps().patch("a", {
          type: "json",
          operations: [
            { op: "test", path: "/data/k", value: "2" },
            { op: "add", path: "/data/j", value: "3" },
          ],
        })
      ).data,
    ).toEqual({ k: "2", j: "3" });
    expect((await maps().patch("a", { type: "merge", patch: { data: { j: null } } })).data).toEqual({ k: "2" });
    expect((await maps().patch("a", { type: "strategic", patch: { data: { s: "4" } } })).data).toEqual({
      k: "2",
      s: "4",
    });
    expect(
      await failure(maps().patch("a", { type: "json", operations: [{ op: "test", path: "/data/k", value: "no" }] })),
    ).toSatisfy(isInvalid);

    const dry = await maps().delete("a", { dryRun: "All" });
    expect(isStatus(dry)).toBe(true);
    expect(
      await failure(maps().delete("a", { preconditions: { uid: "00000000-0000-0000-0000-000000000000" } })),
    ).toSatisfy(isConflict);
    const gone = await maps().delete("a", {
      preconditions: {
        uid: created.metadata!.uid!,
        resourceVersion: (await maps().get("a")).metadata!.resourceVersion!,
      },
      propagationPolicy: "Background",
      gracePeriodSeconds: 0,
    });
    expect(isStatus(gone) && gone.details?.uid).toBe(created.metadata!.uid);
    expect(await failure(maps().get("a"))).toSatisfy(isNotFound);
  });

  it("apply reports conflicts and takes fields over with force", async () => {
    const apply = (manager: string, k: string, force?: boolean) =>
      maps().apply(
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" }, data: { k } },
        { fieldManager: manager, ...(force && { force }) },
      );
    expect(getResponseInfo(await apply("one", "1"))?.status).toBe(201);
    const conflict = await failure(apply("two", "2"));
    expect(conflict).toSatisfy(isConflict);
    expect(conflict.details?.causes).toMatchObject([{ reason: "FieldManagerConflict", field: ".data.k" }]);
    expect((await apply("two", "2", true)).data).toEqual({ k: "2" });
  });

  it("update with a function survives concurrent writes", async () => {
    await maps().create({ metadata: { name: "counter" }, data: { n: "0" } });
    await Promise.all(
      Array.from({ length: 4 }, () =>
        maps().update(
          "counter",
          (object) => {
            object.data!["n"] = String(Number(object.data!["n"]) + 1);
          },
          { maxAttempts: 30 },
        ),
      ),
    );
    expect((await maps().get("counter")).data).toEqual({ n: "4" });
  });

  it("delete returns the object while finalizers hold it back", async () => {
    await maps().create({ metadata: { name: "held", finalizers: ["example.com/hold"] } });
    const going = await maps().delete("held");
    expect(isStatus(going)).toBe(false);
    expect(!isStatus(going) && going.metadata?.deletionTimestamp).toBeTruthy();
    await maps().patch("held", { type: "merge", patch: { metadata: { finalizers: null } } });
    expect(await failure(maps().get("held"))).toSatisfy(isNotFound);
  });

  it("lists report remaining items, and deleteCollection deletes by selector", async () => {
    const ns = await freshNamespace(client);
    const many = client.resource(Secret).namespace(ns);
    for (let i = 0; i < 7; i++) await many.create({ metadata: { name: `m-${i}`, labels: { half: String(i % 2) } } });
    const counts: unknown[] = [];
    for await (const page of many.pages({ limit: 3 }))
      counts.push([page.items.length, page.metadata.remainingItemCount]);
    expect(counts).toEqual([
      [3, 4],
      [3, 1],
      [1, undefined],
    ]);
    const names: unknown[] = [];
    for await (const item of many.items({ limit: 2, labelSelector: "half=1" })) names.push(item.metadata?.name);
    expect(names).toEqual(["m-1", "m-3", "m-5"]);
    const { metadata } = await many.list({ limit: 1 });
    for (const options of [
      { resourceVersion: "0" },
      { resourceVersion: metadata.resourceVersion!, resourceVersionMatch: "NotOlderThan" },
      { resourceVersion: metadata.resourceVersion!, resourceVersionMatch: "Exact" },
      { fieldSelector: "metadata.name=m-3", timeoutSeconds: 5 },
    ] as const) {
      expect((await many.list(options)).items.length, JSON.stringify(options)).toBe("fieldSelector" in options ? 1 : 7);
    }
    let sliced = 0;
    for await (const slice of many.listChunks()) sliced += slice.items.length;
    expect(sliced).toBe(7);
    const deleted = await many.deleteCollection({ labelSelector: "half=0" });
    expect(!isStatus(deleted) && deleted.items.length).toBe(4);
    expect((await many.list()).items.map((i) => i.metadata?.name)).toEqual(["m-1", "m-3", "m-5"]);
    expect(await failure(many.list({ limit: 1, continue: "nonsense" }))).toMatchObject({ code: 400 });
  });

  it("watch starts from a version and rejects an invalid one", async () => {
    const ns = await freshNamespace(client);
    const own = client.resource(Secret).namespace(ns);
    await own.create({ metadata: { name: "a" } });
    const { metadata } = await own.list();
    const types: string[] = [];
    await own.create({ metadata: { name: "b" } });
    await own.patch("b", { type: "merge", patch: { data: { x: "eQ==" } } });
    await own.delete("b");
    for await (const event of own.watch({ resourceVersion: metadata.resourceVersion!, timeoutSeconds: 30 })) {
      types.push(event.type);
      if (types.length === 3) break;
    }
    expect(types).toEqual(["ADDED", "MODIFIED", "DELETED"]);
    const ended: string[] = [];
    for await (const event of own.watch({ resourceVersion: metadata.resourceVersion!, timeoutSeconds: 1 }))
      ended.push(event.type);
    expect(ended).toEqual(["ADDED", "MODIFIED", "DELETED"]);
    await failure(client.resource(Event).namespace(ns).watch({ resourceVersion: "not-a-version" }).next());
  });

  it.skipIf(!streamsLists(target))("watch starts from initial events, of objects and of tables", async () => {
    const own = client.resource(Secret).namespace(await freshNamespace(client));
    await own.create({ metadata: { name: "a" } });
    const initial: string[] = [];
    for await (const event of own.watch({
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: true,
      timeoutSeconds: 30,
    })) {
      initial.push(event.type);
      if (event.type === "BOOKMARK") {
        expect(event.object.metadata.annotations).toMatchObject({ "k8s.io/initial-events-end": "true" });
        break;
      }
    }
    expect(initial).toEqual(["ADDED", "BOOKMARK"]);
    for await (const event of own.asTable().watch({
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan",
      allowWatchBookmarks: true,
      timeoutSeconds: 20,
    })) {
      if (event.type === "BOOKMARK") {
        expect(event.object.metadata.resourceVersion).toMatch(/^\d+$/);
        break;
      }
    }
  });

  it("asTable and metadataOnly work with get, list, watch and delete", async () => {
    await pods().create(podOf("shown", { app: "x" }));
    const table = await pods().asTable({ includeObject: "Object" }).list({ labelSelector: "app=x" });
    expect(table.items[0]).toMatchObject({
      metadata: { name: "shown" },
      object: { spec: { containers: [{ name: "c" }] } },
    });
    expect(table.items[0]!.columns.map((c) => c.name)).toContain("Ready");
    expect((await pods().asTable().get("shown")).rows[0]).toMatchObject({
      metadata: { name: "shown" },
      object: { kind: "PartialObjectMetadata" },
    });
    const meta = await pods().metadataOnly().list({ labelSelector: "app=x" });
    expect(Object.keys(meta.items[0]!)).toEqual(expect.arrayContaining(["metadata"]));
    expect(meta.items[0]).not.toHaveProperty("spec");
    expect(await pods().metadataOnly().get("shown")).toMatchObject({
      kind: "PartialObjectMetadata",
      metadata: { labels: { app: "x" } },
    });
    for (const view of [pods().metadataOnly(), pods().asTable()]) {
      for await (const event of view.watch({ labelSelector: "app=x", timeoutSeconds: 20 })) {
        expect(event).toMatchObject({ type: "ADDED", object: { metadata: { name: "shown" } } });
        break;
      }
    }
    expect(await pods().metadataOnly().delete("shown", { gracePeriodSeconds: 0 })).toMatchObject({
      kind: "PartialObjectMetadata",
    });
  });

  it("fieldValidation warns or rejects, and withDryRun stores nothing", async () => {
    const warnings: Warning[] = [];
    const unknown = { metadata: { name: "w" }, nope: 1 } as ConfigMap;
    const created = await maps().create(unknown, {
      fieldValidation: "Warn",
      onWarning: (w) => warnings.push(w),
      dryRun: "All",
    });
    // The wording of a real server differs for CBOR.
    expect(warnings).toEqual([{ code: 299, agent: "-", text: expect.stringContaining("unknown field") as string }]);
    expect(getResponseInfo(created)?.warnings).toEqual(warnings);
    expect(await failure(maps().create(unknown, { fieldValidation: "Strict" }))).toMatchObject({ code: 400 });
    await withDryRun(client)
      .resource(ConfigMap)
      .namespace(namespace)
      .create({ metadata: { name: "dry" } });
    expect(await failure(maps().get("dry"))).toSatisfy(isNotFound);
  });

  it("withImpersonation applies the permissions of the user and its groups", async () => {
    const jane = withImpersonation(client, {
      user: "jane",
      groups: ["dev", "system:masters"],
      extra: { "example.com/scope": ["a", "b"] },
    });
    await jane.resource(ConfigMap).namespace(namespace).list();
    const joe = withImpersonation(client, { user: "joe", groups: ["dev, system:masters"] });
    const refused = await failure(joe.resource(ConfigMap).namespace(namespace).list());
    expect(refused).toSatisfy(isForbidden);
    expect(refused.message).toMatch(
      /^list configmaps in "e2e-.*": 403 Forbidden: configmaps is forbidden: User "joe" cannot list/,
    );
    expect(refused.flowSchemaUid).toBeDefined();
    const alice = await clientOf(target, { context: "alice", codecs });
    expect(await failure(alice.resource(Namespace).list())).toSatisfy(isForbidden);
    await alice.close();
  });

  it("names that need escaping work, and unknown versions and groups are 404", async () => {
    await client.resource(ClusterRole).create({ metadata: { name: "e2e:role with+odd?chars#" }, rules: [] });
    expect((await client.resource(ClusterRole).get("e2e:role with+odd?chars#")).metadata?.name).toBe(
      "e2e:role with+odd?chars#",
    );
    await client.resource(ClusterRole).delete("e2e:role with+odd?chars#");
    expect(
      await failure(
        client
          .resource({ ...Lease, version: "v9" })
          .namespace(namespace)
          .get("a"),
      ),
    ).toMatchObject({ code: 404, reason: "NotFound" });
    expect(
      await failure(
        client
          .resource({ ...Lease, group: "no.such.group" })
          .namespace(namespace)
          .get("a"),
      ),
    ).toMatchObject({ code: 404, message: expect.stringContaining("404 page not found") as string });
  });

  it("client.request reads any other path", async () => {
    expect(await (await client.request({ path: "/version" })).json()).toMatchObject({ minor: String(target.minor) });
    expect(await (await client.request({ path: "/readyz", query: { verbose: true }, accept: "*/*" })).text()).toContain(
      "readyz check passed",
    );
    await expect(client.request({ path: "/../etc" })).rejects.toThrow(TypeError);
    expect(await failure(client.request({ path: "/nothing" }))).toMatchObject({ code: 404 });
  });
}
