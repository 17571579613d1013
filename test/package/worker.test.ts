import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { describe, expect, inject, it } from "vitest";

const { app, folder } = inject("packed");

/** Follows ConfigMaps of an embedded API server with a decoding worker, and prints what an informer got. */
const program = `
import { createApiServer } from "kubestream/apiserver";
import { listen } from "kubestream/apiserver/node";
import { createInformer } from "kubestream/cache";
import { ConfigMap } from "kubestream/kinds/core/v1";
import { connect } from "kubestream/node";

const server = createApiServer();
const port = await listen(server);
const plain = await connect({ server: port.url, namespace: "default" });
const write = (i, text) =>
  plain.resource(ConfigMap).namespace("default").apply(
    { metadata: { name: "map-" + i }, data: { text } }, { fieldManager: "test", force: true });
for (let i = 0; i < 10; i++) await write(i, "first");
const client = await connect({
  server: port.url,
  decodeInWorker: process.argv[2] === undefined ? true : new URL(process.argv[2]),
});
const maps = client.resource(ConfigMap).namespace("default");
const informer = createInformer(maps, { bulkEncoding: { objects: 0 } });
let changes = 0;
const changed = new Promise((resolve) => {
  informer.addHandler(({ type, object }) => {
    if (type === "updated" && object.data.text === "second" && ++changes === 10) resolve();
  }).synced().then(() => Promise.all(Array.from({ length: 10 }, (_, i) => write(i, "second"))));
});
await changed;
const { state, responses, failures } = client.decodingWorker;
// The namespace has a ConfigMap of its own.
const written = [...informer.store.values()].filter(({ metadata }) => metadata.name.startsWith("map-"));
const texts = written.map((map) => map.metadata.name + " " + map.data.text);
console.log(JSON.stringify({ state, responses, failures, encoding: informer.metrics.encoding.state, texts: texts.sort() }));
await client.close();
await plain.close();
await port.close();
await server.close();
`;

const expected = {
  state: "running",
  responses: 1,
  failures: 0,
  encoding: "bulk",
  texts: Array.from({ length: 10 }, (_, i) => `map-${String(i)} second`),
};

/** Runs a program, and returns the last line that it prints, or the message of its error. */
async function run(file: string, ...words: string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [file, ...words], { timeout: 120_000 });
    return stdout.trim().split("\n").at(-1)!;
  } catch (error) {
    return (error as { stderr?: string }).stderr ?? String(error);
  }
}

describe("the option decodeInWorker", () => {
  it("follows a collection in a worker thread, and the process ends after the client was closed", async () => {
    const file = join(app, "worker.mjs");
    writeFileSync(file, program);
    expect(JSON.parse(await run(file))).toEqual(expected);
  });

  it("needs the worker's file in a bundle, and takes its URL", async () => {
    const place = mkdtempSync(join(realpathSync(tmpdir()), "kubestream-worker-"));
    try {
      const file = join(place, "bundle.mjs");
      const banner = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";
      await build({
        stdin: { contents: program, resolveDir: app },
        bundle: true,
        outfile: file,
        format: "esm",
        platform: "node",
        banner: { js: banner },
        logLevel: "silent",
      });
      expect(await run(file)).toMatch(
        /ConfigError: options\.decodeInWorker: decoding-worker\.js isn't next to this bundle/,
      );
      // The copy needs undici, as a program that isn't bundled does.
      const copy = join(app, "copied-worker.mjs");
      copyFileSync(join(folder, "dist/node/decoding-worker.js"), copy);
      expect(JSON.parse(await run(file, `file://${copy}`))).toEqual(expected);
      expect(await run(file, "file:///missing.js")).toMatch(
        /options\.decodeInWorker: no file at file:\/\/\/missing\.js/,
      );
    } finally {
      rmSync(place, { recursive: true });
    }
  });
});
