// API Priority and Fairness as a system, compared with a kube-apiserver that was started with the same flags.
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  parsePriorityLevelDump,
  parseQueueDump,
  parseRequestDump,
  type QueueDump,
} from "../../../src/flowcontrol/flow-control-dumps.js";
import { parseFamilies } from "../../support/metric-families.js";
import { createServerFolder } from "../control-plane.js";
import { missingReason } from "../real-apiserver.js";
import { type OneServer, type PairAnswer, type ServerPair, startPair } from "../server-pair.js";
import {
  as,
  autoupdate,
  changes,
  create,
  level,
  levels,
  merge,
  schema,
  schemas,
  userNamed,
} from "./flow-control-requests.js";
import { type SlowWebhook, startSlowWebhook } from "./slow-webhook.js";

const missing = missingReason();
let pair: ServerPair;
let webhook: SlowWebhook;

/** Waits until both servers classify the requests of a user by the schema. */
async function classified(user: string, schemaName: string): Promise<void> {
  for (const server of [pair.real, pair.own]) {
    const { value } = await server.send({ path: `${schemas}/${schemaName}` });
    const { uid } = (value as { metadata: { uid: string } }).metadata;
    const seen = async (): Promise<string | undefined> =>
      (await server.send({ path: "/version", headers: as(user) })).headers["x-kubernetes-pf-flowschema-uid"];
    await vi.waitFor(async () => expect(await seen()).toBe(uid), { timeout: 20_000, interval: 100 });
  }
}

const text = async (server: OneServer, path: string): Promise<string> => String((await server.send({ path })).value);
const dump = (server: OneServer, name: string): Promise<string> =>
  text(server, `/debug/api_priority_and_fairness/${name}`);

/** Waits until as many requests of the level wait or execute. */
async function busy(server: OneServer, executing: number, waiting: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const row = parsePriorityLevelDump(await dump(server, "dump_priority_levels")).find(
          ({ priorityLevel }) => priorityLevel === "narrow",
        );
        return [row?.executingRequests, row?.waitingRequests];
      },
      { timeout: 20_000 },
    )
    .toEqual([executing, waiting]);
}

const flowFamilies = (name: string): boolean =>
  name.startsWith("apiserver_flowcontrol_") || /^apiserver_current_in(flight|queue)_requests$/.test(name);

