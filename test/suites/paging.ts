import { describe, expect, it } from "vitest";
import { isGone, isResourceExpired } from "../../src/errors/predicates.js";
import { Secret } from "../../src/kinds/core/v1.js";
import type { Target } from "./target.js";
import { forEachOf, withNamespace } from "./target.js";

/** Paged lists. */
export function pagingSuite(target: Target): void {
  describe("pages", () => {
    it("of 100 list 1,200 objects in 12 requests with remaining counts", () =>
      withNamespace(target, async (client, namespace) => {
        const maps = client.resource(Secret).namespace(namespace);
        // Not ConfigMaps, because every namespace has one with the root certificate.
        await forEachOf(1_200, (index) => maps.create({ metadata: { name: `map-${String(index).padStart(4, "0")}` } }));
        const sizes: number[] = [];
        const remaining: (number | undefined)[] = [];
        const versions = new Set<string | undefined>();
        for await (const page of maps.pages({ limit: 100 })) {
          sizes.push(page.items.length);
          remaining.push(page.metadata.remainingItemCount);
          versions.add(page.metadata.resourceVersion);
        }
        expect(sizes).toEqual(Array.from({ length: 12 }, () => 100));
        expect(remaining).toEqual([1100, 1000, 900, 800, 700, 600, 500, 400, 300, 200, 100, undefined]);
        expect(versions.size).toBe(1);

        const names: string[] = [];
        for await (const item of maps.items({ limit: 250 })) names.push(item.metadata?.name ?? "");
        expect(names).toEqual(Array.from({ length: 1_200 }, (_, index) => `map-${String(index).padStart(4, "0")}`));

        let seen = 0;
        for await (const item of maps.items({ limit: 100 })) {
          seen++;
          if (item.metadata?.name === "map-0149") break;
        }
        expect(seen).toBe(150);
        await maps.deleteCollection();
      }));

    it("with an expired continue token are rejected with 410", () =>
      withNamespace(target, async (client, namespace) => {
        const maps = client.resource(Secret).namespace(namespace);
        await forEachOf(4, (index) => maps.create({ metadata: { name: `map-${String(index)}` } }));
        const first = await maps.list({ limit: 2 });
        await maps.create({ metadata: { name: "later" } });
        await target.compact();
        const failure = await expectExpired(() => maps.list({ limit: 2, continue: first.metadata.continue! }));
        expect(isGone(failure) || isResourceExpired(failure)).toBe(true);
      }));
  });
}

/** Repeats a request until it fails: a real server may notice a compaction only after some seconds. */
async function expectExpired(request: () => Promise<unknown>): Promise<unknown> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const failure = await request().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure !== undefined) return failure;
    if (Date.now() > deadline) throw new Error("the continue token did not expire");
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
