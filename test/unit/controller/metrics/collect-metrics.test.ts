import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { createClient } from "../../../../src/client/client.js";
import { createManager } from "../../../../src/controller/manager/create-manager.js";
import { collectMetrics } from "../../../../src/controller/metrics/collect-metrics.js";
import { formatMetrics } from "../../../../src/controller/metrics/format-metrics.js";
import { createWorkQueue } from "../../../../src/controller/queue/work-queue.js";
import { TerminalError } from "../../../../src/controller/reconcile/controller-errors.js";
import { createController } from "../../../../src/controller/reconcile/create-controller.js";
import { createRequestMetrics } from "../../../../src/interceptors/request-metrics.js";
import { Lease } from "../../../../src/kinds/coordination/v1.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../../src/transport/handler.js";
import { openWorld, until } from "../world.js";

/** Returns the value of a series, named as in the text. */
const valueIn = (text: string, series: string): number => {
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  if (line === undefined) throw new Error(`no series ${series}`);
  return Number(line.slice(series.length + 1));
};

it("collectMetrics reports a manager with the names and labels of controller-runtime and client-go", async () => {
  await using world = openWorld();
  const requests = createRequestMetrics({ host: "api.example:6443" });
  const client = createClient({
    transport: handlerTransport(world.server.handle),
    interceptors: [requests.interceptor],
    retry: false,
  });
  for (const name of ["fine", "later", "never"])
    await world.client.resource(ConfigMap).namespace("default").create({ metadata: { name } });
  const controller = createController({
    name: "sync",
    for: client.resource(ConfigMap).namespace("default"),
    concurrency: 2,
    log: () => undefined,
    reconcile({ name }) {
      if (name === "never") throw new TerminalError("never");
      return name === "later" ? { requeueAfterMs: 3_600_000 } : undefined;
    },
  });
  const manager = createManager({
    controllers: [controller],
    leaderElection: { leases: client.resource(Lease).namespace("default"), name: "operator" },
    log: () => undefined,
  });
  manager.start();
  await until("all are reconciled", () => controller.metrics.reconcileTime.count >= 3);
  const queue = createWorkQueue<string>();
  queue.add("one");
  const text = formatMetrics(collectMetrics({ manager, workQueues: { mail: queue }, sources: [requests] }));
  for (const [series, value] of [
    ['controller_runtime_reconcile_total{controller="sync",result="success"}', 1],
    ['controller_runtime_reconcile_total{controller="sync",result="requeue_after"}', 1],
    ['controller_runtime_reconcile_total{controller="sync",result="requeue"}', 0],
    ['controller_runtime_reconcile_total{controller="sync",result="error"}', 1],
    ['controller_runtime_reconcile_errors_total{controller="sync"}', 1],
    ['controller_runtime_terminal_reconcile_errors_total{controller="sync"}', 1],
    ['controller_runtime_reconcile_timeouts_total{controller="sync"}', 0],
    ['controller_runtime_reconcile_time_seconds_bucket{controller="sync",le="+Inf"}', 3],
    ['controller_runtime_reconcile_time_seconds_count{controller="sync"}', 3],
    ['controller_runtime_max_concurrent_reconciles{controller="sync"}', 2],
    ['controller_runtime_active_workers{controller="sync"}', 0],
    ['workqueue_depth{controller="sync",name="sync",priority="0"}', 0],
    ['workqueue_depth{controller="mail",name="mail",priority="0"}', 1],
    ['workqueue_adds_total{controller="sync",name="sync"}', 3],
    ['workqueue_retries_total{controller="sync",name="sync"}', 1],
    ['workqueue_queue_duration_seconds_count{controller="sync",name="sync"}', 3],
    ['workqueue_work_duration_seconds_bucket{controller="sync",name="sync",le="1000"}', 3],
    ['workqueue_unfinished_work_seconds{controller="sync",name="sync"}', 0],
    ['workqueue_longest_running_processor_seconds{controller="sync",name="sync"}', 0],
    ['leader_election_master_status{name="operator"}', 1],
    ['leader_election_slowpath_total{name="operator"}', 0],
    ['kubestream_informer_objects{collection="configmaps in \\"default\\""}', 3],
    ['kubestream_informer_synced{collection="configmaps in \\"default\\""}', 1],
    ['rest_client_requests_total{code="201",host="api.example:6443",method="POST"}', 1],
    ['rest_client_request_duration_seconds_count{host="api.example:6443",verb="POST"}', 1],
  ] as const)
    expect([series, valueIn(text, series)]).toEqual([series, value]);
  expect(text).toContain('workqueue_queue_duration_seconds_bucket{controller="sync",name="sync",le="1e-08"}');
  expect(text).toContain('le="9.999999999999999e-06"');
  await manager.stop();
  await client.close();
  expect(valueIn(formatMetrics(collectMetrics({ manager })), 'leader_election_master_status{name="operator"}')).toBe(0);
});

