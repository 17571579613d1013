// Merges the small chunks that esbuild splits off. Node spends about half a millisecond of CPU time on each file that it
// imports, as much as on compiling 20 kB.
import { posix } from "node:path";
import { build, type Plugin } from "esbuild";

// Entries whose imports should take little time: those that pages load most code from, the API server and Node's.
const pages = ["index.js", "cache/index.js"];
const server = "apiserver/index.js";
const node = "node/index.js";

/** Stands for entries of pages that import a file on demand. */
const lazyPages = "lazy-pages";

/** Entries that contain the API server. */
const withServer = /^(?:apiserver|cluster|cli)\//;

/** Bytes that Node compiles in the time in which it finds and reads one more file. */
const fileCost = 20_000;

/** Bytes of a chunk that may stay in every bundle, such as those of constants that are created by a call. */
const residue = 1_000;

/** File of the output folder. Imports that aren't external are paths in that folder. */
export interface OutputFile {
  readonly code: string;
  readonly imports: readonly { readonly path: string; readonly dynamic: boolean; readonly external: boolean }[];
  readonly exports: readonly string[];
}

/**
 * Merges chunks with the same users, unless that makes the import of any entry more expensive than two further files
 * would. Returns the code of each remaining file by its path.
 */
export async function mergeChunks(files: ReadonlyMap<string, OutputFile>): Promise<Map<string, string>> {
  const places = new Map<string, string>();
  for (const [name, chunks] of await groupsOf(files)) for (const path of chunks) places.set(path, name);
  const merged = new Map<string, string>();
  for (const [path, { code }] of files) if (!places.has(path)) merged.set(path, redirect(path, code, places));
  for (const name of new Set(places.values())) {
    const chunks = [...places.keys()].filter((path) => places.get(path) === name);
    const source = chunks.map((path) => `export * from "/${path}";`).join("\n");
    const { code } = await bundled(source, name, chunks, files);
    // The comments with which esbuild names the modules in a file.
    const modules = chunks.flatMap((path) => files.get(path)!.code.match(/^\/\/ (?:src|node_modules)\/.*$/gm) ?? []);
    const text = [...modules, code.replace(/^\/\/ output:.*\n/gm, "")].join("\n");
    merged.set(name, redirect(name, text, places));
  }
  return merged;
}

/** Returns the chunks to merge by the name of their file. */
async function groupsOf(files: ReadonlyMap<string, OutputFile>): Promise<Map<string, ReadonlySet<string>>> {
  const users = usersOf(files);
  const places = new Map<string, string>();
  const groups = new Map<string, ReadonlySet<string>>();
  const costs = costsOf(files, places);
  // Chunks of pages may have made the server's entries dearer than chunks of the server may.
  let last = costs;
  const entries = [...costs.keys()];
  for (const path of await divisibleChunks([...users.keys()].sort(), files)) {
    const stem = `shared/common-${users
      .get(path)!
      .map((each) => each.replace(/(?:\/index)?\.js$/, ""))
      .join("-")}`;
    const ofPages = users.get(path)!.some((user) => pages.includes(user) || user === lazyPages);
    const checked = ofPages ? entries.filter((entry) => !withServer.test(entry)) : entries;
    for (let number = 1; !places.has(path); number++) {
      const name = `${stem}${number === 1 ? "" : `-${String(number)}`}.js`;
      const group = new Set(groups.get(name)).add(path);
      places.set(path, name);
      const now = costsOf(files, places);
      if (
        (group.size === 1 || canMerge(group, name, files, places)) &&
        checked.every((entry) => now.get(entry)! <= Math.max(costs.get(entry)! + 2 * fileCost, last.get(entry)!))
      ) {
        groups.set(name, group);
        last = now;
      } else places.delete(path);
    }
  }
  return new Map([...groups].filter(([, chunks]) => chunks.size > 1));
}

/**
 * Returns who imports each file that an entry above imports: these entries, and `lazy-pages` for files that pages import
 * on demand only. For a file of pages, the server counts as well if it imports the file on demand. Otherwise a server
 * module that becomes lazy would move code between the files that pages load.
 */
function usersOf(files: ReadonlyMap<string, OutputFile>): Map<string, string[]> {
  const importsOf = importsIn(files);
  const allImportsOf = (path: string): string[] => [...importsOf(path), ...dynamicImports(path, files)];
  const ofPages = closure(pages, allImportsOf);
  const users = new Map<string, string[]>();
  const add = (path: string, user: string): void => void users.set(path, [...(users.get(path) ?? []), user]);
  for (const page of pages) for (const path of closure([page], importsOf)) add(path, page);
  // Node's entry imports nearly all that the index imports.
  for (const path of closure([node], importsOf)) if (users.get(path)?.[0] !== pages[0]) add(path, node);
  for (const [path, [first]] of users) if (first === node && ofPages.has(path)) add(path, lazyPages);
  for (const path of closure([server], allImportsOf)) if (ofPages.has(path) && users.has(path)) add(path, server);
  for (const path of closure([server], importsOf)) if (!ofPages.has(path)) add(path, server);
  return users;
}

