import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, inject, it } from "vitest";
import { importPaths } from "./pack.js";

const { app } = inject("packed");

/** What a browser would load of a program, in bytes. */
async function bundle(source: string): Promise<{ bytes: number; gzip: number }> {
  const result = await build({
    stdin: { contents: source, resolveDir: app, loader: "ts" },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    logLevel: "silent",
    preserveSymlinks: false,
  });
  const contents = result.outputFiles[0]!.contents;
  return { bytes: contents.length, gzip: gzipSync(contents, { level: 9 }).length };
}

describe("in a browser", () => {
  it.each(
    importPaths()
      .filter((entry) => !entry.node && !entry.path.includes("/kinds/"))
      .map((entry) => entry.path),
  )("%s bundles without anything of Node", async (path) => {
    await expect(bundle(`import * as all from ${JSON.stringify(path)}; console.log(all);`)).resolves.toBeDefined();
  });

  it.each(
    importPaths()
      .filter((entry) => entry.node)
      .map((entry) => entry.path),
  )("%s says that it is not for browsers", async (path) => {
    await expect(bundle(`import * as all from ${JSON.stringify(path)}; console.log(all);`)).rejects.toThrow(
      /Could not resolve/,
    );
  });

  it("all kinds together bundle", async () => {
    const kinds = importPaths().filter((entry) => entry.path.includes("/kinds/"));
    await bundle(
      kinds
        .map(
          (entry, index) =>
            `import * as k${String(index)} from ${JSON.stringify(entry.path)}; console.log(k${String(index)});`,
        )
        .join("\n"),
    );
  });
});

/** Upper bounds in bytes after minifying and gzip; the comment of a row says what it is for. */
const budgets: [name: string, limit: number, source: string][] = [
  [
    "a program that lists one kind",
    60_000,
    `import { createClient, fetchTransport } from "kubestream"; import { Pod } from "kubestream/kinds/core/v1";
    const client = createClient({ transport: fetchTransport({ url: "https://example.test" }) });
    console.log(await client.resource(Pod).list());`,
  ],
  [
    "the same with informer and Observables",
    90_000,
    `import { createClient, fetchTransport } from "kubestream"; import { Pod } from "kubestream/kinds/core/v1";
    import { createInformer } from "kubestream/cache"; import { fromInformer } from "kubestream/rx";
    const client = createClient({ transport: fetchTransport({ url: "https://example.test" }) });
    fromInformer(createInformer(client.resource(Pod))).subscribe(console.log);`,
  ],
  [
    "a controller",
    90_000,
    `import { createClient, fetchTransport } from "kubestream"; import { ConfigMap } from "kubestream/kinds/core/v1";
    import { createController } from "kubestream/controller";
    const client = createClient({ transport: fetchTransport({ url: "https://example.test" }) });
    createController({ name: "c", for: client.resource(ConfigMap), reconcile: console.log }).start();`,
  ],
  [
    "Protobuf of one group-version",
    22_000,
    `import { coreV1, protobufFor } from "kubestream/codec/protobuf"; console.log(protobufFor([coreV1]));`,
  ],
  [
    "Protobuf of all built-in kinds",
    36_000,
    `import { protobuf } from "kubestream/codec/protobuf"; console.log(protobuf());`,
  ],
  ["CBOR", 8_000, `import { cbor } from "kubestream/codec/cbor"; console.log(cbor());`],
  ["a descriptor alone", 400, `import { Pod } from "kubestream/kinds/core/v1"; console.log(Pod);`],
];

it.each(budgets)("%s stays within %i bytes of gzip", async (_name, limit, source) => {
  const { gzip } = await bundle(source);
  expect(gzip).toBeLessThanOrEqual(limit);
});
