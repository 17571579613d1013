import { describe, expect, it } from "vitest";
import { ConfigMap } from "../../src/kinds/core/v1.js";
import { connect } from "../../src/node/connection/connect.js";
import type { Target } from "./target.js";
import { streamsLists, withNamespace } from "./target.js";

/** Watches: events, bookmarks, ends. */
export function watchingSuite(target: Target): void {
  describe("a watch", () => {
    it("yields every change after its resourceVersion in order", () =>
      withNamespace(target, async (client, namespace) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        const list = await maps.list();
        const watch = maps.watch({
          resourceVersion: list.metadata.resourceVersion!,
          fieldSelector: "metadata.name=one",
          timeoutSeconds: 60,
        });
        await maps.create({ metadata: { name: "one" }, data: { a: "1" } });
        await maps.patch("one", { type: "merge", patch: { data: { a: "2" } } });
        await maps.delete("one");
        const seen: string[] = [];
        for await (const event of watch) {
          if (event.type === "BOOKMARK") continue;
          seen.push(`${event.type} ${event.object.data?.["a"] ?? ""}`);
          if (event.type === "DELETED") break;
        }
        expect(seen).toEqual(["ADDED 1", "MODIFIED 2", "DELETED 2"]);
      }));

    it.skipIf(!streamsLists(target))("with sendInitialEvents starts with the current objects and marks their end", () =>
      withNamespace(target, async (client, namespace) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        await maps.create({ metadata: { name: "one" } });
        await maps.create({ metadata: { name: "two" } });
        const seen: string[] = [];
        const watch = maps.watch({
          sendInitialEvents: true,
          resourceVersionMatch: "NotOlderThan",
          allowWatchBookmarks: true,
          labelSelector: "!absent",
          timeoutSeconds: 60,
        });
        for await (const event of watch) {
          seen.push(event.type === "BOOKMARK" ? "end" : (event.object.metadata?.name ?? ""));
          if (event.type === "BOOKMARK") break;
        }
        expect(seen.at(-1)).toBe("end");
        expect(seen).toEqual(expect.arrayContaining(["one", "two"]));
      }),
    );

    it("ends after timeoutSeconds and when the caller's signal aborts", () =>
      withNamespace(target, async (client, namespace) => {
        const maps = client.resource(ConfigMap).namespace(namespace);
        for await (const event of maps.watch({ resourceVersion: "0", timeoutSeconds: 1 }))
          expect(event.type).not.toBe("DELETED");
        const controller = new AbortController();
        const reason = new Error("enough");
        const next = maps.watch({ fieldSelector: "metadata.name=none", signal: controller.signal }).next();
        controller.abort(reason);
        await expect(next).rejects.toBe(reason);
      }));

    it("of an unknown kind rejects the first next() with 404", async () => {
      const client = await connect({ kubeconfig: target.kubeconfig() });
      try {
        const kind = {
          group: "none.example.test",
          version: "v1",
          kind: "Nothing",
          plural: "nothings",
          scope: "Namespaced",
        } as const;
        await expect(client.resource(kind).namespace("default").watch().next()).rejects.toMatchObject({ code: 404 });
      } finally {
        await client.close();
      }
    });
  });
}
