import { describe, expect, it, vi } from "vitest";
import { createTerminalSizes } from "../../src/apiserver/kubelets/terminal-sizes.js";
import type { ApiServerOptions } from "../../src/apiserver/options.js";
import { createApiServer } from "../../src/apiserver/server.js";
import { joinInformers } from "../../src/cache/combine/join.js";
import { createInformer } from "../../src/cache/informer/create-informer.js";
import { dedupeWarnings } from "../../src/client/call/warnings.js";
import type { ClientOptions } from "../../src/client/client.js";
import { createClient } from "../../src/client/client.js";
import type { LogEntry } from "../../src/controller/reconcile/controller-log.js";
import { createController } from "../../src/controller/reconcile/create-controller.js";
import { ConfigMap, Node } from "../../src/kinds/core/v1.js";
import { applyManifests } from "../../src/manifests/manifests.js";
import { drain } from "../../src/operations/drain.js";
import { createAccessCache } from "../../src/stores/access-cache.js";
import { fetchTransport } from "../../src/transport/fetch.js";
import { handlerTransport } from "../../src/transport/handler.js";
import { sendJson } from "../support/send-json.js";
import { createVirtualClock } from "../support/virtual-clock.js";
import { fakeClock } from "../unit/client/fake-clock.js";
import { type Answer, scripted } from "../unit/client/scripted-transport.js";

const reason = new Error("from the callback");

/** Runs `act` with a callback whose promises reject. Returns its result, and the rejections that were left unhandled. */
async function withRejections<R>(act: (callback: () => unknown) => Promise<R>) {
  const before = process.listeners("unhandledRejection");
  const unhandled: unknown[] = [];
  let calls = 0;
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", (error) => unhandled.push(error));
  try {
    const result = await act(() => {
      calls++;
      return Promise.reject(reason);
    }).catch((error: unknown) => error);
    // Node reports unhandled rejections after the microtasks of a turn.
    await new Promise((resolve) => setImmediate(resolve));
    return { calls, result, unhandled };
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const listener of before) process.on("unhandledRejection", listener);
  }
}

const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", resourceVersion: "1" } } as const;
const maps = (token?: string): Answer => ({
  body: { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "1", continue: token }, items: [map] },
});
const expired: Answer = { status: 410, body: { kind: "Status", code: 410, reason: "Expired" } };

/** Reads with a client over scripted answers. */
const scriptedClient = (answers: Answer[], options: Partial<ClientOptions> = {}) =>
  createClient({ transport: scripted(...answers), clock: fakeClock({ auto: true }), ...options }).resource(ConfigMap);

/** Acts with a client of a server in the process. */
async function served<R>(
  act: (client: ReturnType<typeof createClient>) => Promise<R>,
  options: ApiServerOptions = { controllers: false },
): Promise<R> {
  await using server = createApiServer(options);
  await using client = createClient({ transport: handlerTransport(server.handle) });
  return await act(client);
}

const warned: Answer = { body: map, headers: { warning: '299 - "old"' } };

