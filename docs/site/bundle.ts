// Bundles the programs of the landing page and the playground: `tsx docs/site/bundle.ts FOLDER`.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { writeDeclarations } from "../../test/package/build/declarations.js";
import { publicModules, root } from "../../test/package/build/entries.js";

const site = process.argv[2]!;
/** These modules need Node, or a service worker. */
const left: ReadonlySet<string> = new Set(["node/index", "apiserver/node/index", "apiserver/msw/index"]);
const modules = publicModules().filter((name) => !left.has(name));
/** TypeScript's declarations of the language and the browser that a program can use. */
const libraries = /^lib\.(?:es5|es20(?:1\d|2[0-3])|decorators|esnext\.disposable|dom\.d|dom\.asynciterable)/;

const common: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  logLevel: "warning",
  tsconfig: join(root, "test/tsconfig.json"),
  alias: {
    yaml: "./node_modules/yaml/browser/index.js",
    "@noble/hashes/sha2.js": "./node_modules/@noble/hashes/sha2.js",
  },
};

async function bundle(): Promise<void> {
  await build({
    ...common,
    splitting: true,
    outdir: join(site, "assets/app"),
    chunkNames: "shared/[name]-[hash]",
    entryPoints: {
      landing: "docs/site/landing/cluster.ts",
      page: "docs/site/playground/page.ts",
      runner: "docs/site/playground/runner.ts",
      ...Object.fromEntries(modules.map((name) => [`modules/${name}`, `src/${name}.ts`])),
      "modules/rxjs": "node_modules/rxjs/dist/esm5/index.js",
    },
  });
  // A classic worker, so that it also starts in browsers without module workers.
  await build({
    ...common,
    outfile: join(site, "assets/app/language.js"),
    entryPoints: ["docs/site/playground/language.ts"],
    format: "iife",
    define: { "import.meta.url": "self.location.href" },
  });
}

function importName(module: string): string {
  return `kubestream/${module}`.replace(/\/index$/, "");
}

/** Writes the declarations that the editor's types come from. */
async function writeTypes(): Promise<void> {
  mkdirSync(join(root, ".build"), { recursive: true });
  const folder = mkdtempSync(join(root, ".build/types-"));
  const files: Record<string, string> = {};
  const add = (from: string, to: string, keep: (name: string) => boolean): void => {
    for (const name of readdirSync(from, { recursive: true }) as string[])
      if (name.endsWith(".d.ts") && keep(name)) files[`${to}/${name}`] = readFileSync(join(from, name), "utf8");
  };
  try {
    await writeDeclarations(folder);
    add(folder, "/types/kubestream", (name) => !left.has(name.replace(/\.d\.ts$/, "")));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  add(join(root, "node_modules/rxjs/dist/types"), "/types/rxjs", (name) => /^(?:index\.d|internal)/.test(name));
  add(join(root, "node_modules/typescript/lib"), "/lib", (name) => libraries.test(name));
  const names = Object.fromEntries(modules.map((module) => [importName(module), `modules/${module}.js`]));
  writeFileSync(
    join(site, "assets/app/types.json"),
    JSON.stringify({ files, modules: { ...names, rxjs: "modules/rxjs.js" } }),
  );
}

await bundle();
await writeTypes();
