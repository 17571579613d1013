// Compiles a program that imports every subpath with the oldest and the newest TypeScript that the README promises. They
// are installed from npm into a scratch folder. Arguments: versions (default: 5.2 and 7).
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { importPaths, pack, root } from "./pack.js";

const asked = process.argv.slice(2);
const packed = pack();
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "kubestream-typescript-")));
const paths = importPaths().map(({ path }) => path);
const programs = {
  Node: {
    options: { module: "nodenext", lib: ["es2022"], types: ["node"] },
    imports: paths.filter((path) => !path.endsWith("/msw")),
  },
  "a browser": {
    options: { module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"], types: [] },
    imports: paths.filter((path) => !/\/(?:node|msw)$/.test(path)),
  },
};

/** Compiles one program, and prints what the compiler says. */
function compile(compiler: string, name: keyof typeof programs, label: string): void {
  const { options, imports } = programs[name];
  const place = mkdtempSync(join(packed.app, "types-"));
  const lines = imports.map((path, index) => `export * as m${String(index)} from ${JSON.stringify(path)};`);
  writeFileSync(join(place, "main.mts"), lines.join("\n"));
  const compilerOptions = { target: "es2022", strict: true, skipLibCheck: false, noEmit: true, ...options };
  const typeRoots = [join(root, "node_modules/@types")];
  writeFileSync(
    join(place, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...compilerOptions, typeRoots }, include: ["main.mts"] }),
  );
  try {
    execFileSync(process.execPath, [compiler, "-p", place], { cwd: packed.app, stdio: "inherit" });
    console.log(`${label}, a program for ${name}: ok`);
  } catch {
    console.error(`${label}, a program for ${name}: failed`);
    process.exitCode = 1;
  }
}

try {
  for (const version of asked.length > 0 ? asked : ["5.2", "7"]) {
    const place = join(scratch, version);
    mkdirSync(place);
    writeFileSync(join(place, "package.json"), '{"private":true}');
    const install = ["install", "--no-save", "--no-audit", "--no-fund", `typescript@${version}`];
    execFileSync("npm", install, { cwd: place, stdio: ["ignore", "ignore", "inherit"] });
    const compiler = join(place, "node_modules/typescript/bin/tsc");
    for (const name of Object.keys(programs) as (keyof typeof programs)[])
      compile(compiler, name, `TypeScript ${version}`);
  }
} finally {
  rmSync(scratch, { recursive: true });
  rmSync(dirname(packed.app), { recursive: true, force: true });
}
