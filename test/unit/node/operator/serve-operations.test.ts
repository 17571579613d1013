import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createManager } from "../../../../src/controller/manager/create-manager.js";
import type { Manager, ManagerOptions } from "../../../../src/controller/manager/manager.js";
import type { LogEntry } from "../../../../src/controller/reconcile/controller-log.js";
import { createController } from "../../../../src/controller/reconcile/create-controller.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import {
  type OperationsOptions,
  type OperationsServer,
  serveOperations,
} from "../../../../src/node/operator/serve-operations.js";
import { openWorld, until } from "../../controller/world.js";

interface Running {
  readonly manager: Manager;
  readonly server: OperationsServer;
  readonly log: LogEntry[];
}

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function serve(options: OperationsOptions = {}, managerOptions: ManagerOptions = {}): Promise<Running> {
  const log: LogEntry[] = [];
  const manager = createManager({ log: () => undefined, ...managerOptions });
  const server = await serveOperations(manager, {
    port: 0,
    host: "127.0.0.1",
    log: (entry) => log.push(entry),
    ...options,
  });
  cleanups.push(() => server.close());
  return { manager, server, log };
}

/** Sends a request and returns its status and text. */
async function get(
  { server }: Running,
  path: string,
  init: RequestInit = {},
): Promise<{ readonly status: number; readonly text: string; readonly type: string | null }> {
  const response = await fetch(`${server.url}${path}`, init);
  return { status: response.status, text: await response.text(), type: response.headers.get("content-type") };
}

/** Sends a request with headers that fetch doesn't let through. Returns the status. */
function statusWith({ server }: Running, path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest(`${server.url}${path}`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on("error", reject)
      .end();
  });
}

const running = async (managerOptions: ManagerOptions = {}, options: OperationsOptions = {}): Promise<Running> => {
  const all = await serve(options, managerOptions);
  all.manager.start();
  cleanups.push(() => all.manager.stop());
  await until("the manager runs", () => all.manager.status.type === "running");
  return all;
};

