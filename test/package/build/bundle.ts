// Bundles the JavaScript. esbuild splits it so that each module is in one file. The names of chunks depend only on the
// modules in them, not on their content.
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { build, type Metafile, type OutputFile } from "esbuild";
import { publicModules, root } from "./entries.js";
import { type OutputFile as MergedFile, mergeChunks } from "./merge-chunks.js";

/** Writes the entries and their shared chunks to a folder. */
export async function bundle(outdir: string): Promise<void> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...publicModules(), "cli/main"].map((name) => `src/${name}.ts`),
    outbase: "src",
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    packages: "external",
    alias: {
      yaml: "./node_modules/yaml/browser/index.js",
      "@noble/hashes/sha2.js": "./node_modules/@noble/hashes/sha2.js",
      "@noble/hashes/utils.js": "./node_modules/@noble/hashes/utils.js",
    },
    chunkNames: "shared/[name]-[hash]",
    logLevel: "warning",
    metafile: true,
    write: false,
  });
  const folder = relative(root, outdir).replaceAll("\\", "/");
  const names = chunkNames(metafile, folder);
  const files = new Map<string, MergedFile>();
  for (const output of outputFiles) {
    const { path, text } = renamed(output, names);
    const { imports, exports } = metafile.outputs[relative(root, output.path).replaceAll("\\", "/")]!;
    files.set(relative(outdir, path).replaceAll("\\", "/"), {
      code: text,
      exports,
      imports: imports.map(({ path: target, kind, external }) => ({
        path: external === true ? target : renamedPath(target, names).slice(folder.length + 1),
        dynamic: kind === "dynamic-import",
        external: external === true,
      })),
    });
  }
  for (const [path, text] of await mergeChunks(files)) {
    mkdirSync(dirname(join(outdir, path)), { recursive: true });
    writeFileSync(join(outdir, path), escaped(text));
  }
  await bundleWorker(outdir);
}

/**
 * Writes the worker of `decodeInWorker` as one file, so that programs that are bundled can copy it. Its code would
 * otherwise split the chunks that other entries load.
 */
async function bundleWorker(outdir: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: ["src/node/worker/decoding-worker.ts"],
    outfile: join(outdir, "node/decoding-worker.js"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    packages: "external",
    logLevel: "warning",
  });
}

/**
 * Escapes the characters outside of ASCII that esbuild leaves in regular expressions. For one character beyond Latin-1,
 * V8 keeps the source of a whole file in two bytes per character.
 */
function escaped(text: string): string {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function renamed({ path, text }: OutputFile, names: ReadonlyMap<string, string>): { path: string; text: string } {
  return {
    path: renamedPath(path, names),
    text: text.replace(/(["'/])([\w.-]+-[0-9A-Z]{8}\.js)(?=["'])/g, (all, before: string, file: string) => {
      const other = names.get(file);
      return other === undefined ? all : before + other;
    }),
  };
}

function renamedPath(path: string, names: ReadonlyMap<string, string>): string {
  return join(dirname(path), names.get(basename(path)) ?? basename(path)).replaceAll("\\", "/");
}

/** Maps the file name of each chunk, which contains a hash, to its stable name. */
function chunkNames(metafile: Metafile, outdir: string): Map<string, string> {
  const chunks = Object.entries(metafile.outputs)
    .filter(([path]) => path.startsWith(`${outdir}/shared/`))
    .map(([path, { entryPoint, inputs }]) => {
      const source = entryPoint ?? mainModule(Object.keys(inputs), metafile);
      const parts = source.replace(/^(?:\.\.\/)*(?:src|node_modules)\/|\.\w+$/g, "").split("/");
      // A lazily imported module becomes an entry, which may only re-export another chunk.
      const suffix = entryPoint === undefined ? "" : "-lazy";
      const short = [...new Set([parts[0], parts.at(-1)])].join("-") + suffix;
      return { file: basename(path), short, long: parts.join("-") + suffix };
    });
  const times = (name: string): number => chunks.filter(({ short }) => short === name).length;
  const names = new Map(chunks.map(({ file, short, long }) => [file, `${times(short) === 1 ? short : long}.js`]));
  if (new Set(names.values()).size < names.size) throw new Error("two chunks have the same name");
  return names;
}

/** Returns the module that names a chunk: the first by path of those that no other module of the chunk imports. */
function mainModule(modules: readonly string[], metafile: Metafile): string {
  const imported = new Set(
    modules.flatMap((name) => metafile.inputs[name]!.imports.map(({ path }) => path).filter((path) => path !== name)),
  );
  const sorted = [...modules].sort();
  return sorted.find((name) => !imported.has(name)) ?? sorted[0]!;
}
