// Runs each recipe for a back end of docs/guides/dashboards.md, and uses the proxy behind it.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { WebSocket } from "ws";
import { createInformer } from "../../../src/cache/index.js";
import { createClient, fetchTransport } from "../../../src/index.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { createMux } from "../../../src/mux/index.js";
import { blockWith } from "./page-block.js";

/** A recipe and the way to run it. */
export interface ServerRecipe {
  readonly packages: readonly string[];
  /** Text that its block contains. */
  readonly text: string;
  /** File for the block. */
  readonly file: string;
  /** File of the proxy that the block imports. Default `proxy.js`. */
  readonly proxyFile?: string;
  /** More files of the project. */
  readonly files?: Readonly<Record<string, string>>;
  /** False if the recipe says that it has no WebSockets. */
  readonly sockets: boolean;
}

const proxy = `
import { openTransport } from "kubestream/node";
import { createProxy, readRules } from "kubestream/proxy";

const { transport } = await openTransport({ server: process.env.CLUSTER });
export const proxy = createProxy({
  clusters: { local: { transport } },
  authenticate: "none",
  allow: [...readRules, { verbs: ["create"], resources: ["configmaps"] }],
});
`;

/** Prints the address of a server that begins to listen. The recipes don't. */
const report = `
import { Server } from "node:net";

const { listen } = Server.prototype;
Server.prototype.listen = function (...words) {
  this.once("listening", () => console.log("http://localhost:" + this.address().port));
  return listen.apply(this, words);
};
`;

const page = `export default function Page() { return "dashboard"; }`;

export const servers: Readonly<Record<string, ServerRecipe>> = {
  hono: {
    packages: ["hono", "@hono/node-server"],
    text: "// Hono on Node",
    file: "hono.mjs",
    sockets: true,
  },
  express: {
    packages: ["express"],
    text: "// Express",
    file: "express.mjs",
    sockets: true,
  },
  fastify: {
    packages: ["fastify"],
    text: "// Fastify",
    file: "fastify.mjs",
    sockets: true,
  },
  next: {
    packages: ["next", "react", "react-dom"],
    text: "// Next.js",
    file: "app/clusters/[[...path]]/route.js",
    proxyFile: "lib/cluster-proxy.js",
    files: {
      "app/layout.js": `export default function Layout({ children }) { return <html><body>{children}</body></html>; }`,
      "app/page.js": page,
    },
    sockets: false,
  },
};

/** Runs a recipe in front of a cluster and uses it. */
export async function checkServer(
  app: string,
  { name, recipe }: { readonly name: string; readonly recipe: ServerRecipe },
  cluster: string,
): Promise<void> {
  const block = blockWith("docs/guides/dashboards.md", "Recipes", recipe.text);
  const { proxyFile = "proxy.js", files } = recipe;
  // Next.js looks for itself in the folder of the project only.
  const cwd = name === "next" ? app : join(app, name);
  const written = {
    "package.json": '{"type":"module","private":true}',
    "report.mjs": report,
    [proxyFile]: proxy,
    ...files,
    [recipe.file]: block,
  };
  for (const [file, text] of Object.entries(written)) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    // Any free port.
    writeFileSync(join(cwd, file), text.replaceAll(/\b3000\b/g, "0"));
  }
  const env = { ...process.env, CLUSTER: cluster, NEXT_TELEMETRY_DISABLED: "1" };
  const next = join(app, "node_modules/.bin/next");
  if (name === "next") execFileSync(next, ["build"], { cwd, env, stdio: ["ignore", "ignore", "inherit"] });
  const [program, words] =
    name === "next" ? [next, ["start", "--port", "0"]] : [process.execPath, ["--import", "./report.mjs", recipe.file]];
  const child = spawn(program, words, { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  try {
    await use(await addressOf(child), recipe.sockets);
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the server exited with ${String(code)}`)));
    createInterface({ input: child.stdout! }).on("line", (line) => {
      const [, port] = /http:\/\/localhost:(\d+)/.exec(line) ?? [];
      if (port !== undefined) resolve(`http://localhost:${port}`);
    });
  });
}

/** Lists, writes and watches over HTTP, and over a WebSocket. */
async function use(url: string, sockets: boolean): Promise<void> {
  const clusters = (await (await fetch(`${url}/clusters`)).json()) as object;
  if (!JSON.stringify(clusters).includes('"local"')) throw new Error(`/clusters: ${JSON.stringify(clusters)}`);
  const path = "/clusters/local/api/v1/namespaces/default/configmaps";
  const foreign = await fetch(url + path, { method: "POST", headers: { origin: "http://evil.test" }, body: "{}" });
  if (foreign.status !== 403) throw new Error(`a page of another origin got ${foreign.status}`);
  const transport = fetchTransport({ url: `${url}/clusters/local` });
  await follow(transport, "http");
  if (!sockets) return;
  const mux = createMux({
    transport: fetchTransport({
      url: `${url}/clusters`,
      WebSocket: WebSocket as unknown as typeof globalThis.WebSocket,
    }),
  });
  await follow(mux.transport("local"), "mux");
  await mux.close();
}

/** Expects that an informer sees an object that is created later: the server must not hold back what it streams. */
async function follow(transport: ReturnType<typeof fetchTransport>, prefix: string): Promise<void> {
  await using client = createClient({ transport });
  const maps = client.resource(ConfigMap).namespace("default");
  await using informer = createInformer(maps);
  await informer.synced({ timeoutMs: 30_000 });
  const { metadata } = await maps.create({ metadata: { name: `${prefix}-${Date.now()}` } });
  await informer.waitForResourceVersion(metadata!.resourceVersion!, { timeoutMs: 30_000 });
  if (informer.store.get(`default/${metadata!.name!}`) === undefined) throw new Error(`${prefix}: not in the store`);
}
