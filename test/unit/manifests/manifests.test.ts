import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.js";
import { withFieldManager } from "../../../src/client/decorators/with-field-manager.js";
import type { DynamicObject } from "../../../src/client/resource/collection-handle.js";
import type { ManifestsError } from "../../../src/errors/manifests-error.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { applySet } from "../../../src/manifests/apply-set.js";
import { getManifestSource } from "../../../src/manifests/manifest.js";
import { applyManifests, deleteManifests } from "../../../src/manifests/manifests.js";
import { parseManifests } from "../../../src/manifests/parse-manifests.js";
import { applyConflicts } from "../../../src/objects/apply-conflict.js";
import { map, withServer } from "./manifest-server.js";

const named = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n";

describe("manifests:", () => {
  it("getManifestSource returns file, document and line, also for the items of a list", async () => {
    const text = `${named}---\n# a list\n${named.replace("Pod", "List")}items: [{apiVersion: v1, kind: Pod, metadata: {name: b}}]`;
    const objects = await parseManifests(text, { source: "f.yaml" });
    expect(objects.map(getManifestSource)).toEqual([
      { name: "f.yaml", document: 1, line: 1 },
      { name: "f.yaml", document: 2, line: 6 },
    ]);
    expect((await parseManifests(named)).map(getManifestSource)).toEqual([{ document: 1, line: 1 }]);
    expect(getManifestSource({ ...objects[0] })).toBeUndefined();
  });

  it("outcomes name the file of each object, and so does the error of a failed one", () =>
    withServer(async (client) => {
      const source = { name: "app.yaml", document: 1, line: 2 };
      const text = "# a comment\napiVersion: v1\nkind: Thing\nmetadata: {name: a}\n";
      const objects = await parseManifests(text, { source: "app.yaml" });
      const options = { namespace: "web", fieldManager: "m" };
      const parent = { name: "set", namespace: "web" };
      for (const act of [
        () => applyManifests(client, objects, options),
        () => applySet(client, objects, { ...options, parent }),
      ]) {
        const error = (await act().catch((e: unknown) => e)) as ManifestsError;
        expect(error.message).toBe(
          `apply failed for 1 of 1 objects: app.yaml: line 2: Thing "a": the server doesn't serve kind Thing in v1`,
        );
        expect(error.outcomes).toMatchObject([{ kind: "Thing", outcome: "failed", source }]);
      }
      expect(await deleteManifests(client, objects, { namespace: "web" })).toMatchObject([
        { outcome: "absent", source },
      ]);
    }));

  it("applyManifests reports what it created, changed and left as it was", () =>
    withServer(async (client) => {
      const options = { namespace: "web", fieldManager: "m" };
      const apply = async (more: object, extra: object = {}, as = client) =>
        (await applyManifests(as, [map("a", more)], { ...options, ...extra }))[0]!.outcome;
      expect(await apply({})).toBe("created");
      expect(await apply({})).toBe("unchanged");
      expect(await apply({ data: { a: "2" } })).toBe("applied");
      expect(await apply({ data: { a: "2" } })).toBe("unchanged");
      expect(await apply({ data: { a: "2" } }, { dryRun: "All" })).toBe("applied");
    }));

  it("applyManifests reports a change if it may not read the object", () =>
    withServer(async (client, { faults }) => {
      faults.add({ match: { verb: "get", resource: "configmaps" }, effect: { type: "status", code: 403 } });
      const run = () => applyManifests(client, [map("a")], { namespace: "web", fieldManager: "m" });
      expect((await run())[0]!.outcome).toBe("created");
      expect((await run())[0]!.outcome).toBe("applied");
    }));

  it("parseManifests reads YAML with several documents", async () => {
    expect(
      await parseManifests(
        "# nothing\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {on: 'yes'}\n---\n---\napiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: b}}\n",
      ),
    ).toMatchObject([{ kind: "ConfigMap" }, { kind: "Pod", metadata: { name: "b" } }]);
    expect(await parseManifests("")).toEqual([]);
    const [pod] = await parseManifests('{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}');
    // Types say that a manifest has a kind and a name.
    expect([pod!.apiVersion.length, pod!.kind.length, pod!.metadata.name.length]).toEqual([2, 3, 1]);
  });

  it.each(["", " ", "\n", "\n---\n"])("parseManifests reads JSON objects separated by %j", async (between) => {
    const pod = (name: string): string => JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name } });
    const pods = await parseManifests(["a", "b", "c"].map(pod).join(between));
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c"]);
  });

  it.each([
    ['{"a":1}[]', "f.yaml: line 1: did not find expected <document start>"],
    ['{"a":1}\n{"b"', /^f\.yaml: line 2/],
    ["a: [", /^f\.yaml: line 1/],
    ["just text", "f.yaml: line 1: document 1 is not an object"],
    ["kind: Pod", "f.yaml: line 1: document 1: apiVersion is required"],
    ["# text\n\napiVersion: v1\nkind: ''\n", "f.yaml: line 3: document 1: kind is required"],
    [`${named}---\n- 1`, "f.yaml: line 5: document 2 is not an object"],
    ["apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}", "line 1: document 1 (Pod): metadata.name is required"],
    [
      `${named}---\napiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: a}}, null]`,
      "f.yaml: line 5: document 2, item 2 is not an object",
    ],
  ])("parseManifests rejects %j", async (text, message) => {
    await expect(parseManifests(text, { source: "f.yaml" })).rejects.toThrow(message);
    await expect(parseManifests(text, { source: "f.yaml" })).rejects.toMatchObject({ name: "ConfigError" });
  });

  it.each([
    [null, "manifest 1 is not an object"],
    [7, "manifest 1 is not an object"],
    [{ kind: "Pod", metadata: { name: "a" } }, "manifest 1: apiVersion is required"],
    [{ apiVersion: "v1", metadata: { name: "a" } }, "manifest 1: kind is required"],
    [{ apiVersion: "v1", kind: "Pod", metadata: {} }, "manifest 1 (Pod): metadata.name is required"],
  ])("applyManifests rejects %j before it applies anything", (bad, message) =>
    withServer(async (client) => {
      await expect(applyManifests(client, [bad as never], { fieldManager: "m" })).rejects.toThrow(message);
      await expect(
        applyManifests(client, [map("fine"), bad as never], { fieldManager: "m", namespace: "web" }),
      ).rejects.toThrow(message.replace("1", "2"));
      expect(
        (await client.resource(ConfigMap).namespace("web").list({ fieldSelector: "metadata.name=fine" })).items,
      ).toEqual([]);
    }),
  );

  it("applyManifests applies the other objects if some fail, and reports all outcomes", () =>
    withServer(async (client) => {
      const error = (await applyManifests(
        client,
        [
          map("a"),
          map("b", { metadata: { name: "b", namespace: "nowhere" } }),
          { apiVersion: "v1", kind: "Namespace", metadata: { name: "n", namespace: "web" } },
          map("c"),
        ],
        { fieldManager: "m", namespace: "web" },
      ).catch((e: unknown) => e)) as ManifestsError;
      expect(error.name).toBe("ManifestsError");
      expect(error.outcomes.map((o) => `${o.name} ${o.outcome}`)).toEqual([
        "a created",
        "b failed",
        "n failed",
        "c created",
      ]);
      expect(error.message).toMatch(/^apply failed for 2 of 4 objects: .* \(and 1 more\)$/);
    }));

  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "gears.m.dev" },
    spec: {
      group: "m.dev",
      scope: "Namespaced",
      names: { plural: "gears", kind: "Gear" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        { name: "v0", served: false, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  };
  const parent = { name: "set", namespace: "web" };
  const appliers = {
    applyManifests,
    applySet: (client: ReturnType<typeof createClient>, objects: never, options: object) =>
      applySet(client, objects, { ...options, parent } as never),
  } as const;

  it.each(Object.entries(appliers))("%s waits until the kinds of an applied definition are served", (_, apply) =>
    withServer(async (client) => {
      expect(await apply(client, [crd] as never, { fieldManager: "m" })).toMatchObject([{ outcome: "created" }]);
      await client.request({ path: "/apis/m.dev/v1/namespaces/web/gears", action: "list gears" });
    }),
  );

  it.each(Object.entries(appliers))(
    "%s fails a definition whose kinds aren't served in time, and names the kind",
    (_, apply) =>
      withServer(async (client) => {
        const rival = {
          ...crd,
          metadata: { name: "wheels.m.dev" },
          spec: { ...crd.spec, names: { plural: "wheels", kind: "Gear" } },
        };
        await apply(client, [crd] as never, { fieldManager: "m" });
        const taken = { ...rival, spec: { ...rival.spec, versions: [{ ...crd.spec.versions[0]!, name: "v2" }] } };
        await expect(
          apply(client, [taken] as never, { fieldManager: "m", dependencyTimeoutMs: 50 }),
        ).rejects.toMatchObject({
          outcomes: [{ outcome: "failed" }],
          message: expect.stringContaining(
            'CustomResourceDefinition "wheels.m.dev" was applied, but the server doesn\'t serve m.dev/v2 Gear after 50 ms',
          ) as string,
        });
      }),
  );

  it("applyManifests doesn't wait for a definition in a dry run", () =>
    withServer(async (client) => {
      expect(await applyManifests(client, [crd], { fieldManager: "m", dryRun: "All" })).toHaveLength(1);
    }));

  it("applyManifests and applySet default to the client's field manager", () =>
    withServer(async (client) => {
      const mine = withFieldManager(client, "mine");
      const [one] = await applyManifests(mine, [map("a")], { namespace: "web" });
      const [other] = await applySet(mine, [map("b")], { namespace: "web", parent: { name: "set", namespace: "web" } });
      const [named] = await applyManifests(mine, [map("c")], { namespace: "web", fieldManager: "other" });
      expect(
        [one, other, named].map((each) =>
          (each!.object as DynamicObject).metadata!.managedFields!.map(({ manager }) => manager),
        ),
      ).toEqual([["mine"], ["mine"], ["other"]]);
      // @ts-expect-error A client without a field manager needs one.
      await expect(applyManifests(client, [map("d")], { namespace: "web" })).rejects.toMatchObject({
        outcomes: [
          {
            outcome: "failed",
            error: expect.objectContaining({
              message: expect.stringContaining("options.fieldManager is required") as string,
            }) as object,
          },
        ],
      });
    }));

  it("applyConflicts returns the conflicting fields and managers of all objects", () =>
    withServer(async (client) => {
      const maps = [map("a"), map("b")];
      await applyManifests(client, maps, { namespace: "web", fieldManager: "first" });
      const error = await applyManifests(
        client,
        maps.map((each) => ({ ...each, data: { a: "2" } })),
        { namespace: "web", fieldManager: "second" },
      ).catch((e: unknown) => e);
      expect(applyConflicts(error)).toEqual([
        { manager: "first", field: ".data.a" },
        { manager: "first", field: ".data.a" },
      ]);
    }));

  it("applyManifests requires a namespace in the object or the options", () =>
    withServer(async (client) => {
      await expect(applyManifests(client, [map("a")], { fieldManager: "m" })).rejects.toThrow(
        "metadata.namespace or options.namespace is required",
      );
    }));

  it("deleteManifests deletes in reverse order and reports missing objects as absent", () =>
    withServer(async (client) => {
      const objects = [
        map("a"),
        map("gone"),
        { apiVersion: "never.example.com/v1", kind: "Thing", metadata: { name: "t" } },
      ];
      await applyManifests(client, [objects[0]!], { fieldManager: "m", namespace: "web" });
      expect((await deleteManifests(client, objects, { namespace: "web" })).map((o) => o.outcome)).toEqual([
        "deleted",
        "absent",
        "absent",
      ]);
    }));
});