describe("compared with a recording of controller-runtime", () => {
  const { families } = JSON.parse(readFileSync(new URL("controller-runtime.json", import.meta.url), "utf8")) as {
    readonly families: Readonly<Record<string, { readonly type: string; readonly series: readonly string[] }>>;
  };
  let text = "";
  beforeAll(async () => {
    await using world = openWorld();
    const requests = createRequestMetrics({ host: "api.example" });
    const transport = handlerTransport(world.server.handle);
    const client = createClient({ transport, interceptors: [requests.interceptor], retry: false });
    const controller = createController({
      name: "sync",
      for: client.resource(ConfigMap),
      log: () => undefined,
      reconcile: () => undefined,
    });
    const leases = client.resource(Lease).namespace("default");
    const manager = createManager({ controllers: [controller], leaderElection: { leases, name: "ops" } });
    manager.start();
    await until("it runs", () => controller.status.type === "running");
    text = formatMetrics(collectMetrics({ manager, sources: [requests] }));
    await manager.stop();
    await client.close();
  });

  it.each(Object.entries(families))("collectMetrics has all series of %s", (name, { type, series }) => {
    expect(text).toContain(`# TYPE ${name} ${type}\n`);
    const own = new Set(text.split("\n").map((line) => line.slice(0, line.lastIndexOf(" "))));
    expect(series.filter((each) => !own.has(each))).toEqual([]);
  });
});

it("collectMetrics numbers informers of the same collection", () => {
  const informer = {
    description: "pods",
    hasSynced: false,
    metrics: {
      lists: 0,
      listsDone: 0,
      pages: 0,
      lastListMs: 0,
      watches: 0,
      streams: 0,
      shortWatches: 0,
      stalls: 0,
      events: { ADDED: 0, MODIFIED: 0, DELETED: 0, BOOKMARK: 0 },
      failures: {} as never,
      objectsDropped: 0,
      handlerErrors: 0,
      lastContactAt: undefined,
      lastEventAt: undefined,
      size: 0,
      handlers: 0,
      lag: 0,
      encoding: { state: "client" as const, reason: undefined, error: undefined, objects: 1, eventsPerSecond: 1 },
    },
  };
  const text = formatMetrics(collectMetrics({ informers: [informer, informer] }));
  expect(text).toContain('kubestream_informer_objects{collection="pods"} 0');
  expect(text).toContain('kubestream_informer_objects{collection="pods #2"} 0');
});

it("createRequestMetrics counts a watch when it opens, and failures as <error>, without their durations", async () => {
  const requests = createRequestMetrics();
  const fail = requests.interceptor(() => Promise.reject(new Error("down")));
  const request = {
    method: "GET",
    path: "/api/v1/pods?watch=1",
    headers: {},
    signal: new AbortController().signal,
  } as never;
  await expect(fail(request)).rejects.toThrow("down");
  const open = requests.interceptor(() =>
    Promise.resolve({
      status: 200,
      headers: new Headers(),
      body: (async function* () {
        await new Promise(() => undefined);
        yield new Uint8Array();
      })(),
    } as never),
  );
  await open(request);
  expect(formatMetrics(requests.collect())).toBe(
    [
      "# HELP rest_client_requests_total Requests by code, method and host",
      "# TYPE rest_client_requests_total counter",
      'rest_client_requests_total{code="200",host="",method="GET"} 1',
      'rest_client_requests_total{code="<error>",host="",method="GET"} 1',
      "",
    ].join("\n"),
  );
});
