// Sequential small requests, a full list and a paged list: kubestream compared with bare undici and JSON.parse, in one
// run over loopback. They alternate, so that other work on the machine affects both.
//
// Run after `npm run build`: node test/bench/requests.mjs
import { fork } from "node:child_process";
import { createServer } from "node:http";
import { Agent, request } from "undici";
import { createClient } from "../../dist/index.js";
import { ConfigMap, Pod } from "../../dist/kinds/core/v1.js";
import { createUndiciTransport } from "../../dist/node/index.js";
import { podLists } from "./pod-lists.mjs";

const objects = 5_000;
const pageSize = 500;

if (process.argv[2] === "server") serve();
else await main();

/** Server with minimal cost: all responses are created beforehand. */
function serve() {
  const one = Buffer.from(
    JSON.stringify({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "x", uid: "u", resourceVersion: "7" },
      data: { key: "value".repeat(20) },
    }),
  );
  const { full, pages } = podLists({ objects, pageSize, variables: 10, managed: 30 });
  let connections = 0;
  const server = createServer({ keepAliveTimeout: 60_000 }, (message, response) => {
    const url = new URL(message.url, "http://x");
    const body = url.pathname.endsWith("/connections")
      ? Buffer.from(String(connections))
      : url.pathname.endsWith("/a")
        ? one
        : url.searchParams.has("limit")
          ? pages[Number(url.searchParams.get("continue") ?? 0)]
          : full;
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
  });
  server.on("connection", () => connections++);
  server.listen(0, "127.0.0.1", () => process.send(server.address().port));
}

async function main() {
  const server = fork(new URL(import.meta.url), ["server"]);
  const port = await new Promise((resolve) => server.once("message", resolve));
  const url = `http://127.0.0.1:${port}`;
  const agent = new Agent({ keepAliveTimeout: 60_000, connections: 4 });
  const client = createClient({ transport: createUndiciTransport({ server: url }) });
  const maps = client.resource(ConfigMap).namespace("x");
  const pods = client.resource(Pod).namespace("x");
  const bare = async (path) =>
    JSON.parse(
      await (await request(url + path, { dispatcher: agent, headers: { accept: "application/json" } })).body.text(),
    );

  const rows = [
    [
      "1,000 small reads, one after another",
      1_000,
      () => bare("/api/v1/namespaces/x/configmaps/a"),
      () => maps.get("a"),
    ],
    [
      `a list of ${objects.toLocaleString("en")} pods`,
      3,
      async () => (await bare("/api/v1/namespaces/x/pods")).items.length,
      async () => (await pods.list()).items.length,
    ],
    [
      `the same in pages of ${pageSize}`,
      3,
      async () => {
        let count = 0;
        let token = "";
        do {
          const page = await bare(`/api/v1/namespaces/x/pods?limit=${pageSize}${token && `&continue=${token}`}`);
          count += page.items.length;
          token = page.metadata.continue ?? "";
        } while (token !== "");
        return count;
      },
      async () => {
        let count = 0;
        for await (const page of pods.pages({ limit: pageSize })) count += page.items.length;
        return count;
      },
    ],
  ];
  const rounds = Number(process.env.ROUNDS ?? 7);
  console.log("| | bare undici + JSON.parse | kubestream | ratio |\n|---|---|---|---|");
  for (const [name, times, theirs, ours] of rows) {
    const measure = async (act) => {
      const cpu = process.cpuUsage();
      const begin = performance.now();
      for (let i = 0; i < times; i++) await act();
      const used = process.cpuUsage(cpu);
      return { wall: performance.now() - begin, cpu: (used.user + used.system) / 1000 };
    };
    // Warm up: exclude the compiler's first work from the measurement.
    for (let i = 0; i < 4; i++) for (const act of [theirs, ours]) await measure(act);
    const both = [[], []];
    for (let round = 0; round < rounds; round++) {
      // Alternate the order, so that neither always collects the other's garbage.
      for (const which of round % 2 ? [1, 0] : [0, 1]) both[which].push(await measure(which === 0 ? theirs : ours));
    }
    const middle = (runs, key) => runs.map((run) => run[key]).sort((a, b) => a - b)[Math.floor(runs.length / 2)];
    const [a, b] = both.map((runs) => ({ wall: middle(runs, "wall"), cpu: middle(runs, "cpu") }));
    console.log(
      `| ${name} | ${a.wall.toFixed(0)} ms (cpu ${a.cpu.toFixed(0)}) | ${b.wall.toFixed(0)} ms (cpu ${b.cpu.toFixed(0)}) | ${(b.wall / a.wall).toFixed(2)} (cpu ${(b.cpu / a.cpu).toFixed(2)}) |`,
    );
  }
  console.log(
    `connections of both together: ${await (await request(`${url}/connections`, { dispatcher: agent })).body.text()}`,
  );
  await client.close();
  await agent.close();
  server.kill();
}
