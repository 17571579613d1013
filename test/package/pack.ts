import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root folder of the project. */
export const root: string = fileURLToPath(new URL("../..", import.meta.url));

export interface PackedPackage {
  /** Folder of a user's project with `node_modules`, where the package is installed. */
  readonly app: string;
  /** Unpacked package inside it. */
  readonly folder: string;
  /** Tarball that would be published. */
  readonly tarball: string;
}

/** Builds the package outside the tree, packs it with npm and installs the tarball into a temporary project. */
export function pack(): PackedPackage {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "kubestream-package-")));
  const staging = join(base, "staging");
  const app = join(base, "app");
  mkdirSync(staging);
  const dist = join(staging, "dist");
  run(
    process.execPath,
    [join(root, "node_modules/tsx/dist/cli.mjs"), join(root, "test/package/build/main.ts"), dist],
    root,
  );
  for (const name of ["package.json", "LICENSE", "NOTICE", "docs", "examples"])
    cpSync(join(root, name), join(staging, name), { recursive: true });
  for (const name of readdirSync(root).filter((name) => name.endsWith(".md")))
    cpSync(join(root, name), join(staging, name));
  run("npm", ["pack", "--ignore-scripts", "--silent"], staging);
  const tarball = join(staging, readdirSync(staging).find((name) => name.endsWith(".tgz"))!);
  const modules = join(app, "node_modules");
  const folder = join(modules, "kubestream");
  mkdirSync(folder, { recursive: true });
  // Without its own package.json, one in a parent folder would apply.
  writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true }));
  run("tar", ["xzf", tarball, "-C", folder, "--strip-components=1"], base);
  const { dependencies, peerDependencies } = manifest();
  for (const name of [...Object.keys(dependencies), ...Object.keys(peerDependencies), "@types/react", "zod"]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  return { app, folder, tarball };
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string | null>>>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

/** Reads the package's package.json. */
export function manifest(): Manifest {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
}

/** Lists all paths that users can import, with the kinds' wildcard expanded. `node` marks those that require Node. */
export function importPaths(): { path: string; node: boolean }[] {
  const paths: { path: string; node: boolean }[] = [];
  for (const [key, target] of Object.entries(manifest().exports)) {
    if (typeof target === "string") continue;
    const node = target["browser"] === null;
    if (key.endsWith("/*")) {
      for (const name of kindPaths()) paths.push({ path: `kubestream/kinds/${name}`, node });
    } else {
      paths.push({ path: key.replace(/^[.]/, "kubestream"), node });
    }
  }
  return paths;
}

/** Lists `group/version` of every generated kinds file. */
export function kindPaths(): string[] {
  const folder = join(root, "src/kinds");
  if (!existsSync(folder)) return [];
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => name.endsWith(".ts"))
    .map((name) => name.slice(0, -3).replaceAll("\\", "/"))
    .sort();
}

/** Runs a program to its end and returns its output. Throws with the output if it fails. */
export function run(program: string, words: readonly string[], folder: string): string {
  try {
    return execFileSync(program, words, {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      timeout: 300_000,
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${words.join(" ")} failed:\n${stdout ?? ""}\n${stderr ?? ""}`, { cause: error });
  }
}
