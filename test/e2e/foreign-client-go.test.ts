import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Listener } from "../../src/apiserver/node/listen.js";
import { listen } from "../../src/apiserver/node/listen.js";
import type { ApiServer } from "../../src/apiserver/server.js";
import { createApiServer } from "../../src/apiserver/server.js";

const missing = spawnSync("go", ["version"]).status !== 0;
if (missing) console.log("client-go against the embedded server: skipped, there is no Go on this machine");

const seed = Number(process.env["SEED"] ?? 1);

/** Returns a seeded random number generator (mulberry32). */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

describe.skipIf(missing)(`client-go's typed informers over Protobuf (seed ${String(seed)})`, () => {
  let server: ApiServer;
  let listener: Listener;
  let folder: string;
  let program: ChildProcessWithoutNullStreams;
  let lines: AsyncIterator<string>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kubestream-client-go-"));
    const binary = join(folder, "informers");
    const built = spawnSync("go", ["build", "-o", binary, "."], {
      cwd: fileURLToPath(new URL("../foreign/client-go", import.meta.url)),
      encoding: "utf8",
      env: { ...process.env, GOFLAGS: "-mod=mod" },
    });
    if (built.status !== 0) throw new Error(built.stderr);
    server = createApiServer();
    listener = await listen(server);
    const kubeconfig = join(folder, "kubeconfig");
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "c", cluster: { server: listener.url } }],
        contexts: [{ name: "c", context: { cluster: "c", user: "" } }],
        "current-context": "c",
      }),
    );
    program = spawn(binary, ["default"], { env: { ...process.env, KUBECONFIG: kubeconfig } });
    program.stderr.pipe(process.stderr);
    lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe("synced");
  }, 600_000);

  afterAll(async () => {
    if (program !== undefined && program.exitCode === null) {
      const ended = new Promise((resolve) => program.once("close", resolve));
      program.stdin.end();
      await ended;
    }
    await listener?.close();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const send = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const response = await server.handle(
      new Request(`http://server${path}`, {
        method,
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": type } }),
      }),
    );
    return (await response.json()) as Record<string, unknown>;
  };

  const paths: Record<string, string> = {
    pods: "/api/v1/namespaces/default/pods",
    configmaps: "/api/v1/namespaces/default/configmaps",
    deployments: "/apis/apps/v1/namespaces/default/deployments",
  };
  const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const bodies: Record<string, Record<string, unknown>> = {
    pods: { spec: template.spec },
    configmaps: { data: { a: "b" } },
    deployments: { spec: { selector: { matchLabels: { app: "x" } }, template } },
  };

  const wanted = async (): Promise<unknown> => {
    const answer: Record<string, Record<string, string>> = {};
    for (const [kind, path] of Object.entries(paths)) {
      const { items } = (await send("GET", path)) as {
        items: { metadata: { namespace: string; name: string; resourceVersion: string } }[];
      };
      answer[kind] = Object.fromEntries(
        items.map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.resourceVersion]),
      );
    }
    return answer;
  };

  it("sync and follow churn, compactions and dropped histories", async () => {
    const random = randomFrom(seed);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
    for (let round = 0; round < 10; round += 1) {
      for (let step = 0; step < 40; step += 1) {
        const kind = pick(Object.keys(paths));
        const name = `o${String(Math.floor(random() * 12))}`;
        const action = pick(["POST", "POST", "PATCH", "PATCH", "DELETE"]);
        if (action === "POST") await send("POST", paths[kind]!, { metadata: { name }, ...bodies[kind] });
        else if (action === "PATCH")
          await send("PATCH", `${paths[kind]!}/${name}`, {
            metadata: { labels: { step: `${String(round)}-${String(step)}` } },
          });
        else await send("DELETE", `${paths[kind]!}/${name}?gracePeriodSeconds=0`);
      }
      if (round % 3 === 2) server.compact();
      await server.settled();
      const goal = JSON.stringify(await wanted());
      let seen = "";
      // The program responds immediately; its stores follow as fast as its watches.
      for (let attempt = 0; attempt < 2000 && seen !== goal; attempt += 1) {
        if (attempt > 0) await delay(20);
        program.stdin.write("\n");
        const stores = JSON.parse(String((await lines.next()).value)) as Record<string, Record<string, string>>;
        seen = JSON.stringify(
          Object.fromEntries(
            Object.keys(paths).map((kind) => [
              kind,
              Object.fromEntries(Object.entries(stores[kind]!).sort(([a], [b]) => (a < b ? -1 : 1))),
            ]),
          ),
        );
      }
      expect(JSON.parse(seen)).toEqual(JSON.parse(goal));
    }
  });
});
