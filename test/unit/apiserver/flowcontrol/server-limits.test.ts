import { afterEach, describe, expect, it } from "vitest";
import type { ServerRequest, ServerResponse } from "../../../../src/apiserver/http/http.js";
import { fromRequest } from "../../../../src/apiserver/http/http.js";
import type { ApiServerOptions } from "../../../../src/apiserver/options.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";

const alice = { user: { name: "alice", uid: "", groups: ["system:authenticated"], extra: {} } };
const admin = { user: { name: "admin", uid: "", groups: ["system:masters"], extra: {} } };
const servers: ApiServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function start(options: ApiServerOptions = {}): ApiServer {
  const server = createApiServer({ controllers: false, ...options });
  servers.push(server);
  return server;
}

interface Open {
  readonly response: ServerResponse;
  /** Reports that the response is written. */
  end(): void;
}

/** Sends a request like an adapter that reports the end of the response, and leaves the response open. */
async function open(server: ApiServer, path: string, client: { user: { name: string } } = alice): Promise<Open> {
  const ends: (() => void)[] = [];
  const request: ServerRequest = {
    ...fromRequest(new Request(`http://server${path}`), client as never),
    onWritten: (callback) => ends.push(callback),
  };
  const response = await server.serve(request);
  return { response, end: () => ends.forEach((end) => end()) };
}

async function metrics(server: ApiServer): Promise<string> {
  return (await server.handle(new Request("http://server/metrics"), admin)).text();
}

async function metric(server: ApiServer, start: string): Promise<string | undefined> {
  const line = (await metrics(server)).split("\n").find((each) => each.startsWith(start));
  return line?.slice(line.lastIndexOf(" ") + 1);
}

const level = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
async function write(server: ApiServer, path: string, body: object): Promise<number> {
  const request = new Request(`http://server${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  return (await server.handle(request, admin)).status;
}

const executing =
  'apiserver_flowcontrol_current_executing_seats{flow_schema="global-default",priority_level="global-default"}';

describe("a server with API Priority and Fairness", () => {
  it("holds the seat of a request until its response is written", async () => {
    const server = start();
    const request = await open(server, "/api/v1/pods");
    expect(await metric(server, executing)).toBe("1");
    request.end();
    request.end();
    expect(await metric(server, executing)).toBe("0");
  });

  it("frees the seat of a request in the process when the response is returned", async () => {
    const server = start();
    await server.handle(new Request("http://server/api/v1/pods"), alice);
    expect(await metric(server, executing)).toBe("0");
  });

  it("gives wide lists and watches several seats, and frees those of a watch after the initial state", async () => {
    const server = start();
    const data = { text: "x".repeat(200_000) };
    await server.load(
      Array.from({ length: 20 }, (_, index) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: `c${String(index)}`, namespace: "default" },
        data,
      })),
    );
    // The level has 49 seats and hands of six queues: at most 8 seats for one request.
    const list = await open(server, "/api/v1/configmaps");
    expect(await metric(server, executing)).toBe("8");
    list.end();
    const page = await open(server, "/api/v1/configmaps?limit=2");
    expect(await metric(server, executing)).toBe("2");
    page.end();
    const watch = await open(server, "/api/v1/configmaps?watch=true");
    expect(await metric(server, executing)).toBe("8");
    const body = watch.response.body as AsyncIterator<Uint8Array, undefined> & { return(): Promise<unknown> };
    for (let chunks = 0; (await metric(server, executing)) !== "0"; chunks += 1) {
      expect(chunks).toBeLessThan(40);
      await body.next();
    }
    await body.return();
    const late = await open(server, "/api/v1/configmaps?watch=true&resourceVersion=1");
    expect(await metric(server, executing)).toBe("0");
    await (late.response.body as { return(): Promise<unknown> } & AsyncIterator<Uint8Array>).return();
  });

  it("exempts health checks of strangers with the documented FlowSchema", async () => {
    const server = start({ authorizationMode: "AlwaysAllow" });
    const spec = {
      matchingPrecedence: 1000,
      priorityLevelConfiguration: { name: "exempt" },
      rules: [
        {
          nonResourceRules: [{ nonResourceURLs: ["/healthz", "/livez", "/readyz"], verbs: ["*"] }],
          subjects: [{ kind: "Group", group: { name: "system:unauthenticated" } }],
        },
      ],
    };
    const schemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
    expect(await write(server, schemas, { metadata: { name: "health-for-strangers" }, spec })).toBe(201);
    const stranger = { user: { name: "system:anonymous", uid: "", groups: ["system:unauthenticated"], extra: {} } };
    const exempt = (await (await server.handle(new Request(`http://server${level}/exempt`), admin)).json()) as {
      metadata: { uid: string };
    };
    const levelOf = async (path: string): Promise<string | null> =>
      (await server.handle(new Request(`http://server${path}`), stranger)).headers.get(
        "X-Kubernetes-Pf-Prioritylevel-Uid",
      );
    expect(await levelOf("/livez/ping")).toBe(exempt.metadata.uid);
    expect(await levelOf("/version")).not.toBe(exempt.metadata.uid);
  });

  it("queues requests until they can borrow seats, on a clock of its own", async () => {
    const clock = createVirtualClock();
    const server = start({ flowControl: { clock }, maxRequestsInflight: 60, maxMutatingRequestsInflight: 0 });
    let served = 0;
    const requests = Array.from({ length: 20 }, () =>
      open(server, "/api/v1/pods").then((request) => {
        served += 1;
        return request;
      }),
    );
    const queued = async (): Promise<number> =>
      Number(await metric(server, 'apiserver_flowcontrol_current_inqueue_requests{flow_schema="global-default"'));
    await clock.advance(9999);
    const before = served;
    expect(before).toBeGreaterThan(0);
    expect(await queued()).toBe(20 - before);
    await clock.advance(1);
    const open20 = await Promise.all(requests);
    expect(open20.map(({ response }) => response.status)).toEqual(open20.map(() => 200));
    for (const each of open20) each.end();
    expect(await metric(server, executing)).toBe("0");
  });

  it("serves the metric families of a kube-apiserver", async () => {
    const server = start();
    await server.handle(new Request("http://server/api/v1/pods"), alice);
    await write(server, "/api/v1/namespaces", { metadata: { name: "x" } });
    const families = new Set(
      [...(await metrics(server)).matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, a, b]) => `${a!} ${b!}`),
    );
    // Read from an idle kube-apiserver 1.36.3.
    const wanted = [
      "apiserver_current_inflight_requests gauge",
      "apiserver_current_inqueue_requests gauge",
      ...[
        ...["current_executing_requests", "current_executing_seats", "current_limit_seats", "current_r"],
        ...["demand_seats_average", "demand_seats_high_watermark", "demand_seats_smoothed", "demand_seats_stdev"],
        ...["lower_limit_seats", "nominal_limit_seats", "seat_fair_frac", "target_seats", "upper_limit_seats"],
      ].map((name) => `apiserver_flowcontrol_${name} gauge`),
      ...[
        ...["demand_seats", "priority_level_request_utilization", "priority_level_seat_utilization"],
        ...["read_vs_write_current_requests", "request_execution_seconds", "watch_count_samples"],
        ...["work_estimated_seats", "request_wait_duration_seconds", "request_queue_length_after_enqueue"],
      ].map((name) => `apiserver_flowcontrol_${name} histogram`),
      "apiserver_flowcontrol_dispatched_requests_total counter",
    ];
    expect(wanted.filter((family) => !families.has(family))).toEqual([]);
  });
});

