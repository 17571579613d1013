// Rolls up the declarations: one file per public module, and one per layer whose types several modules share. They take
// most of a build's time, so those of the last build are kept in .build for as long as the sources stay the same.
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { isolatedDeclarationSync } from "oxc-transform";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript";
import { publicModules, root } from "./entries.js";

/** Writes the declarations of the public modules to a folder. */
export async function writeDeclarations(outdir: string): Promise<void> {
  const kept = join(root, ".build/declarations");
  const folder = join(kept, digestOfSources());
  if (!existsSync(folder)) {
    const former = existsSync(kept) ? readdirSync(kept).filter((name) => !name.includes("-")) : [];
    mkdirSync(kept, { recursive: true });
    const unfinished = mkdtempSync(`${folder}-`);
    await rollUpDeclarations(unfinished);
    // Another build may have been faster.
    if (existsSync(folder)) rmSync(unfinished, { recursive: true });
    else renameSync(unfinished, folder);
    for (const name of former) rmSync(join(kept, name), { recursive: true, force: true });
  }
  cpSync(folder, outdir, { recursive: true });
}

/** Digest of everything that the declarations depend on: sources, options, packages and this script. */
function digestOfSources(): string {
  const hash = createHash("sha256");
  const sources = (readdirSync(join(root, "src"), { recursive: true }) as string[])
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => join("src", name));
  for (const name of [
    "tsconfig.json",
    "package.json",
    "package-lock.json",
    "test/package/build/declarations.ts",
    ...sources,
  ])
    hash.update(`${name}\0`).update(readFileSync(join(root, name)));
  return hash.digest("hex");
}

async function rollUpDeclarations(outdir: string): Promise<void> {
  const folder = mkdtempSync(`${root}.build/declarations-`);
  try {
    const entries = publicModules();
    const modules = emitDeclarations(entries, folder);
    const shared = sharedModules(entries, modules);
    const build = await rollup({
      input: Object.fromEntries(entries.map((name) => [name, join(folder, `${name}.d.ts`)])),
      plugins: [dts({ tsconfig: `${root}tsconfig.json` }), { name: "references", renderChunk: referencesFirst }],
      external: (id) => /^[^./]/.test(id) && !id.startsWith(folder),
      onwarn(warning) {
        // Expected for small types (`Time`, `LabelSelector`) that no subpath exports by name.
        if (!/private shared type exports/.test(warning.message)) throw new Error(warning.message);
      },
    });
    await build.write({
      dir: outdir,
      format: "es",
      entryFileNames: "[name].d.ts",
      chunkFileNames: "types/[name].d.ts",
      minifyInternalExports: false,
      hoistTransitiveImports: false,
      onlyExplicitManualChunks: true,
      manualChunks: (id) => shared.get(moduleName(folder, id)),
    });
    await build.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Moves `/// <reference …>` to the top of a file: TypeScript ignores it further down. */
function referencesFirst(code: string): string {
  const references = /^\/\/\/ <reference .*\n/gm;
  return [...new Set(code.match(references)), code.replace(references, "")].join("");
}

/** Emits the declarations of the entries and of all modules they import. Maps each module to the modules it imports. */
function emitDeclarations(entries: readonly string[], folder: string): Map<string, string[]> {
  const modules = new Map<string, string[]>();
  const emit = (name: string): void => {
    if (modules.has(name)) return;
    const code = declarationOf(`src/${name}.ts`);
    const file = join(folder, `${name}.d.ts`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
    const imports = [...code.matchAll(/(?:from |import\()"(\.[^"]+)\.js"/g)].map(([, specifier]) =>
      join(dirname(name), specifier!).replaceAll("\\", "/"),
    );
    modules.set(name, imports);
    imports.forEach(emit);
  };
  entries.forEach(emit);
  return modules;
}

const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile) as {
  config: { compilerOptions: object };
};

/** Matches what the fast emitter drops: references, and comments before members of a union and index signatures. */
const dropped = /^\/\/\/ <reference |\*\/\s*(?:\||(?:readonly )?\[)/m;

/**
 * Returns the declaration of a module. All exports have explicit types (`isolatedDeclarations`), so it needs no other
 * file.
 */
function declarationOf(source: string): string {
  const text = readFileSync(join(root, source), "utf8");
  if (dropped.test(text)) {
    const { options: compilerOptions } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
    return ts.transpileDeclaration(text, { fileName: source, compilerOptions }).outputText;
  }
  const { code, errors } = isolatedDeclarationSync(source, text);
  if (errors.length > 0) throw new Error(`${source}: ${errors.map(({ message }) => message).join("; ")}`);
  return asTypeScriptPrints(code);
}

/** Indents with spaces and aligns the stars of comments. `override` says nothing in a declaration. */
function asTypeScriptPrints(code: string): string {
  return code
    .replace(/^\t+/gm, (tabs) => "    ".repeat(tabs.length))
    .replace(/^( *)\*(?= |\/|$)/gm, "$1 *")
    .replace(/^( +(?:static |protected )?)override /gm, "$1");
}

function moduleName(folder: string, file: string): string {
  return relative(folder, file)
    .replaceAll("\\", "/")
    .replace(/\.d\.ts$/, "");
}

/** Maps each module that several entries import, other than the entries themselves, to its layer. */
function sharedModules(
  entries: readonly string[],
  modules: ReadonlyMap<string, readonly string[]>,
): Map<string, string> {
  const reached = new Map<string, number>();
  for (const entry of entries) {
    const seen = new Set<string>();
    const visit = (name: string): void => {
      if (seen.has(name)) return;
      seen.add(name);
      reached.set(name, (reached.get(name) ?? 0) + 1);
      modules.get(name)!.forEach(visit);
    };
    visit(entry);
  }
  return new Map(
    [...reached]
      .filter(([name, count]) => count > 1 && !entries.includes(name))
      .map(([name]) => [name, name.split("/")[0]!]),
  );
}