describe.skipIf(missing !== undefined)("flow control compared with a real server", () => {
  beforeAll(async () => {
    webhook = await startSlowWebhook();
    pair = await startPair(createServerFolder(), [
      "--authorization-mode=RBAC",
      "--anonymous-auth=true",
      "--max-requests-inflight=40",
      "--max-mutating-requests-inflight=20",
      "--request-timeout=16s",
      "--disable-admission-plugins=ServiceAccount",
    ]);
    await pair.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "users" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
      subjects: ["ann", "rex", "lea"].map((name) => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name })),
    });
    await webhook.register(pair);
    const queuing = { queues: 4, handSize: 2, queueLengthLimit: 2 };
    await pair.create(levels, level("narrow", { limitResponse: { type: "Queue", queuing } }));
    await pair.create(schemas, schema("narrow", "narrow", userNamed("ann")));
    await pair.create(levels, level("rejecting", { limitResponse: { type: "Reject" } }));
    await pair.create(schemas, schema("rejecting", "rejecting", userNamed("rex")));
    await pair.create(schemas, schema("orphan", "absent", userNamed("orphan")));
    await classified("ann", "narrow");
    await classified("rex", "rejecting");
  });

  afterAll(async () => {
    webhook?.release();
    await pair?.stop();
    await webhook?.close();
  });

  it("the maintained objects are the same at the start", async () => {
    for (const path of [schemas, levels])
      expect(await pair.compare({ path, ignore: ["/items/*/metadata/managedFields"] })).toEqual([]);
  });

  it.each(changes)("%s has the same answer", async (_title, request) => {
    expect(await pair.compare({ ...request, ignore: ["/metadata", "/status"] })).toEqual([]);
  });

  it("objects may be deleted and changed, which the last of these tests expects to be mended", async () => {
    const change = async (path: string, shares: number | undefined, annotation: string | null): Promise<void> => {
      const json = {
        metadata: { annotations: { [autoupdate]: annotation } },
        ...(shares === undefined ? {} : { spec: { limited: { nominalConcurrencyShares: shares } } }),
      };
      const { real, own } = await pair.both({ method: "PATCH", path, headers: merge, json });
      expect([path, real.status, own.status]).toEqual([path, 200, 200]);
    };
    for (const path of [`${schemas}/service-accounts`, `${schemas}/catch-all`, `${levels}/catch-all`]) {
      const { real, own } = await pair.both({ method: "DELETE", path });
      expect([path, own.status]).toEqual([path, real.status]);
    }
    // Without the annotation, the generation says who controls a spec.
    await change(`${levels}/workload-low`, 77, null);
    await change(`${levels}/global-default`, undefined, null);
    await change(`${levels}/workload-high`, 78, "false");
    await change(`${levels}/system`, 79, "true");
    for (const [name, annotation] of [
      ["stranger", "true"],
      ["own", "false"],
    ])
      await pair.create(schemas, {
        ...schema(name!, "exempt", userNamed("x")),
        metadata: { name, annotations: { [autoupdate]: annotation } },
      });
  });

  it("a FlowSchema without its level is dangling until the level exists", async () => {
    const condition = async (server: OneServer): Promise<unknown> => {
      const { value } = await server.send({ path: `${schemas}/orphan` });
      const { conditions = [] } =
        (value as { status?: { conditions?: { lastTransitionTime: string }[] } }).status ?? {};
      return conditions.map(({ lastTransitionTime, ...rest }) => rest);
    };
    const equal = async (status: string): Promise<void> => {
      await expect.poll(() => condition(pair.real), { timeout: 20_000 }).toMatchObject([{ type: "Dangling", status }]);
      await expect.poll(() => condition(pair.own), { timeout: 20_000 }).toMatchObject([{ type: "Dangling", status }]);
      const [real, own] = [await condition(pair.real), await condition(pair.own)];
      expect((own as { reason: string }[])[0]!.reason).toBe((real as { reason: string }[])[0]!.reason);
    };
    await equal("True");
    await pair.create(levels, level("absent", { limitResponse: { type: "Reject" } }));
    await equal("False");
  });

  it("requests of strangers belong to the same schemas, with the documented health-for-strangers, too", async () => {
    await pair.create(schemas, {
      metadata: { name: "health-for-strangers" },
      spec: {
        // Otherwise the suggested schema `probes` is first.
        matchingPrecedence: 2,
        priorityLevelConfiguration: { name: "exempt" },
        rules: [
          {
            nonResourceRules: [{ nonResourceURLs: ["/healthz", "/livez", "/readyz"], verbs: ["*"] }],
            subjects: [{ kind: "Group", group: { name: "system:unauthenticated" } }],
          },
        ],
      },
    });
    const schemaOf = async (server: OneServer, path: string): Promise<string | undefined> => {
      const { headers } = await server.send({ path, token: "" });
      const { value } = await server.send({ path: schemas });
      const { items } = value as { items: { metadata: { name: string; uid: string } }[] };
      return items.find(({ metadata }) => metadata.uid === headers["x-kubernetes-pf-flowschema-uid"])?.metadata.name;
    };
    for (const server of [pair.real, pair.own])
      await expect.poll(() => schemaOf(server, "/livez"), { timeout: 20_000 }).toBe("health-for-strangers");
    for (const path of ["/healthz", "/livez", "/readyz", "/healthz/ping", "/livez/", "/version", "/api/v1/pods"])
      expect([path, await schemaOf(pair.own, path)]).toEqual([path, await schemaOf(pair.real, path)]);
  });

  it("seats, queues, refusals, dumps and metrics are the same under the same load", async () => {
    webhook.hold();
    const loads = [pair.real, pair.own].map(async (server) => {
      const first = server.send(create("ann", "m0"));
      await busy(server, 1, 0);
      const answers: Promise<PairAnswer>[] = [];
      for (let at = 1; at <= 4; at += 1) {
        answers.push(server.send(create("ann", `m${String(at)}`)));
        await busy(server, 1, at);
      }
      const full = await Promise.all([0, 1, 2].map(() => server.send(create("ann", "full"))));
      const dumps = {
        levels: parsePriorityLevelDump(await dump(server, "dump_priority_levels")),
        queues: parseQueueDump(await dump(server, "dump_queues")),
        requests: parseRequestDump(await dump(server, "dump_requests")),
        details: parseRequestDump(await dump(server, "dump_requests?includeRequestDetails=1")),
        headers: await Promise.all(
          ["dump_priority_levels", "dump_queues", "dump_requests", "dump_requests?includeRequestDetails=1"].map(
            async (name) => (await dump(server, name)).split("\n")[0]!.replace(/, +/g, ", "),
          ),
        ),
      };
      // A quarter of the time limit, then those in queues give up.
      const late = await Promise.all(answers);
      return { server, first, full, late, dumps };
    });
    const [real, own] = await Promise.all(loads);
    webhook.release();
    for (const { first } of [real!, own!]) expect((await first).status).toBe(201);
    const statuses = ({ full, late }: { full: PairAnswer[]; late: PairAnswer[] }): unknown => [
      full.map(({ status, headers, value }) => [status, headers["retry-after"], headers["content-type"], value]),
      late.map(({ status, value }) => [status, status === 429 && value]),
    ];
    expect(statuses(own!)).toEqual(statuses(real!));
    expect(own!.late.map(({ status }) => status)).toEqual([429, 429, 429, 429]);

    expect(own!.dumps.headers).toEqual(real!.dumps.headers);
    const mine = <T extends { priorityLevel: string }>(rows: readonly T[]): T[] =>
      rows.filter(({ priorityLevel }) => priorityLevel === "narrow");
    expect(mine(own!.dumps.levels)).toEqual(mine(real!.dumps.levels));
    const queues = (rows: readonly QueueDump[]): unknown => mine(rows).map((row) => ({ ...row, nextDispatchR: "" }));
    expect(queues(own!.dumps.queues)).toEqual(queues(real!.dumps.queues));
    const request = (rows: readonly object[]): unknown =>
      mine(rows as { priorityLevel: string }[]).map((row) => ({ ...row, arriveTime: "", startTime: "" }));
    expect(request(own!.dumps.requests)).toEqual(request(real!.dumps.requests));
    expect(request(own!.dumps.details)).toEqual(request(real!.dumps.details));

    // A list, a watch, and a write that a watch sees.
    for (const server of [pair.real, pair.own]) {
      await server.send({ path: "/api/v1/configmaps", headers: as("ann") });
      const watch = server.send({
        path: "/api/v1/namespaces/default/configmaps?watch=true&timeoutSeconds=3",
        headers: as("ann"),
      });
      await delay(500);
      await server.send({
        method: "POST",
        path: "/api/v1/namespaces/default/configmaps?dryRun=All",
        headers: as("ann"),
        json: { metadata: { name: "x" } },
      });
      await watch;
    }
    const [wanted, got] = (await Promise.all([pair.real, pair.own].map((server) => text(server, "/metrics")))).map(
      (all) => parseFamilies(all, flowFamilies),
    );
    const shape = (families: typeof wanted): unknown =>
      [...families!].map(([name, { type, labels, bounds }]) => [name, type, [...labels].sort(), [...bounds]]).sort();
    expect(shape(got)).toEqual(shape(wanted));
    expect(got!.size).toBeGreaterThanOrEqual(30);
    for (const family of ["nominal_limit_seats", "lower_limit_seats", "upper_limit_seats"]) {
      const name = `apiserver_flowcontrol_${family}`;
      expect([name, Object.fromEntries(got!.get(name)!.series)]).toEqual([
        name,
        Object.fromEntries(wanted!.get(name)!.series),
      ]);
    }
    for (const family of ["rejected_requests_total", "request_queue_length_after_enqueue"]) {
      const name = `apiserver_flowcontrol_${family}`;
      const narrow = (families: typeof wanted): unknown =>
        [...families!.get(name)!.series].filter(([labels]) => labels.includes('"narrow"')).sort();
      expect([name, narrow(got)]).toEqual([name, narrow(wanted)]);
    }
  });

  it("a level that is deleted while a request executes is quiescing, and then gone", async () => {
    webhook.hold();
    await pair.create(levels, level("leaving", { limitResponse: { type: "Reject" } }));
    await pair.create(schemas, schema("leaving", "leaving", userNamed("lea")));
    await classified("lea", "leaving");
    const running = [pair.real, pair.own].map((server) => server.send(create("lea", "l")));
    const row = async (server: OneServer): Promise<unknown> => {
      const found = parsePriorityLevelDump(await dump(server, "dump_priority_levels")).find(
        ({ priorityLevel }) => priorityLevel === "leaving",
      );
      return found && [found.executingRequests, found.isQuiescing];
    };
    for (const server of [pair.real, pair.own])
      await expect.poll(() => row(server), { timeout: 20_000 }).toEqual([1, false]);
    for (const path of [`${schemas}/leaving`, `${levels}/leaving`]) await pair.both({ method: "DELETE", path });
    for (const server of [pair.real, pair.own])
      await expect.poll(() => row(server), { timeout: 20_000 }).toEqual([1, true]);
    webhook.release();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([201, 201]);
    for (const server of [pair.real, pair.own])
      await expect.poll(() => row(server), { timeout: 20_000 }).toBeUndefined();
  });

  it("Retry-After grows with the number of refusals", async () => {
    webhook.hold();
    const holders = [pair.real, pair.own].map((server) => server.send(create("rex", "r")));
    for (const server of [pair.real, pair.own])
      await expect
        .poll(async () => (await server.send({ path: "/version", headers: as("rex") })).status, { timeout: 20_000 })
        .toBe(429);
    const most = await Promise.all(
      [pair.real, pair.own].map(async (server) => {
        let highest = 0;
        for (let round = 0; round < 24; round += 1) {
          const answers = await Promise.all(
            Array.from({ length: 8 }, () => server.send({ path: "/version", headers: as("rex") })),
          );
          for (const { headers } of answers) highest = Math.max(highest, Number(headers["retry-after"]));
          await delay(250);
        }
        return highest;
      }),
    );
    webhook.release();
    await Promise.all(holders);
    expect(most[0]).toBeGreaterThan(1);
    // It doubles at most once per so many seconds, and a second may end between the two servers' answers.
    expect([most[0]! / 2, most[0], most[0]! * 2]).toContain(most[1]);
  });

  it("objects are maintained each minute: deleted ones return, and changes stay unless the annotation says otherwise", async () => {
    const read = async (server: OneServer, path: string): Promise<unknown> => {
      const { status, value } = await server.send({ path });
      const { metadata, spec } = value as {
        metadata: { annotations?: Record<string, string> };
        spec?: { limited?: { nominalConcurrencyShares?: number } };
      };
      return [path, status, metadata?.annotations?.[autoupdate], spec?.limited?.nominalConcurrencyShares];
    };
    const expected = [
      [`${schemas}/service-accounts`, 200, "true", undefined],
      [`${schemas}/catch-all`, 200, "true", undefined],
      [`${levels}/catch-all`, 200, "true", 5],
      [`${levels}/workload-low`, 200, "false", 77],
      [`${levels}/workload-high`, 200, "false", 78],
      [`${levels}/system`, 200, "true", 30],
      [`${levels}/global-default`, 200, "true", 20],
      [`${schemas}/stranger`, 404, undefined, undefined],
      [`${schemas}/own`, 200, "false", undefined],
    ] as const;
    for (const server of [pair.real, pair.own])
      await expect
        .poll(() => Promise.all(expected.map(([path]) => read(server, path))), { timeout: 100_000, interval: 1000 })
        .toEqual(expected);
  });
});

if (missing !== undefined) console.log(`flow control compared with a real server: skipped: ${missing}`);
