import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../../src/client/client.js";
import type { ManifestsError } from "../../src/errors/manifests-error.js";
import { Deployment } from "../../src/kinds/apps/v1.js";
import { ConfigMap, Secret } from "../../src/kinds/core/v1.js";
import { applySet } from "../../src/manifests/apply-set.js";
import { applyManifests, deleteManifests } from "../../src/manifests/manifests.js";
import { applyConflicts } from "../../src/objects/apply-conflict.js";
import { createOrPatch, createOrUpdate } from "../../src/objects/create-or-update.js";
import { addFinalizer, removeFinalizer } from "../../src/objects/finalizers.js";
import { withController } from "../../src/objects/owner-references.js";
import { createJsonPatch } from "../../src/patch/create-json-patch.js";
import { extractApplyConfiguration, ownedFields, upgradeManagedFields } from "../../src/patch/managed-fields.js";
import { clientOf, deployment, failure, freshNamespace } from "./clients.js";
import type { Target } from "./target.js";

/** Applies, patches and manifests. */
export function clientManifestsSuite(target: Target): void {
  describe("applies and manifests:", () => manifests(target));
}

function manifests(target: Target): void {
  let client: Client;
  let namespace = "";
  beforeEach(async () => {
    client = await clientOf(target);
    if (namespace === "") namespace = await freshNamespace(client);
  });
  afterEach(() => client.close());
  const maps = () => client.resource(ConfigMap).namespace(namespace);

  it("apply conflicts are reported, owned fields extracted and client-side fields migrated", async () => {
    const deployments = client.resource(Deployment).namespace(namespace);
    await deployments.apply({ ...deployment("web", "one", 2) } as never, { fieldManager: "one" });
    await deployments.patch(
      "web",
      {
        type: "strategic",
        patch: {
          spec: { template: { spec: { containers: [{ name: "c", image: "two", env: [{ name: "A", value: "b" }] }] } } },
        },
      },
      { fieldManager: "editor" },
    );
    const error = await failure(
      deployments.apply({ ...deployment("web", "three", 3) } as never, { fieldManager: "other" }),
    );
    expect(applyConflicts(error).sort((a, b) => (a.manager < b.manager ? -1 : 1))).toEqual([
      { manager: "editor", field: '.spec.template.spec.containers[name="c"].image', apiVersion: "apps/v1" },
      { manager: "one", field: ".spec.replicas" },
    ]);
    const live = await deployments.get("web");
    expect(ownedFields(live, "one")).toContain(".spec.replicas");
    expect(ownedFields(live, "editor", { operation: "Update" })).toEqual(
      expect.arrayContaining(['.spec.template.spec.containers[name="c"].env[name="A"].value']),
    );
    const owned = extractApplyConfiguration(live, "one")!;
    expect(owned).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace },
      spec: {
        replicas: 2,
        selector: { matchLabels: { a: "web" } },
        template: { metadata: { labels: { a: "web" } }, spec: { containers: [{ name: "c" }] } },
      },
    });
    // Applying exactly the owned fields changes nothing.
    const again = await deployments.apply(owned, { fieldManager: "one" });
    expect(again.metadata?.resourceVersion).toBe(live.metadata?.resourceVersion);

    const patch = upgradeManagedFields(live, ["editor"], "one")!;
    const upgraded = await deployments.patch("web", { type: "json", operations: patch });
    expect(upgraded.metadata?.managedFields?.map((m) => `${m.manager} ${m.operation}`)).not.toContain("editor Update");
    const without = await deployments.apply({ ...deployment("web", "two", 2) } as never, { fieldManager: "one" });
    expect(without.spec?.template.spec?.containers[0]).not.toHaveProperty("env");
    expect(await failure(deployments.patch("web", { type: "json", operations: patch }))).toMatchObject({ code: 409 });
  });

  it("createJsonPatch patches by the difference of two objects, with a version guard", async () => {
    await maps().create({ metadata: { name: "diff", annotations: { "x.io/c.d": "2" } }, data: { a: "1" } });
    const before = await maps().get("diff");
    const after = {
      ...before,
      metadata: { ...before.metadata, annotations: { "x.io/c.d": "3" } },
      data: { a: "9", new: "x" },
    };
    await maps().patch("diff", { type: "json", operations: await createJsonPatch(before, after, { guard: "both" }) });
    expect((await maps().get("diff")).data).toEqual(after.data);
    expect(
      await failure(maps().patch("diff", { type: "json", operations: await createJsonPatch(before, after) })),
    ).toMatchObject({ code: 422 });
    expect(await createJsonPatch(before, before, { guard: "both" })).toEqual([]);
  });

  it("applyManifests applies definitions first, and deleteManifests deletes any kind", async () => {
    const group = "manifests.example.com";
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `things.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "things", singular: "thing", kind: "Thing" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
          },
        ],
      },
    };
    const ns = `${namespace}-m`;
    const objects = [
      { apiVersion: `${group}/v1`, kind: "Thing", metadata: { name: "t" }, spec: { x: 1 } },
      {
        apiVersion: "v1",
        kind: "List",
        items: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "b" } }, definition],
      },
      { apiVersion: "v1", kind: "Namespace", metadata: { name: ns } },
    ];
    const first = await applyManifests(client, objects, { fieldManager: "m", namespace: ns });
    expect(first.map((o) => `${o.kind} ${o.outcome} ${o.namespace ?? "-"}`)).toEqual([
      `Thing created ${ns}`,
      `ConfigMap created ${ns}`,
      "CustomResourceDefinition created -",
      "Namespace created -",
    ]);
    expect((await applyManifests(client, objects, { fieldManager: "m", namespace: ns })).map((o) => o.outcome)).toEqual(
      ["unchanged", "unchanged", "unchanged", "applied"],
    );
    const error = (await applyManifests(
      client,
      [...objects, { apiVersion: "v1", kind: "Nothing", metadata: { name: "n" } }],
      { fieldManager: "m", namespace: ns, dryRun: "All" },
    ).catch((e: unknown) => e)) as ManifestsError;
    expect(error.message).toBe(
      `apply failed for 1 of 5 objects: Nothing "n": the server doesn't serve kind Nothing in v1`,
    );
    const gone = await deleteManifests(client, objects, { namespace: ns });
    expect(gone.map((o) => o.outcome)).toEqual(["deleted", "deleted", "deleting", "deleting"]);
  });

  it("applySet prunes members that left the set", async () => {
    const parent = { name: "my-set", namespace };
    const map = (name: string, data = "1", ns?: string) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, ...(ns !== undefined && { namespace: ns }) },
      data: { data },
    });
    const other = await freshNamespace(client);
    const run = (...objects: object[]) => applySet(client, objects, { parent, namespace, fieldManager: "set" });
    expect(
      (await run(map("p-1"), map("p-2"), map("p-3", "1", other), deployment("p-4"))).map((o) => o.outcome),
    ).toEqual(["created", "created", "created", "created"]);
    await maps().create({ metadata: { name: "p-other" } });
    const secret = await client.resource(Secret).namespace(namespace).get("my-set");
    expect(secret.metadata?.annotations).toMatchObject({
      "applyset.kubernetes.io/contains-group-kinds": "ConfigMap,Deployment.apps",
      "applyset.kubernetes.io/additional-namespaces": other,
      "applyset.kubernetes.io/tooling": "kubestream/v1",
    });
    const second = await run(map("p-1", "2"));
    expect(second.map((o) => `${o.kind} ${o.name} ${o.outcome}`).sort()).toEqual([
      "ConfigMap p-1 applied",
      "ConfigMap p-2 pruned",
      "ConfigMap p-3 pruned",
      "Deployment p-4 pruned",
    ]);
    const names = (await maps().list({ fieldSelector: "metadata.name!=kube-root-ca.crt" })).items
      .map((i) => i.metadata?.name)
      .filter((n) => n?.startsWith("p-"));
    expect(names).toEqual(["p-1", "p-other"]);
    expect((await client.resource(Secret).namespace(namespace).get("my-set")).metadata?.annotations).toMatchObject({
      "applyset.kubernetes.io/contains-group-kinds": "ConfigMap",
      "applyset.kubernetes.io/additional-namespaces": "",
    });
    await expect(
      applySet(client, [], { parent: { name: "p-1", namespace, resource: "configmaps" }, fieldManager: "set" }),
    ).rejects.toThrow("is not the parent of a set");
    await expect(applySet(client, [], { parent, fieldManager: "set", tooling: "other/v1" })).rejects.toThrow(
      'managed by "kubestream/v1"',
    );
  });

  it("createOrUpdate and createOrPatch write only differences", async () => {
    const wanted =
      (v: string) =>
      (object: ConfigMap): void => {
        object.data = { ...object.data, v };
      };
    expect((await createOrUpdate(maps(), "ensured", wanted("1"))).outcome).toBe("created");
    expect((await createOrUpdate(maps(), "ensured", wanted("1"))).outcome).toBe("unchanged");
    expect((await createOrUpdate(maps(), "ensured", wanted("2"))).outcome).toBe("updated");
    expect(
      (
        await createOrPatch(maps(), "ensured", (o) => {
          o.data = { w: "3" };
        })
      ).object.data,
    ).toEqual({ w: "3" });
    const results = await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        createOrUpdate(
          maps(),
          "raced",
          (o) => {
            o.data = { ...o.data, [`k${i}`]: "x" };
          },
          { maxAttempts: 30 },
        ),
      ),
    );
    expect(results.filter((r) => r.outcome === "created")).toHaveLength(1);
    expect(Object.keys((await maps().get("raced")).data!)).toHaveLength(5);
  });

  it("finalizers and owner references are added and removed", async () => {
    await maps().create({ metadata: { name: "fin" } });
    await addFinalizer(maps(), "fin", "example.com/f");
    await maps().delete("fin");
    expect((await removeFinalizer(maps(), "fin", "example.com/f")).metadata?.finalizers ?? []).toEqual([]);
    expect(await failure(maps().get("fin"))).toMatchObject({ code: 404 });
    const owner = await maps().create({ metadata: { name: "owner" } });
    const owned = await maps().create(withController({ metadata: { name: "owned", namespace } }, owner));
    expect(owned.metadata?.ownerReferences).toEqual([
      {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "owner",
        uid: owner.metadata!.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  });
}
