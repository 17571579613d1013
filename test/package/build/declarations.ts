// Rolls up the declarations: one file per public module, and one per layer whose types several modules share.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript";
import { publicModules, root } from "./entries.js";

/** Writes the declarations of the public modules to a folder. */
export async function rollUpDeclarations(outdir: string): Promise<void> {
  mkdirSync(`${root}.build`, { recursive: true });
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

/** Emits the declarations of the entries and their imports. Maps each module to the modules it imports. */
function emitDeclarations(entries: readonly string[], folder: string): Map<string, string[]> {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...config.compilerOptions, emitDeclarationOnly: true, noCheck: true, outDir: folder },
    root,
  );
  const modules = new Map<string, string[]>();
  const program = ts.createProgram(
    entries.map((name) => `${root}src/${name}.ts`),
    options,
  );
  program.emit(undefined, (file, text) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const name = moduleName(folder, file);
    const imports = [...text.matchAll(/(?:from |import\()"(\.[^"]+)\.js"/g)].map(([, specifier]) =>
      join(dirname(name), specifier!).replaceAll("\\", "/"),
    );
    modules.set(name, imports);
  });
  return modules;
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
