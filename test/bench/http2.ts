// Requests through kubestream compared with bare undici and JSON.parse, over HTTP/1.1 and HTTP/2, in one run.
//
// tsx test/bench/http2.ts [KUBECONFIG]: uses its own server, or a real one.
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import { fileURLToPath } from "node:url";
import { Agent, request } from "undici";
import { Pod } from "../../src/kinds/core/v1.js";
import type { ConnectedClient } from "../../src/node/connection/connect.js";
import { connect } from "../../src/node/connection/connect.js";

const pki = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../unit/node/pki/${name}`, import.meta.url)), "utf8");

const pod = (index: number): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: `pod-${String(index)}`,
    namespace: "web",
    uid: `${String(index)}-0000`,
    resourceVersion: String(1_000 + index),
    labels: { app: "web", "pod-template-hash": "abc" },
    annotations: { note: "x".repeat(200) },
  },
  spec: {
    nodeName: `node-${String(index % 50)}`,
    containers: [
      {
        name: "main",
        image: "registry/app:1",
        env: Array.from({ length: 10 }, (_, number) => ({
          name: `VARIABLE_${String(number)}`,
          value: `value ${String(number)}`,
        })),
      },
    ],
  },
  status: {
    phase: "Running",
    podIP: "10.0.0.1",
    conditions: Array.from({ length: 4 }, (_, number) => ({
      type: `Condition${String(number)}`,
      status: "True",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    })),
  },
});

function serve(): void {
  const one = JSON.stringify(pod(1));
  const list = JSON.stringify({
    apiVersion: "v1",
    kind: "PodList",
    metadata: { resourceVersion: "9" },
    items: Array.from({ length: 1_000 }, (_, index) => pod(index)),
  });
  const server = createSecureServer(
    { allowHTTP1: true, cert: pki("server.crt"), key: pki("server.key") },
    (incoming, response) => {
      const body = incoming.url.includes("/pods/") ? one : list;
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
      response.end(body);
    },
  );
  server.listen(0, "127.0.0.1", () => process.send!((server.address() as { port: number }).port));
}

interface Contender {
  readonly name: string;
  get(): Promise<unknown>;
  list(): Promise<unknown>;
  close(): Promise<void>;
}

function bare(origin: string, http2: boolean): Contender {
  const agent = new Agent({ connect: { ca: pki("ca.crt") }, allowH2: http2 });
  const call = async (path: string): Promise<unknown> =>
    JSON.parse(await (await request(`${origin}${path}`, { dispatcher: agent })).body.text());
  return {
    name: `undici, HTTP/${http2 ? "2" : "1.1"}`,
    get: () => call("/api/v1/namespaces/web/pods/pod-1"),
    list: () => call("/api/v1/namespaces/web/pods"),
    close: () => agent.close(),
  };
}

function ours(client: ConnectedClient, http2: boolean, namespace: string, name: string): Contender {
  const pods = client.resource(Pod).namespace(namespace);
  return {
    name: `kubestream, HTTP/${http2 ? "2" : "1.1"}`,
    get: () => pods.get(name),
    list: () => pods.list(),
    close: () => client.close(),
  };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

const jobs: Record<string, (contender: Contender) => Promise<unknown>> = {
  "500 gets in sequence": async (contender) => {
    for (let index = 0; index < 500; index++) await contender.get();
  },
  "500 gets, 50 at a time": (contender) =>
    Promise.all(
      Array.from({ length: 50 }, async () => {
        for (let index = 0; index < 10; index++) await contender.get();
      }),
    ),
  "20 lists in sequence": async (contender) => {
    for (let index = 0; index < 20; index++) await contender.list();
  },
};

async function compare(contenders: readonly Contender[]): Promise<void> {
  for (const [name, job] of Object.entries(jobs)) {
    const best = new Map<string, number>();
    for (let round = 0; round < 7; round++) {
      for (const contender of contenders)
        best.set(contender.name, Math.min(best.get(contender.name) ?? Infinity, await timed(() => job(contender))));
    }
    const [opponent] = best.values();
    console.log(name);
    for (const [contender, ms] of best)
      console.log(
        `  ${contender.padEnd(24)} ${ms.toFixed(1).padStart(8)} ms   ${(ms / opponent!).toFixed(2)} of ${contenders[0]!.name}`,
      );
  }
  for (const contender of contenders) await contender.close();
}

if (process.send) serve();
else if (process.argv[2] !== undefined) {
  const kubeconfig = process.argv[2];
  const [first, second] = [await connect({ kubeconfig }), await connect({ kubeconfig, http2: true })];
  const namespace = `bench-${String(Date.now())}`;
  await first.request({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
  });
  const pods = first.resource(Pod).namespace(namespace);
  for (let index = 0; index < 300; index++)
    await pods.create({
      ...(pod(index) as Pod),
      metadata: { name: `pod-${String(index)}` },
      spec: { containers: [{ name: "main", image: "i" }] },
    });
  await compare([ours(first, false, namespace, "pod-1"), ours(second, true, namespace, "pod-1")]);
} else {
  const child = fork(fileURLToPath(import.meta.url), { execArgv: process.execArgv });
  const port = await new Promise<number>(
    (resolve) => void child.once("message", (message) => resolve(message as number)),
  );
  const origin = `https://127.0.0.1:${String(port)}`;
  const options = { server: origin, ca: pki("ca.crt"), env: {}, compression: false };
  await compare([
    bare(origin, false),
    ours(await connect(options), false, "web", "pod-1"),
    bare(origin, true),
    ours(await connect({ ...options, http2: true }), true, "web", "pod-1"),
  ]);
  child.kill();
}
