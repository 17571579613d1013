import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.js";
import type { ManifestsError } from "../../../src/errors/manifests-error.js";
import { ConfigMap, Secret } from "../../../src/kinds/core/v1.js";
import { applySet } from "../../../src/manifests/apply-set.js";
import { applySetId } from "../../../src/manifests/apply-set-parent.js";
import type { Interceptor } from "../../../src/transport/transport.js";
import { scripted } from "../client/scripted-transport.js";
import { map, withServer } from "./manifest-server.js";

describe("applySet", () => {
  const parent = { name: "set", namespace: "web" };
  const run = (client: ReturnType<typeof createClient>, ...objects: object[]) =>
    applySet(client, objects, { parent, namespace: "web", fieldManager: "m" });
  const names = async (client: ReturnType<typeof createClient>): Promise<unknown> =>
    (
      await client.resource(ConfigMap).namespace("web").list({ labelSelector: "applyset.kubernetes.io/part-of" })
    ).items.map((i) => i.metadata?.name);

  it("computes the same set ID as kubectl", async () => {
    // The SHA-256 of "my-set.web.Secret." as base64 for URLs.
    expect(await applySetId({ name: "my-set", namespace: "web" }, { kind: "Secret", group: "" })).toBe(
      "applyset-7hspOdbQZ6T2cHQGSuNndS_VQkxfRlYr45h5LWzS6j8-v1",
    );
  });

  it("rejects with the signal's reason during any request", async () => {
    let asked!: () => void;
    const promise = new Promise<void>((resolve) => (asked = resolve));
    const transport = scripted({ hang: true }, { hang: true });
    const client = createClient({
      transport,
      interceptors: [
        (next) => (request) => {
          asked();
          return next(request);
        },
      ],
    });
    const controller = new AbortController();
    const pending = applySet(client, [map("a")], {
      parent,
      namespace: "web",
      fieldManager: "m",
      signal: controller.signal,
    });
    await promise;
    controller.abort("enough");
    await expect(pending).rejects.toBe("enough");
    expect(transport.requests.every(({ path }) => path.startsWith("/api"))).toBe(true);
  });

  it.each<[string, unknown, string]>([
    ["a null", null, "manifest 2 is not an object"],
    ["an object without a kind", { apiVersion: "v1", metadata: { name: "b" } }, "manifest 2: kind is required"],
    [
      "an object without a name",
      { apiVersion: "v1", kind: "ConfigMap" },
      "manifest 2 (ConfigMap): metadata.name is required",
    ],
  ])("rejects %s before it sends a request", async (_what, object, message) => {
    const transport = scripted();
    await expect(run(createClient({ transport }), map("a"), object as object)).rejects.toThrow(new TypeError(message));
    expect(transport.requests).toEqual([]);
  });

  it("prunes members that are missing from the manifests, and nothing else", () =>
    withServer(async (client) => {
      await run(client, map("a"), map("b"));
      await client
        .resource(ConfigMap)
        .namespace("web")
        .create({ metadata: { name: "stranger" } });
      expect((await run(client, map("b"))).map((o) => `${o.name} ${o.outcome}`)).toEqual(["b unchanged", "a pruned"]);
      expect(await names(client)).toEqual(["b"]);
      expect((await client.resource(ConfigMap).namespace("web").get("stranger")).metadata?.name).toBe("stranger");
      await run(client);
      expect(await names(client)).toEqual([]);
      expect((await client.resource(Secret).namespace("web").get("set")).metadata?.annotations).toMatchObject({
        "applyset.kubernetes.io/contains-group-kinds": "",
      });
    }));

  it("prunes nothing after a failed apply and keeps all members recorded", () =>
    withServer(async (client) => {
      await run(client, map("a"), map("b"));
      await expect(
        run(client, map("b"), map("c", { metadata: { name: "c", namespace: "nowhere" } })),
      ).rejects.toMatchObject({ name: "ManifestsError" });
      expect(await names(client)).toEqual(["a", "b"]);
      expect((await client.resource(Secret).namespace("web").get("set")).metadata?.annotations).toMatchObject({
        "applyset.kubernetes.io/additional-namespaces": "nowhere",
      });
    }));

  it("reports members that couldn't be pruned", () => {
    let broken = false;
    const refuse: Interceptor = (next) => (request) =>
      broken && request.method === "DELETE"
        ? Promise.resolve({
            status: 500,
            headers: new Headers({ "content-type": "application/json" }),
            body: (async function* () {
              yield new TextEncoder().encode(
                '{"kind":"Status","code":500,"reason":"InternalError","message":"webhook"}',
              );
            })(),
          })
        : next(request);
    return withServer(
      async (client) => {
        await run(client, map("a"), map("b"));
        broken = true;
        const error = (await run(client, map("b")).catch((e: unknown) => e)) as ManifestsError;
        expect(error.message).toContain("prune failed for 1 of 2 objects: delete configmaps");
        broken = false;
        expect((await run(client, map("b"))).map((o) => `${o.name} ${o.outcome}`)).toEqual(["b unchanged", "a pruned"]);
      },
      {},
      [refuse],
    );
  });

  it("doesn't prune another object that took over the name", () => {
    let swap: (() => Promise<unknown>) | undefined;
    const late: Interceptor = (next) => async (request) => {
      const act = request.method === "DELETE" ? swap : undefined;
      if (act) swap = undefined;
      await act?.();
      return next(request);
    };
    return withServer(
      async (client) => {
        const maps = client.resource(ConfigMap).namespace("web");
        await run(client, map("a"), map("b"));
        swap = async () => {
          await maps.delete("a");
          await maps.create({ metadata: { name: "a" }, data: { mine: "yes" } });
        };
        expect((await run(client, map("b"))).map((o) => `${o.name} ${o.outcome}`)).toEqual(["b unchanged", "a absent"]);
        expect((await maps.get("a")).data).toEqual({ mine: "yes" });
      },
      {},
      [late],
    );
  });

  it("overwrites its annotations if another manager changed them", () =>
    withServer(async (client) => {
      await run(client, map("a"));
      const kinds = "applyset.kubernetes.io/contains-group-kinds";
      await client
        .resource(Secret)
        .namespace("web")
        .patch(
          "set",
          { type: "merge", patch: { metadata: { annotations: { [kinds]: "ConfigMap,Pod" } } } },
          { fieldManager: "other" },
        );
      await run(client, map("b"));
      expect(await names(client)).toEqual(["b"]);
      expect((await client.resource(Secret).namespace("web").get("set")).metadata?.annotations?.[kinds]).toBe(
        "ConfigMap",
      );
    }));

  it("rejects a parent that isn't a set's", () =>
    withServer(async (client) => {
      await client
        .resource(Secret)
        .namespace("web")
        .create({ metadata: { name: "set" } });
      await expect(run(client, map("a"))).rejects.toThrow("is not the parent of a set");
      await expect(applySet(client, [], { parent: { name: "x" }, fieldManager: "m" })).rejects.toThrow(
        "options.parent.namespace is required",
      );
      await expect(
        applySet(client, [], { parent: { name: "x", namespace: "web", resource: "nothings" }, fieldManager: "m" }),
      ).rejects.toThrow("doesn't serve the resource");
      await expect(
        applySet(client, [], {
          parent: { name: "x", namespace: "web", resource: "deployments.apps" },
          fieldManager: "m",
        }),
      ).rejects.toThrow("only Secrets and ConfigMaps");
    }));
});
