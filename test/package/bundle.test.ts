import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build } from "esbuild";
import { type Rollup, build as viteBuild } from "vite";
import { describe, expect, inject, it } from "vitest";
import { importPaths, manifest, root } from "./pack.js";

const { app, folder } = inject("packed");

/** Bundles a program for the browser and returns its size in bytes. */
async function bundle(source: string): Promise<{ bytes: number; gzip: number }> {
  const result = await build({
    stdin: { contents: source, resolveDir: app, loader: "ts" },
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    // A page that uses the hooks has React anyway.
    external: ["react"],
    logLevel: "silent",
    preserveSymlinks: false,
  });
  const contents = result.outputFiles[0]!.contents;
  return { bytes: contents.length, gzip: gzipSync(contents, { level: 9 }).length };
}

/**
 * Builds a page with Vite, which splits the code, and returns the bytes of JavaScript (gzip) that it loads before its
 * first request: the entry and all that it imports statically.
 */
async function loadedBytes(source: string): Promise<number> {
  const page = mkdtempSync(join(app, "page-"));
  writeFileSync(join(page, "main.js"), source);
  const built = (await viteBuild({
    root: page,
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      target: "es2022",
      modulePreload: false,
      rollupOptions: { input: join(page, "main.js"), external: ["react"] },
    },
  })) as Rollup.RollupOutput;
  rmSync(page, { recursive: true });
  const chunks = new Map(
    built.output.flatMap((each) => (each.type === "chunk" ? [[each.fileName, each] as const] : [])),
  );
  const loaded = new Set(Array.from(chunks.values()).filter(({ isEntry }) => isEntry));
  // A set also iterates over what is added on the way.
  for (const { imports } of loaded) for (const name of imports) if (chunks.has(name)) loaded.add(chunks.get(name)!);
  return Array.from(loaded, ({ code }) => gzipSync(code, { level: 9 }).length).reduce((sum, bytes) => sum + bytes, 0);
}