/** Returns the chunks that may be merged with others. */
async function divisibleChunks(paths: readonly string[], files: ReadonlyMap<string, OutputFile>): Promise<string[]> {
  const lazy = new Set([...files.keys()].flatMap((path) => dynamicImports(path, files)));
  const found: string[] = [];
  for (const path of paths) {
    if (!path.startsWith("shared/") || lazy.has(path)) continue;
    if (files.get(path)!.imports.some(({ external }) => external)) continue;
    if (await isDivisible(path, files)) found.push(path);
  }
  return found;
}

/**
 * True if the chunks of a group can be one file. Importers keep the names that they import, so a name can't stand for two
 * exports. No path from the file to itself may lead through another one, merged or not: modules would run before those
 * that they import.
 */
function canMerge(
  group: ReadonlySet<string>,
  name: string,
  files: ReadonlyMap<string, OutputFile>,
  places: ReadonlyMap<string, string>,
): boolean {
  const names = [...group].flatMap((path) => files.get(path)!.exports);
  if (new Set(names).size < names.length) return false;
  const importsOf = mergedImports(files, places);
  const others = importsOf(name).filter((file) => file !== name);
  return !closure(others, importsOf).has(name);
}

/** Returns a function from a file to those that it imports, if some chunks are merged. */
function mergedImports(
  files: ReadonlyMap<string, OutputFile>,
  places: ReadonlyMap<string, string>,
): (file: string) => string[] {
  const members = membersOf(places);
  const importsOf = importsIn(files);
  return (file) =>
    (members.get(file) ?? [file]).flatMap((path) => importsOf(path).map((each) => places.get(each) ?? each));
}

/** Returns the chunks of each merged file. */
function membersOf(places: ReadonlyMap<string, string>): Map<string, string[]> {
  const members = new Map<string, string[]>();
  for (const [path, place] of places) members.set(place, [...(members.get(place) ?? []), path]);
  return members;
}

/** Returns the cost of importing each entry, in bytes to compile, if some chunks are merged. */
function costsOf(files: ReadonlyMap<string, OutputFile>, places: ReadonlyMap<string, string>): Map<string, number> {
  const members = membersOf(places);
  const imports = mergedImports(files, places);
  const size = (file: string): number =>
    (members.get(file) ?? [file]).reduce((sum, path) => sum + files.get(path)!.code.length, fileCost);
  const entries = [...files.keys()].filter((path) => !path.startsWith("shared/"));
  return new Map(
    entries.map((entry) => [entry, [...closure([entry], imports)].reduce((sum, file) => sum + size(file), 0)]),
  );
}

/** Returns a function from a file to those that it imports before it runs. */
function importsIn(files: ReadonlyMap<string, OutputFile>): (path: string) => string[] {
  return (path) =>
    files
      .get(path)!
      .imports.filter(({ dynamic, external }) => !dynamic && !external)
      .map((each) => each.path);
}

/** Returns the files that a file imports on demand. */
function dynamicImports(path: string, files: ReadonlyMap<string, OutputFile>): string[] {
  return files
    .get(path)!
    .imports.filter(({ dynamic }) => dynamic)
    .map((each) => each.path);
}

function closure(paths: readonly string[], importsOf: (path: string) => readonly string[]): Set<string> {
  const seen = new Set(paths);
  for (const path of seen) for (const each of importsOf(path)) seen.add(each);
  return seen;
}

/** True if bundlers can drop what a program doesn't use of a chunk, apart from a residue. */
async function isDivisible(path: string, files: ReadonlyMap<string, OutputFile>): Promise<boolean> {
  return (await bundled(`import "/${path}";`, path, [path], files)).bytes <= residue;
}

/** Bundles a program with some of the files. Returns its code, and the number of bytes in it that are from these. */
async function bundled(
  source: string,
  name: string,
  chunks: readonly string[],
  files: ReadonlyMap<string, OutputFile>,
): Promise<{ code: string; bytes: number }> {
  const places: Plugin = {
    name: "files of the output folder",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /./ }, ({ path, importer, kind }) => {
        if (kind === "entry-point") return undefined;
        const target = posix.resolve(posix.dirname(importer), path).slice(1);
        if (chunks.includes(target)) return { path: `/${target}`, namespace: "output", sideEffects: true };
        return { path: relative(name, target), external: true, sideEffects: false };
      });
      onLoad({ filter: /./, namespace: "output" }, ({ path }) => ({ contents: files.get(path.slice(1))!.code }));
    },
  };
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, sourcefile: name },
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
    metafile: true,
    plugins: [places],
  });
  const [output] = Object.values(metafile.outputs);
  const sizes = Object.entries(output!.inputs).filter(([path]) => path.startsWith("output:"));
  return { code: outputFiles[0]!.text, bytes: sizes.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0) };
}

/** Replaces the imports of merged chunks. */
function redirect(from: string, code: string, places: ReadonlyMap<string, string>): string {
  return code.replace(/^((?:import |\} from )")(\.[^"]+)(?=";$)/gm, (all, before: string, path: string) => {
    const place = places.get(posix.join(posix.dirname(from), path));
    return place === undefined ? all : before + relative(from, place);
  });
}

function relative(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith("../") ? path : `./${path}`;
}
