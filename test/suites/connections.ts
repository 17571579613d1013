import { describe, expect, it } from "vitest";
import { TransportError } from "../../src/errors/errors.js";
import { ConfigMap, Namespace } from "../../src/kinds/core/v1.js";
import { throughProxy } from "./proxied.js";
import type { Target } from "./target.js";

/** Connection reuse and release. */
export function connectionsSuite(target: Target): void {
  describe("connections", () => {
    it("1,000 sequential requests use a single connection", () =>
      throughProxy(target, async (client, proxy) => {
        const namespaces = client.resource(Namespace);
        for (let count = 0; count < 1_000; count++) await namespaces.get("default");
        expect(proxy.accepted).toBe(1);
      }));

    it("of watches are closed by return()", () =>
      throughProxy(target, async (client, proxy) => {
        const maps = client.resource(ConfigMap).namespace("default");
        const watch = maps.watch({ fieldSelector: "metadata.name=none" });
        const next = watch.next();
        await until(() => proxy.open === 1);
        await watch.return();
        expect((await next).done).toBe(true);
        await until(() => proxy.open === 0);
      }));

    it("that break during a watch reject it with a TransportError", () =>
      throughProxy(target, async (client, proxy) => {
        const watch = client.resource(Namespace).watch({ fieldSelector: "metadata.name=default" });
        expect((await watch.next()).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "default" } } });
        const next = watch.next();
        proxy.drop();
        await expect(next).rejects.toBeInstanceOf(TransportError);
      }));
  });
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error("the condition didn't hold within 10 s");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
