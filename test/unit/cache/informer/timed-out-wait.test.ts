import { describe, expect, it, vi } from "vitest";
import { mergeInformers } from "../../../../src/cache/combine/merge-informers.js";
import { createInformer } from "../../../../src/cache/informer/create-informer.js";
import type { Informer, WaitOptions } from "../../../../src/cache/informer/informer.js";
import { waitForStore } from "../../../../src/cache/informer/wait-for.js";
import { createClient } from "../../../../src/client/client.js";
import { KubestreamError } from "../../../../src/errors/kubestream-error.js";
import type { Pod } from "../../../../src/kinds/core/v1.js";
import { Pod as PodKind } from "../../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../../src/transport/handler.js";

/** Informer of a server that answers 500, or not at all. */
function informerOf(answers: boolean): Informer<Pod> {
  const transport = handlerTransport(() =>
    answers ? Promise.resolve(new Response("the disk is full", { status: 500 })) : new Promise(() => undefined),
  );
  return createInformer(createClient({ transport, retry: false }).resource(PodKind).namespace("web"));
}

const limits: readonly (readonly [string, () => WaitOptions])[] = [
  ["timeoutMs", () => ({ timeoutMs: 200 })],
  ["AbortSignal.timeout", () => ({ signal: AbortSignal.timeout(200) })],
  ["a signal that has timed out already", () => ({ signal: AbortSignal.abort(new DOMException("x", "TimeoutError")) })],
];

const waits: readonly (readonly [string, (informer: Informer<Pod>, wait: WaitOptions) => Promise<void>])[] = [
  ["synced", (informer, wait) => informer.synced(wait)],
  ["synced of merged informers", (informer, wait) => mergeInformers([informer]).synced(wait)],
  ["synced of a handler", (informer, wait) => informer.addHandler(() => undefined).synced(wait)],
  ["waitForResourceVersion", (informer, wait) => informer.waitForResourceVersion("5", wait)],
  ["waitForStore", (informer, wait) => waitForStore(informer, () => false, wait)],
];

describe.each(waits)("%s", (_name, wait) => {
  it.each(limits)("that ends by %s names what it waited for", async (_limit, options) => {
    await using informer = informerOf(false);
    const failure = await wait(informer, options()).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KubestreamError);
    expect((failure as Error).message).toMatch(/^(?:sync|wait for (?:version 5 of )?)\s?pods in "web": .*timed out/);
  });

  it.each(limits.slice(0, 2))("that ends by %s rejects with the server's error", async (_limit, options) => {
    await using informer = informerOf(true);
    informer.start();
    await vi.waitFor(() => expect(informer.lastError).toBeDefined(), { timeout: 20_000 });
    await expect(wait(informer, options())).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining("the disk is full") as string,
    });
  });

  it("that is aborted rejects with the signal's reason", async () => {
    await using informer = informerOf(false);
    const controller = new AbortController();
    const waiting = wait(informer, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});