describe("a server without API Priority and Fairness", () => {
  it("limits reads and writes separately, and never turns administrators away", async () => {
    const server = start({ enablePriorityAndFairness: false, maxRequestsInflight: 1, maxMutatingRequestsInflight: 1 });
    const held = await open(server, "/api/v1/pods");
    expect(held.response.headers.some(([name]) => name.startsWith("X-Kubernetes-Pf"))).toBe(false);
    const second = await open(server, "/api/v1/pods");
    expect(second.response.status).toBe(429);
    expect(second.response.headers).toContainEqual(["Retry-After", "1"]);
    expect((await open(server, "/api/v1/pods", admin)).response.status).toBe(200);
    expect((await open(server, "/api/v1/pods?watch=true&timeoutSeconds=-1")).response.status).toBe(200);
    expect(await write(server, "/api/v1/namespaces", { metadata: { name: "x" } })).toBe(201);
    held.end();
    expect((await open(server, "/api/v1/pods")).response.status).toBe(200);
  });

  it("has no debug dumps and no metrics of levels", async () => {
    const server = start({ enablePriorityAndFairness: false });
    const dump = "http://server/debug/api_priority_and_fairness/dump_queues";
    expect((await server.handle(new Request(dump), admin)).status).toBe(404);
    expect(await metrics(server)).not.toContain("apiserver_flowcontrol");
    expect(await metric(server, 'apiserver_current_inflight_requests{request_kind="readOnly"}')).toBe("1");
  });
});

describe("invalid limits", () => {
  it.each([
    [{ maxRequestsInflight: -1 }, "maxRequestsInflight must be an integer of at least 0"],
    [{ maxMutatingRequestsInflight: 1.5 }, "maxMutatingRequestsInflight must be an integer of at least 0"],
    [{ maxRequestsInflight: 0, maxMutatingRequestsInflight: 0 }, "can't both be 0"],
    [{ requestTimeoutMs: 0 }, "requestTimeoutMs must be greater than 0"],
  ])("%j are refused with the option's name", (options, message) =>
    expect(() => createApiServer(options)).toThrow(message),
  );
});
