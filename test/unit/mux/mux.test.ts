import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createInformer } from "../../../src/cache/informer/create-informer.js";
import { createClient } from "../../../src/client/client.js";
import { ConfigMap, Namespace, Pod, Secret } from "../../../src/kinds/core/v1.js";
import { createProxy } from "../../../src/proxy/create-proxy.js";
import type { Proxy, ProxyEvent, ProxyOptions } from "../../../src/proxy/proxy.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import type { Transport } from "../../../src/transport/transport.js";
import { type Backend, startBackend } from "../proxy/setup.js";
import { openPage, site } from "./setup.js";

let backend: Backend;
beforeAll(async () => {
  backend = await startBackend();
});
afterAll(() => backend[Symbol.asyncDispose]());

/** A proxy for two names of one cluster, with a record of the requests that reach the cluster. */
function proxyWith(options: Partial<ProxyOptions> = {}): {
  proxy: Proxy;
  sent: string[];
  events: ProxyEvent[];
} {
  const sent: string[] = [];
  const events: ProxyEvent[] = [];
  const transport: Transport = {
    ...backend.transport,
    send(request) {
      sent.push(`${request.method} ${request.path}`);
      return backend.transport.send(request);
    },
  };
  const proxy = createProxy({
    clusters: { east: { transport }, west: { transport } },
    allow: [{ resources: ["*"] }],
    authenticate: ({ headers }) =>
      headers.get("cookie") === "session=jane"
        ? { name: "jane", groups: [] }
        : { name: "root", groups: ["system:masters"] },
    audit: (event) => events.push(event),
    ...options,
  });
  return { proxy, sent, events };
}

const pods = () => backend.cluster.client.resource(Pod);
const newPod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: "main", image: "web:1" }] } });

describe("a multiplexed connection", () => {
  it("carries informers of several clusters, which see what a plain transport sees", async () => {
    const { proxy } = proxyWith();
    await using page = openPage(proxy, {});
    const plain = createClient({ transport: handlerTransport(proxy.handle, { url: `${site}/clusters/east` }) });
    const informers = [plain, page.client("east"), page.client("west")].map((client) =>
      createInformer(client.resource(Pod)),
    );
    for (const informer of informers) informer.start();
    await Promise.all(informers.map((informer) => informer.synced()));
    await pods().namespace("web").create(newPod("late"));
    const [first, ...others] = informers;
    await expect.poll(() => informers.every(({ store }) => store.get("web/late") !== undefined)).toBe(true);
    await pods().namespace("web").delete("late", { gracePeriodSeconds: 0 });
    await expect.poll(() => informers.every(({ store }) => store.get("web/late") === undefined)).toBe(true);
    for (const other of others) expect(other.store.list()).toEqual(first!.store.list());
    expect(page.sockets.length).toBe(1);
    for (const informer of informers) await informer.close();
    await plain.close();
  });

  it("carries writes, tables and errors unchanged", async () => {
    const { proxy } = proxyWith();
    await using page = openPage(proxy, {});
    const client = page.client("east");
    const maps = client.resource(ConfigMap).namespace("web");
    const value = "ä".repeat(200_000);
    await maps.create({ metadata: { name: "large" }, data: { value } });
    expect((await maps.get("large")).data).toEqual({ value });
    await maps.delete("large");
    const table = await client.resource(Pod).namespace("web").asTable().list();
    expect(table.items.map(({ cells }) => cells[0])).toContain("shop");
    await expect(maps.get("absent")).rejects.toMatchObject({ code: 404, reason: "NotFound" });
    await expect(page.client("north").resource(Namespace).list()).rejects.toMatchObject({ code: 404 });
  });

  it("resumes the watches of informers from their last version after a drop, without a list", async () => {
    const { proxy, sent } = proxyWith();
    await using page = openPage(proxy, {}, { backoff: { initialMs: 1, factor: 1, capMs: 1, jitter: 0 } });
    const backoff = { initialMs: 1, factor: 1, capMs: 1, jitter: 0 };
    const informer = createInformer(page.client("east").resource(ConfigMap), { backoff });
    informer.start();
    await informer.synced();
    await expect.poll(() => informer.status.type).toBe("watching");
    const states: string[] = [];
    page.mux.subscribe(() => states.push(page.mux.status.type));
    sent.length = 0;
    await page.sockets[0]!.close();
    await backend.cluster.client
      .resource(ConfigMap)
      .namespace("web")
      .create({ metadata: { name: "between" } });
    await expect.poll(() => informer.store.get("web/between")).toBeDefined();
    // The informer first probes the server with a list of one object.
    const paths = sent.filter((line) => !line.includes("limit=1&"));
    expect(paths.length).toBe(1);
    expect(paths[0]).toMatch(/^GET \/api\/v1\/configmaps\?watch=1&resourceVersion=[1-9]\d*&allowWatchBookmarks=true/);
    expect(states.slice(0, 4)).toEqual(["disconnected", "waiting", "connecting", "open"]);
    await informer.close();
  });

  it("authorizes and audits each request by itself", async () => {
    const { proxy, events } = proxyWith({ allow: (_, cluster) => (cluster === "east" ? [{ resources: ["*"] }] : []) });
    await using page = openPage(proxy, { cookie: "session=jane" });
    await page.client("east").resource(Pod).namespace("web").list();
    await expect(page.client("east").resource(Secret).namespace("bank").list()).rejects.toMatchObject({ code: 403 });
    await expect(page.client("west").resource(Pod).namespace("web").list()).rejects.toMatchObject({ code: 403 });
    expect(events.map(({ user, cluster, path, status }) => [user?.name, cluster, path, status])).toEqual([
      ["jane", undefined, "/clusters/", 101],
      ["jane", "east", "/api/v1/namespaces/web/pods", 200],
      ["jane", "east", "/api/v1/namespaces/bank/secrets", 403],
      ["jane", "west", "/api/v1/namespaces/web/pods", 403],
    ]);
  });

  it("doesn't let a page choose another user", async () => {
    const { proxy } = proxyWith();
    await using page = openPage(proxy, { cookie: "session=jane" });
    const attempts: Record<string, string>[] = [
      { cookie: "session=root" },
      { "impersonate-user": "root", "impersonate-group": "system:masters" },
      { authorization: "Bearer the-proxys-own-token" },
      { "sec-fetch-site": "none", origin: site },
    ];
    for (const headers of attempts) {
      const request = { method: "GET", path: "/api/v1/namespaces/bank/secrets", signal: AbortSignal.timeout(5_000) };
      const response = await page.mux.transport("east").send({ ...request, headers });
      expect(response.status).toBe(403);
    }
  });

  it("ends a watch in the cluster when the page leaves it", async () => {
    const signals: AbortSignal[] = [];
    const transport: Transport = {
      ...backend.transport,
      send(request) {
        signals.push(request.signal);
        return backend.transport.send(request);
      },
    };
    const { proxy } = proxyWith({ clusters: { east: { transport } }, limits: { perUser: 2 } });
    await using page = openPage(proxy, {});
    const maps = page.client("east").resource(ConfigMap);
    for (let turn = 0; turn < 5; turn++) {
      const { metadata } = await maps.list();
      const watch = maps.watch({ resourceVersion: metadata.resourceVersion, allowWatchBookmarks: true });
      const next = watch.next();
      await expect.poll(() => signals.length).toBe(turn * 2 + 2);
      await watch.return!();
      await next;
      // The place of the watch is free again, or the next list would be refused.
      await expect.poll(() => signals.at(-1)!.aborted).toBe(true);
    }
  });
});