it.each<[string, (callback: () => unknown) => Promise<unknown>]>([
  [
    "onRetry",
    (onRetry) =>
      scriptedClient([{ status: 503 }, { body: map }], { retry: { onRetry } })
        .namespace("x")
        .get("a"),
  ],
  ["onWarning of a client", (onWarning) => scriptedClient([warned], { onWarning }).namespace("x").get("a")],
  ["onWarning of a call", (onWarning) => scriptedClient([warned]).namespace("x").get("a", { onWarning })],
  [
    "onWarning of fetchTransport",
    async (onWarning) => {
      // A warning is given once per origin, and test files share a process.
      vi.stubGlobal("location", { href: "https://rejecting.example/" });
      const clock = createVirtualClock();
      const stop = new AbortController();
      const fetch = (url: unknown): Promise<Response> =>
        String(url).endsWith("/late")
          ? new Promise(() => undefined)
          : Promise.resolve(new Response(new ReadableStream()));
      const transport = fetchTransport({ url: "/k8s", clock, onWarning, fetch });
      const send = (path: string) => transport.send({ method: "GET", path, headers: {}, signal: stop.signal });
      const watches = await Promise.all(Array.from({ length: 6 }, () => send("/watch")));
      send("/late").catch(() => undefined);
      await clock.advance(60_000);
      for (const { body } of watches) await body[Symbol.asyncIterator]().return!();
      stop.abort();
      vi.unstubAllGlobals();
    },
  ],
  [
    "a handler of dedupeWarnings",
    (handler) =>
      scriptedClient([warned], { onWarning: dedupeWarnings(handler) })
        .namespace("x")
        .get("a"),
  ],
  [
    "onProgress of drain",
    (onProgress) =>
      served(async (client) => {
        await client.resource(Node).create({ metadata: { name: "n" } });
        const pods = client.request({
          method: "POST",
          path: "/api/v1/namespaces/default/pods",
          body: new TextEncoder().encode(
            JSON.stringify({
              metadata: { name: "p" },
              spec: { nodeName: "n", terminationGracePeriodSeconds: 0, containers: [{ name: "c", image: "i" }] },
            }),
          ),
          headers: { "content-type": "application/json" },
        });
        await pods;
        await drain(client, "n", { onProgress, force: true });
      }),
  ],
  [
    "onProgress of manifests and of their wait",
    (onProgress) =>
      served((client) =>
        applyManifests(
          client,
          [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "default" } }],
          {
            fieldManager: "m",
            onProgress,
            wait: { onProgress },
          },
        ),
      ),
  ],
  [
    "a handler of onReconcile",
    (handler) =>
      served(async (client) => {
        const logged: LogEntry[] = [];
        const controller = createController({
          name: "c",
          for: client.resource(ConfigMap),
          reconcile: () => undefined,
          log: (entry) => logged.push(entry),
        });
        controller.onReconcile(handler);
        await client
          .resource(ConfigMap)
          .namespace("default")
          .create({ metadata: { name: "a" } });
        const running = controller.start();
        await expect.poll(() => logged.some(({ error }) => error === reason)).toBe(true);
        await controller.stop();
        await running;
      }),
  ],
  [
    "a handler of joinInformers",
    (handler) =>
      served(async (client) => {
        const errors: unknown[] = [];
        await client
          .resource(ConfigMap)
          .namespace("default")
          .create({ metadata: { name: "a" } });
        await using left = createInformer(client.resource(ConfigMap));
        await using right = createInformer(client.resource(ConfigMap));
        joinInformers(
          left,
          right,
          { name: "j", left: () => ["x"], right: () => ["x"], onError: (error) => errors.push(error) },
          handler,
        );
        await expect.poll(() => errors).toContain(reason);
      }),
  ],
  [
    "a listener of an access store",
    (listener) =>
      served(async (client) => {
        const access = createAccessCache(client);
        const store = access.store({ verb: "get", kind: ConfigMap, namespace: "default" });
        const leave = store.subscribe(() => void 0);
        const leaveToo = store.subscribe(listener);
        await expect.poll(() => store.getSnapshot().allowed).toBe(true);
        leave();
        leaveToo();
      }),
  ],
  [
    "the sink of the audit log",
    (sink) =>
      served((client) => client.resource(ConfigMap).list(), {
        controllers: false,
        audit: { policy: { rules: [{ level: "Metadata" }] }, sink },
      }),
  ],
  [
    "onError of the server",
    async (onError) => {
      const clock = createVirtualClock();
      let left = 2;
      const admission = [
        {
          name: "Refusal",
          validate({ resource }: { resource: { resource: string } }) {
            if (resource.resource === "serviceaccounts" && left-- > 0) throw new Error("not now");
          },
        },
      ];
      await using server = createApiServer({ clock, onError, admission });
      await sendJson(server, { method: "POST", path: "/api/v1/namespaces", body: { metadata: { name: "team" } } });
      await clock.advance(1_000);
      await server.settled();
    },
  ],
  [
    "onResize of a session",
    async (callback) => {
      const sizes = createTerminalSizes();
      sizes.onResize(callback);
      sizes.receive(new TextEncoder().encode('{"Width":1,"Height":2}'));
    },
  ],
])("a promise that %s returns may reject without ending the process or the work", async (_what, act) => {
  const { calls, result, unhandled } = await withRejections(act);
  expect(result).not.toBeInstanceOf(Error);
  expect(unhandled).toEqual([]);
  expect(calls).toBeGreaterThan(0);
});

describe("a promise that rejects ends the pages of a list, if it's that of", () => {
  const read = async (answers: Answer[], options: object): Promise<void> => {
    for await (const _page of scriptedClient(answers).pages({ ...options }));
  };
  it.each<[string, (callback: () => unknown) => Promise<unknown>]>([
    ["onProgress", (onProgress) => read([maps("next"), maps()], { onProgress })],
    ["onRestart", (onRestart) => read([maps("next"), expired, maps()], { onExpired: "restart", onRestart })],
  ])("%s", async (_what, act) => {
    const { calls, result, unhandled } = await withRejections(act);
    expect({ calls, result, unhandled }).toEqual({ calls: 1, result: reason, unhandled: [] });
  });
});