describe("health endpoints of serveOperations", () => {
  const checks = { readyChecks: { db: () => undefined, "a b": () => "the secret is out" } };

  it.each([
    ["/healthz", 200, "ok"],
    ["/healthz?verbose", 200, "[+]ping ok\nhealthz check passed\n"],
    ["/readyz", 500, "[-]a b failed: reason withheld\n[+]db ok\n[+]manager ok\nreadyz check failed\n"],
    ["/readyz?exclude=a%20b", 200, "ok"],
    [
      "/readyz?verbose&exclude=a%20b&exclude=other",
      200,
      '[+]a b excluded: ok\n[+]db ok\n[+]manager ok\nwarn: some health checks cannot be excluded: no matches for "other"\nreadyz check passed\n',
    ],
    ["/readyz/db", 200, "ok"],
    ["/readyz/a%20b", 500, "internal server error: the secret is out\n"],
    ["/readyz/unknown", 404, 'check "unknown" not found\n'],
    ["/readyz/%E0%A4%A", 404, 'check "%E0%A4%A" not found\n'],
    ["/", 404, "not found\n"],
    ["/constructor", 404, "not found\n"],
    ["/debug/heap", 404, "not found\n"],
  ])("respond to %s with %i", async (path, status, text) => {
    expect(await get(await running(checks), path)).toEqual({ status, text, type: "text/plain; charset=utf-8" });
  });

  it("fail before the manager has started, and pass once it runs", async () => {
    const all = await serve();
    expect(await get(all, "/readyz/manager")).toMatchObject({
      status: 500,
      text: "internal server error: the manager is idle\n",
    });
    expect((await get(all, "/healthz")).status).toBe(200);
    all.manager.start();
    await until("the manager runs", () => all.manager.status.type === "running");
    expect((await get(all, "/readyz")).status).toBe(200);
    await all.manager.stop();
  });

  it("fail a check that takes too long", async () => {
    const all = await running(
      { healthChecks: { slow: () => new Promise<undefined>(() => undefined) } },
      { checkTimeoutMs: 5 },
    );
    expect(await get(all, "/healthz/slow")).toMatchObject({
      status: 500,
      text: "internal server error: the check took longer than 5 ms\n",
    });
  });

  it("log a failure once until they pass again", async () => {
    let message: string | undefined = "down";
    const all = await running({ healthChecks: { db: () => message } });
    await get(all, "/healthz");
    await get(all, "/healthz");
    message = undefined;
    await get(all, "/healthz");
    expect(all.log.map((entry) => `${entry.level} ${entry.message}`)).toEqual([
      "warn healthz: failed: db",
      "info healthz: passes again",
    ]);
  });

  it("refuse other methods, and send no body for HEAD", async () => {
    const all = await running();
    expect(await get(all, "/healthz", { method: "POST", body: "x" })).toMatchObject({ status: 405 });
    expect(await get(all, "/healthz", { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
  });
});

describe("/metrics of serveOperations", () => {
  it("reports the manager's controllers, the process and other sources", async () => {
    await using world = openWorld();
    const controller = createController({
      name: "sync",
      for: world.client.resource(ConfigMap),
      reconcile: () => undefined,
    });
    const own = { name: "own_total", help: "own", type: "counter", samples: [{ labels: {}, value: 7 }] } as const;
    const all = await running({ controllers: [controller] }, { metrics: { sources: [{ collect: () => [own] }] } });
    const { text, type } = await get(all, "/metrics");
    expect(type).toBe("text/plain; version=0.0.4; charset=utf-8");
    for (const line of [
      'controller_runtime_max_concurrent_reconciles{controller="sync"} 1',
      "own_total 7",
      "# TYPE process_cpu_seconds_total counter",
      `nodejs_version_info{version="${process.version}"} 1`,
    ])
      expect(text).toContain(`${line}\n`);
    if (process.platform === "linux") expect(text).toMatch(/^process_open_fds [1-9]\d*$/m);
    const open = await get(all, "/metrics", {
      headers: { accept: "application/openmetrics-text;version=1.0.0,*/*;q=0.1" },
    });
    expect(open.type).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    expect(open.text.endsWith("# EOF\n")).toBe(true);
    await all.manager.stop();
  });

  it("responds with 500 and logs if a source throws, without the message", async () => {
    const broken = { collect: () => [{ name: "a b", help: "", type: "gauge", samples: [] } as const] };
    const all = await running({}, { metrics: { sources: [broken] } });
    expect(await get(all, "/metrics")).toMatchObject({ status: 500, text: "internal server error\n" });
    expect(all.log).toMatchObject([{ level: "error", message: "operations server: /metrics failed" }]);
  });

  it("is absent if metrics is false", async () => {
    expect((await get(await running({}, { metrics: false }), "/metrics")).status).toBe(404);
  });
});

describe("profiling of serveOperations", () => {
  it("sends a CPU profile to this machine", async () => {
    const all = await running({}, { profiling: true });
    const { status, text } = await get(all, "/debug/profile?seconds=0.02");
    expect(status).toBe(200);
    expect(Object.keys(JSON.parse(text) as object)).toEqual(
      expect.arrayContaining(["nodes", "startTime", "endTime", "samples"]),
    );
  });

  it("stops when the client leaves a CPU profile, and takes the next one", async () => {
    const all = await running({}, { profiling: true });
    const leave = new AbortController();
    const left = get(all, "/debug/profile?seconds=60", { signal: leave.signal }).catch(() => "left");
    await expect.poll(async () => (await get(all, "/debug/profile?seconds=0.01")).status).toBe(429);
    leave.abort();
    expect(await left).toBe("left");
    await expect.poll(async () => (await get(all, "/debug/profile?seconds=0.01")).status).toBe(200);
  });

  it.each([
    ["/debug/profile?seconds=61", 400],
    ["/debug/profile?seconds=0", 400],
    ["/debug/profile?seconds=x", 400],
    ["/debug/other", 404],
  ])("responds to %s with %i", async (path, status) => {
    expect((await get(await running({}, { profiling: true }), path)).status).toBe(status);
  });

  it("takes one profile at a time", async () => {
    const all = await running({}, { profiling: true });
    const statuses = await Promise.all([0, 1].map(async () => (await get(all, "/debug/profile?seconds=0.1")).status));
    expect(statuses.sort()).toEqual([200, 429]);
    expect((await get(all, "/debug/profile?seconds=0.01")).status).toBe(200);
  });

  it.each<[string, Record<string, string>]>([
    ["another host name, which a page may have rebound", { host: "evil.example" }],
    ["a proxy's", { "x-forwarded-for": "192.0.2.1" }],
    ["a page of another site", { "sec-fetch-site": "cross-site" }],
  ])("refuses a request with %s headers", async (_, headers) => {
    expect(await statusWith(await running({}, { profiling: true }), "/debug/profile?seconds=0.01", headers)).toBe(403);
  });

  it.each([
    ["no token", {}, 401],
    ["a wrong token", { authorization: "Bearer secrets" }, 401],
    ["the token", { authorization: "Bearer secret" }, 200],
  ])("with a token answers a request with %s", async (_, headers, status) => {
    const all = await running({}, { profiling: { token: "secret" } });
    expect(await statusWith(all, "/debug/profile?seconds=0.01", headers)).toBe(status);
  });
});

describe("the lifecycle of serveOperations", () => {
  const refused = (port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(false);
      }).once("error", () => resolve(true));
    });

  it("closes when the manager has stopped", async () => {
    const all = await running();
    await get(all, "/healthz");
    await all.manager.stop();
    await expect.poll(() => refused(all.server.port)).toBe(true);
  });

  it("closes when the manager has failed, and logs why", async () => {
    const failing = { name: "failing", needsLeadership: false, run: () => Promise.reject(new Error("broken")) };
    const all = await serve({}, { runnables: [failing] });
    await expect(all.manager.run({ signal: new AbortController().signal })).rejects.toThrow("broken");
    await expect.poll(() => refused(all.server.port)).toBe(true);
    expect(all.log).toMatchObject([{ level: "error", error: new Error("broken") }]);
  });

  it("ends a response in progress a second after a close", async () => {
    const all = await running({ healthChecks: { slow: () => new Promise<undefined>(() => undefined) } });
    const response = get(all, "/healthz").catch(() => "ended");
    await expect.poll(() => refused(all.server.port)).toBe(false);
    await all.server.close();
    expect(await response).toBe("ended");
  });

  it.each<[OperationsOptions, string]>([
    [{ port: 70_000 }, "options.port must be an integer from 0 to 65535, not 70000"],
    [{ profiling: { token: "" } }, "options.profiling.token must not be empty"],
  ])("rejects %j", async (options, message) => {
    await expect(serve(options)).rejects.toThrow(message);
  });

  it("rejects a port that is in use, and names it", async () => {
    const { server } = await serve();
    await expect(serve({ port: server.port })).rejects.toThrow(
      `operations server: cannot listen on 127.0.0.1, port ${server.port}: `,
    );
  });
});
