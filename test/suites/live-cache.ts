import { describe, expect, it } from "vitest";
import { createInformer } from "../../src/cache/informer/create-informer.js";
import { ConfigMap } from "../../src/kinds/core/v1.js";
import { throughProxy } from "./proxied.js";
import type { Target } from "./target.js";
import { withNamespace } from "./target.js";

/** Short backoff for tests: with the default, doubling waits would exceed the limit of `settle`. */
const impatient = { initialMs: 100, factor: 2, capMs: 1_000, jitter: 1 };

/** An informer under the worst server and network conditions, for a number of rounds. */
export function liveCacheSuite(target: Target, rounds: number): void {
  describe("a live informer", () => {
    it(
      "and a mirror of its changes equal the server's list after every disruption",
      () =>
        withNamespace(target, (direct, namespace) =>
          throughProxy(target, async (client, proxy) => {
            const writer = direct.resource(ConfigMap).namespace(namespace);
            const informer = createInformer(client.resource(ConfigMap).namespace(namespace), {
              backoff: impatient,
              refusedBackoff: impatient,
            });
            const mirror = new Map<string, string>();
            const wrong: string[] = [];
            const keyOf = (object: { metadata?: { readonly name?: string } }): string => object.metadata?.name ?? "";
            const handle = informer.addHandler((change) => {
              const key = keyOf(change.object);
              if ((change.type === "added") === mirror.has(key)) wrong.push(`${change.type} ${key}`);
              if (change.type === "deleted") mirror.delete(key);
              else
                mirror.set(
                  key,
                  `${change.object.metadata?.uid ?? ""} ${change.object.metadata?.resourceVersion ?? ""}`,
                );
            });
            try {
              for (let index = 0; index < 40; index++)
                await writer.create({ metadata: { name: nameOf(index) }, data: { round: "0" } });
              await informer.synced({ signal: AbortSignal.timeout(60_000) });
              for (let round = 1; round <= rounds; round++) {
                // All at once: connections dropped, history compacted, and names reused by other objects.
                proxy.refuse(true);
                proxy.drop();
                for (let index = round; index < 40; index += 4) {
                  await writer.delete(nameOf(index));
                  if (index % 8 !== 0)
                    await writer.create({ metadata: { name: nameOf(index) }, data: { round: String(round) } });
                }
                for (let index = 0; index < 40; index += 7)
                  await writer.apply(
                    {
                      apiVersion: "v1",
                      kind: "ConfigMap",
                      metadata: { name: nameOf(index) },
                      data: { round: String(round) },
                    },
                    { fieldManager: "suite", force: true },
                  );
                if (round % 2 === 0) await target.compact();
                proxy.refuse(false);
                const expected = new Map(
                  (await writer.list()).items.map((item) => [
                    keyOf(item),
                    `${item.metadata?.uid ?? ""} ${item.metadata?.resourceVersion ?? ""}`,
                  ]),
                );
                const shown = (): Map<string, string> =>
                  new Map(
                    informer.store
                      .list()
                      .map((item) => [
                        keyOf(item),
                        `${item.metadata?.uid ?? ""} ${item.metadata?.resourceVersion ?? ""}`,
                      ]),
                  );
                await settle(() => same(shown(), expected) && same(mirror, expected));
                expect(sorted(shown())).toEqual(sorted(expected));
                expect(sorted(mirror)).toEqual(sorted(expected));
                expect(wrong).toEqual([]);
              }
            } finally {
              handle.remove();
              await informer.close();
            }
          }),
        ),
      180_000,
    );
  });
}

function nameOf(index: number): string {
  return `map-${String(index).padStart(2, "0")}`;
}

function sorted(map: ReadonlyMap<string, string>): [string, string][] {
  return [...map].sort(([left], [right]) => (left < right ? -1 : 1));
}

function same(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean {
  return left.size === right.size && [...left].every(([key, value]) => right.get(key) === value);
}

/** Waits up to 30 s for a condition. The assertions that follow report what is missing. */
async function settle(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!condition() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 20));
}
