// Bundles one program for Node with the bundlers of docs/guides/runtimes.md, and runs each bundle in a folder without
// node_modules. The bundlers are installed into a scratch folder. Arguments: names of bundlers (default: all).
import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { createApiServer } from "../../src/apiserver/index.js";
import { listen } from "../../src/apiserver/node/index.js";
import { pack } from "./pack.js";
import { blocksOf } from "./pages/tutorial.js";

const program = `
import { createInformer } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const client = await connect({ server: process.argv[2] });
const informer = createInformer(client.resource(ConfigMap).namespace("default"));
await informer.synced({ timeoutMs: 30_000 });
await informer.close();
console.log("synced");
const watch = { path: "/api/v1/namespaces/default/configmaps", query: { watch: true }, protocols: [], headers: { origin: process.argv[2] } };
await client.openWebSocket(watch).then((socket) => { socket.close(); console.log("open"); }, (error) => console.log(String(error)));
await client.close();
`;

/** The guide's command for esbuild. */
const esbuild = blocksOf("docs/guides/runtimes.md")
  .flat()
  .find((line) => line.startsWith("npx esbuild "))!;

/** The line that gives an ES module a `require`, for CommonJS packages inside it. */
const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

interface Bundler {
  /** Packages to install. */
  readonly packages: readonly string[];
  /** Files to write next to the program. */
  readonly files?: Readonly<Record<string, string>>;
  /** Command that bundles `main.mjs` into the folder `out`. It finds the packages' programs. */
  readonly command: readonly string[];
  /** Command that runs the bundle. */
  readonly run: readonly string[];
  /** Output for the WebSocket. Default: `open`. */
  readonly socket?: string;
}

const bundlers: Readonly<Record<string, Bundler>> = {
  esbuild: {
    packages: ["esbuild"],
    files: { "main.ts": program },
    command: ["bash", "-c", `${esbuild} && mkdir out && mv main.mjs out`],
    run: [process.execPath, "main.mjs"],
  },
  bun: {
    packages: ["bun"],
    command: ["bun", "build", "--compile", "main.mjs", "--outfile", "out/main"],
    run: ["./main"],
    // Bun puts its own `ws` in place of the package's.
    socket:
      "ConfigError: the package ws cannot be loaded: Bun replaces it and lacks parts of it; use Node for WebSockets",
  },
  webpack: {
    packages: ["webpack", "webpack-cli"],
    files: {
      "webpack.config.mjs": `export default {
        entry: "./main.mjs",
        mode: "production",
        target: "node20",
        experiments: { outputModule: true },
        output: { path: import.meta.dirname + "/out", filename: "main.mjs", module: true, chunkFormat: "module" },
        resolve: { alias: { bufferutil: false, "utf-8-validate": false } },
      };`,
    },
    command: ["webpack", "--fail-on-warnings"],
    run: [process.execPath, "main.mjs"],
  },
  rollup: {
    packages: ["rollup", "@rollup/plugin-node-resolve", "@rollup/plugin-commonjs", "@rollup/plugin-json"],
    files: {
      "rollup.config.mjs": `import commonjs from "@rollup/plugin-commonjs";
      import json from "@rollup/plugin-json";
      import { nodeResolve } from "@rollup/plugin-node-resolve";
      export default {
        input: "main.mjs",
        output: { dir: "out", entryFileNames: "main.mjs", banner: ${JSON.stringify(banner)} },
        plugins: [nodeResolve({ exportConditions: ["node"], preferBuiltins: true }), commonjs({ ignore: ["node:sqlite"] }), json()],
      };`,
    },
    command: ["rollup", "--config", "rollup.config.mjs", "--failAfterWarnings"],
    run: [process.execPath, "main.mjs"],
  },
};

/** Bundles the program, moves the bundle away from node_modules and runs it. */
async function check(app: string, { files = {}, command, run, socket = "open" }: Bundler, url: string): Promise<void> {
  for (const [name, text] of Object.entries({ "main.mjs": program, ...files })) writeFileSync(join(app, name), text);
  rmSync(join(app, "out"), { recursive: true, force: true });
  const [tool = "", ...words] = command;
  const path = [join(app, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  const environment = { ...process.env, PATH: path, npm_config_offline: "true" };
  execFileSync(tool, words, { cwd: app, env: environment, stdio: ["ignore", "ignore", "inherit"] });
  const away = realpathSync(mkdtempSync(join(tmpdir(), "kubestream-bundle-")));
  try {
    cpSync(join(app, "out"), away, { recursive: true });
    writeFileSync(join(away, "package.json"), '{"type":"module"}');
    const [first = "", ...rest] = run;
    const { stdout } = await promisify(execFile)(first, [...rest, url], { cwd: away, timeout: 60_000 });
    if (stdout !== `synced\n${socket}\n`) throw new Error(`unexpected output: ${stdout}`);
  } finally {
    rmSync(away, { recursive: true });
  }
}

const asked = process.argv.slice(2);
const chosen = Object.entries(bundlers).filter(([name]) => asked.length === 0 || asked.includes(name));
const packed = pack();
const app = realpathSync(mkdtempSync(join(tmpdir(), "kubestream-bundlers-")));
const server = createApiServer({ controllers: false });
const listener = await listen(server, { port: 0 });
try {
  writeFileSync(join(app, "package.json"), '{"type":"module","private":true}');
  const packages = chosen.flatMap(([, bundler]) => bundler.packages);
  const install = ["install", "--no-save", "--no-audit", "--no-fund", packed.tarball, ...packages];
  execFileSync("npm", install, { cwd: app, stdio: ["ignore", "ignore", "inherit"] });
  for (const [name, bundler] of chosen) {
    try {
      await check(app, bundler, listener.url);
      console.log(`${name}: ok`);
    } catch (error) {
      console.error(`${name}:`, error);
      process.exitCode = 1;
    }
  }
} finally {
  await listener.close();
  await server.close();
  rmSync(app, { recursive: true });
  rmSync(dirname(packed.app), { recursive: true, force: true });
}