describe("browser bundle:", () => {
  it.each(
    importPaths()
      .filter((entry) => !entry.node && !entry.path.includes("/kinds/"))
      .map((entry) => entry.path),
  )("%s needs no Node built-ins", async (path) => {
    await expect(bundle(`import * as all from ${JSON.stringify(path)}; console.log(all);`)).resolves.toBeDefined();
  });

  it.each(
    importPaths()
      .filter((entry) => entry.node)
      .map((entry) => entry.path),
  )("%s fails to resolve in a browser bundle", async (path) => {
    await expect(bundle(`import * as all from ${JSON.stringify(path)}; console.log(all);`)).rejects.toThrow(
      /Could not resolve/,
    );
  });

  it("all kinds can be bundled together", async () => {
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

/** Upper bounds in bytes after minification and gzip. */
const budgets: [name: string, limit: number, source: string][] = [
  [
    "a program that lists one kind",
    60_000,
    `import { createClient, fetchTransport } from "kubestream"; import { Pod } from "kubestream/kinds/core/v1";
    const client = createClient({ transport: fetchTransport({ url: "https://example.test" }) });
    console.log(await client.resource(Pod).list());`,
  ],
  [
    "a program with an informer and Observables",
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
    25_900,
    `import { coreV1, protobufFor } from "kubestream/codec/protobuf"; console.log(protobufFor([coreV1]));`,
  ],
  [
    "Protobuf of all built-in kinds",
    38_000,
    `import { protobuf } from "kubestream/codec/protobuf"; console.log(protobuf());`,
  ],
  ["CBOR", 8_000, `import { cbor } from "kubestream/codec/cbor"; console.log(cbor());`],
  ["a kind descriptor only", 400, `import { Pod } from "kubestream/kinds/core/v1"; console.log(Pod);`],
];

it.each(budgets)("browser bundle of %s stays within %i bytes of gzip", async (_name, limit, source) => {
  const { gzip } = await bundle(source);
  expect(gzip).toBeLessThanOrEqual(limit);
});

const readOnlyPage = `import { createListerWatcher, fetchTransport } from "kubestream";
  import { createInformer } from "kubestream/cache"; import { Pod } from "kubestream/kinds/core/v1";
  const source = createListerWatcher(Pod, { transport: fetchTransport({ url: "/clusters/prod" }) });
  createInformer(source).addHandler(console.log);`;
const clientPage = `import { createClient, fetchTransport } from "kubestream";
  import { createInformer } from "kubestream/cache"; import { Pod } from "kubestream/kinds/core/v1";
  const client = createClient({ transport: fetchTransport({ url: "/clusters/prod" }) });
  createInformer(client.resource(Pod)).addHandler(console.log);`;

it.each([
  ["over a read-only source", 32_200, readOnlyPage],
  ["of a client that can also write", 38_300, clientPage],
])("a page with an informer %s loads at most %i bytes of gzip", async (_source, limit, source) => {
  const bytes = await loadedBytes(source);
  expect(bytes).toBeLessThanOrEqual(limit);
  // Far below, something is missing, and the budget no longer means anything.
  expect(bytes).toBeGreaterThan(limit * 0.9);
});

it.each([
  [
    "the hooks for collections, objects and writes",
    4_800,
    5_100,
    "KubestreamProvider, useInformer, useObject, useMutation",
  ],
  [
    "all hooks, with tables and access reviews",
    6_000,
    8_600,
    "KubestreamProvider, useInformer, useObject, useMutation, useTable, useAccess",
  ],
])("%s add at most %i bytes of gzip to a page with an informer, and %i to a bundle of one file", async (...row) => {
  const [, loaded, inOneFile, names] = row;
  const client = `import { createClient, fetchTransport } from "kubestream"; import { Pod } from "kubestream/kinds/core/v1";
    const client = createClient({ transport: fetchTransport({ url: "https://example.test" }) });`;
  const informer = `${client} import { createInformer } from "kubestream/cache";
    console.log(createInformer(client.resource(Pod)));`;
  const hooks = `${client} import { createElement } from "react"; import { ${names} } from "kubestream/react";
    console.log(createElement(KubestreamProvider, { client }), Pod, ${names});`;
  const added = (await loadedBytes(hooks)) - (await loadedBytes(informer));
  expect(added).toBeLessThanOrEqual(loaded);
  expect(added).toBeGreaterThan(loaded * 0.9);
  // Without splitting, a bundle has the code that is loaded on demand, too.
  expect((await bundle(hooks)).gzip - (await bundle(informer)).gzip).toBeLessThanOrEqual(inOneFile);
});

it("multiplexed requests add at most 8,000 bytes of gzip to a page with an informer", async () => {
  const page = (transport: string) => `import { createClient, fetchTransport } from "kubestream";
    import { createInformer } from "kubestream/cache"; import { createMux } from "kubestream/mux";
    import { Pod } from "kubestream/kinds/core/v1";
    const client = createClient({ transport: ${transport} }); console.log(createInformer(client.resource(Pod)));`;
  const plain = await bundle(page(`fetchTransport({ url: "/clusters/a" })`));
  const mux = await bundle(page(`createMux({ transport: fetchTransport({ url: "/clusters" }) }).transport("a")`));
  expect(mux.gzip - plain.gzip).toBeLessThanOrEqual(8_000);
  expect(mux.gzip - plain.gzip).toBeGreaterThan(1_000);
});

describe("bundle for Node", () => {
  /**
   * Creates a project that depends on another version of undici, so that npm nests the package's own version inside the
   * package.
   */
  function projectWithOtherUndici(): string {
    const project = realpathSync(mkdtempSync(join(tmpdir(), "kubestream-bundle-")));
    const [own, inner] = [join(project, "node_modules"), join(project, "node_modules/kubestream/node_modules")];
    mkdirSync(own);
    cpSync(folder, join(own, "kubestream"), { recursive: true });
    mkdirSync(inner);
    for (const name of Object.keys(manifest().dependencies)) {
      mkdirSync(dirname(join(inner, name)), { recursive: true });
      symlinkSync(join(root, "node_modules", name), join(inner, name));
    }
    const files = {
      "index.js": "",
      "lib/dispatcher/client.js": "",
      "lib/core/connect.js": "",
      "package.json": '{"version":"6.0.0"}',
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(own, "undici", path)), { recursive: true });
      writeFileSync(
        join(own, "undici", path),
        text || "module.exports = class { constructor() { throw new Error('the other undici') } }",
      );
    }
    return project;
  }

  async function bundleForNode(
    project: string,
    more: BuildOptions = {},
  ): Promise<{ out: string; inputs: [string, number][] }> {
    const out = join(project, more.format === "esm" ? "program.mjs" : "program.cjs");
    const { metafile } = await build({
      stdin: {
        contents: `import { connect } from "kubestream/node";
          connect({ server: process.argv[2], retry: false }).then((client) => client.request({ path: "/version" }))
            .then((response) => response.text()).then(console.log, (error) => console.log(String(error)));`,
        resolveDir: project,
      },
      bundle: true,
      outfile: out,
      format: "cjs",
      platform: "node",
      minify: true,
      metafile: true,
      logLevel: "silent",
      ...more,
    });
    const output = Object.values(metafile!.outputs)[0]!;
    return { out, inputs: Object.entries(output.inputs).map(([path, { bytesInOutput }]) => [path, bytesInOutput]) };
  }

  async function runAgainstServer(program: string): Promise<string> {
    const server = createServer((_request, response) => response.end("hello"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
      return (await promisify(execFile)(process.execPath, [program, url])).stdout.trim();
    } finally {
      server.closeAllConnections();
      server.close();
    }
  }

  it("contains only the parts of undici that kubestream needs, even next to another version", async () => {
    const project = projectWithOtherUndici();
    try {
      const { out, inputs } = await bundleForNode(project);
      expect(await runAgainstServer(out)).toBe("hello");
      const undici = inputs.filter(([path]) => path.includes("node_modules/undici/"));
      expect(undici.filter(([path]) => path.includes("/lib/web/fetch/index.js"))).toEqual([]);
      expect(undici.reduce((sum, [, bytes]) => sum + bytes, 0)).toBeLessThan(300_000);
    } finally {
      rmSync(project, { recursive: true });
    }
  });

  const esm: BuildOptions = { format: "esm" };

  it("runs as an ES module with a require in its banner, away from node_modules", async () => {
    const project = projectWithOtherUndici();
    try {
      const banner = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";
      const { out } = await bundleForNode(project, { ...esm, banner: { js: banner } });
      rmSync(join(project, "node_modules"), { recursive: true });
      expect(await runAgainstServer(out)).toBe("hello");
    } finally {
      rmSync(project, { recursive: true });
    }
  });

  it("fails at once and names the banner if an ES module has no require", async () => {
    const project = projectWithOtherUndici();
    try {
      const { out } = await bundleForNode(project, esm);
      expect(await runAgainstServer(out)).toMatch(
        /^ConfigError: the package undici cannot be loaded: this bundle is an ES module without `require`; add it in a banner/,
      );
    } finally {
      rmSync(project, { recursive: true });
    }
  });

  it("ends an informer for good if a package is missing", async () => {
    const project = projectWithOtherUndici();
    try {
      const source = `import { createInformer } from "kubestream/cache";
        import { createClient } from "kubestream";
        import { ConfigMap } from "kubestream/kinds/core/v1";
        import { createUndiciTransport } from "kubestream/node";
        const client = createClient({ transport: createUndiciTransport({ server: process.argv[2] }) });
        const informer = createInformer(client.resource(ConfigMap));
        informer.synced().catch((error) => console.log(error.name, informer.status.type, informer.status.error.name));`;
      const { out } = await bundleForNode(project, { ...esm, stdin: { contents: source, resolveDir: project } });
      expect(await runAgainstServer(out)).toBe("ClosedError closed ConfigError");
    } finally {
      rmSync(project, { recursive: true });
    }
  });

  it("reports the missing package if undici is left out", async () => {
    const project = projectWithOtherUndici();
    try {
      const { out } = await bundleForNode(project, { external: ["undici"] });
      rmSync(join(project, "node_modules"), { recursive: true });
      expect(await runAgainstServer(out)).toMatch(
        /^ConfigError: the package undici cannot be loaded \((?:ERR_)?MODULE_NOT_FOUND\): install the dependencies of kubestream/,
      );
    } finally {
      rmSync(project, { recursive: true });
    }
  });
});
