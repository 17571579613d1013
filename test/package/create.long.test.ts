import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, inject, it } from "vitest";
import { root, run } from "./pack.js";
import { blocksOf, install, templatePages } from "./pages/tutorial.js";

const { app } = inject("packed");
/** Folder of a user who creates projects. */
const home = realpathSync(mkdtempSync(join(app, "..", "create-")));
let program: string;

/** Packs the template package in a copy of the examples, because packing copies the tutorials' programs into it. */
beforeAll(() => {
  cpSync(join(root, "examples"), join(home, "examples"), { recursive: true });
  const source = join(home, "examples/create-kubestream");
  run("npm", ["pack", "--silent", "--pack-destination", home], source);
  const tarball = readdirSync(home).find((name) => name.endsWith(".tgz"))!;
  const folder = join(home, "node_modules/create-kubestream");
  mkdirSync(folder, { recursive: true });
  run("tar", ["xzf", join(home, tarball), "-C", folder, "--strip-components=1"], home);
  program = join(folder, readJson(join(folder, "package.json")).bin!);
});

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly bin?: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

function readJson(file: string): Manifest {
  return JSON.parse(readFileSync(file, "utf8")) as Manifest;
}

function create(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    cwd: home,
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status, stdout, stderr };
}

/** Commands of a template's page that need a container engine and a cluster; the operator's tutorial runs the last. */
const DEPLOYS = /^(?:docker|kubectl) /;

/** Line that each program prints. */
const printed = { operator: "health checks and metrics on port", dashboard: "http://localhost:", script: "0 pods" };

/** Runs the commands of a project's page: its tests, its compiler, and its program next to an API server. */
function follow(project: string, template: keyof typeof templatePages): void {
  const { dependencies, devDependencies } = readJson(join(project, "package.json"));
  install(project, app, ["npm install", ...Object.keys({ ...dependencies, ...devDependencies })].join(" "));
  const commands = blocksOf(templatePages[template])
    .flat()
    .filter((line) => !DEPLOYS.test(line));
  // The script's page also starts it without a server, on the reader's own cluster.
  const [installs, tests, compiles, server = "", start = ""] = commands.filter((line) => line !== "npm start");
  expect([installs, tests, compiles, commands.length]).toEqual([
    "npm install",
    "npm test",
    "npx tsc",
    template === "script" ? 6 : 5,
  ]);
  const script = `set -em
trap 'for job in $(jobs -p); do kill -- -$job || true; done' EXIT
${tests}
${compiles}
sed -i -E 's/\\b(3000|8080)\\b/0/' dist/main.js
${server.replace(/ &$/, "")} > ready &
until [ -s ready ]; do sleep 0.1; done
${start} > out &
until grep '${printed[template]}' out; do sleep 0.1; done`;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
    cwd: project,
    env: { PATH: process.env["PATH"], HOME: project, CI: "true", NO_COLOR: "1", npm_config_offline: "true" },
    encoding: "utf8",
    timeout: 120_000,
  });
  expect({ status, output: status === 0 ? "" : stdout + stderr }).toEqual({ status: 0, output: "" });
}

const files = {
  operator: [
    "Dockerfile",
    "src/deploy.yaml",
    "src/main.ts",
    "src/operator.test.ts",
    "src/operator.ts",
    "src/website.ts",
  ],
  dashboard: ["Dockerfile", "src/dashboard.test.ts", "src/dashboard.ts", "src/main.ts"],
  script: ["src/main.ts", "src/paging.test.ts", "src/paging.ts"],
};

it.each(Object.entries(files) as [keyof typeof files, string[]][])(
  "npm create kubestream makes a project of template %s that does what its page says",
  (template, expected) => {
    const name = `my-${template}`;
    const project = join(home, name);
    const { stdout, ...rest } = create(name, "--template", template);
    expect(rest).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(`cd ${name}\n  npm install\n  npm test\n`);

    const made = readdirSync(project, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) =>
        join(entry.parentPath, entry.name)
          .slice(project.length + 1)
          .replaceAll("\\", "/"),
      )
      .filter((file) => !file.startsWith("."));
    expect(made.sort()).toEqual(["README.md", "package.json", "tsconfig.json", ...expected].sort());
    expect(existsSync(join(project, ".gitignore"))).toBe(true);
    expect(readJson(join(project, "package.json")).name).toBe(name);
    const old = readJson(join(root, `examples/create-kubestream/templates/${template}/package.json`)).name;
    for (const file of made) expect(readFileSync(join(project, file), "utf8")).not.toContain(old);

    follow(project, template);
    if (template === "operator")
      expect(readFileSync(join(project, "src/deploy.yaml"), "utf8")).toContain(`image: ${name}:1`);
  },
);

it("npm create kubestream depends on the versions that this repository tests", () => {
  const { version, devDependencies } = readJson(join(root, "package.json"));
  const folder = join(root, "examples/create-kubestream");
  expect(readJson(join(folder, "package.json")).version).toBe(version);
  for (const template of Object.keys(files)) {
    const project = readJson(join(folder, "templates", template, "package.json"));
    for (const [name, range] of Object.entries({ ...project.dependencies, ...project.devDependencies }))
      expect({ template, name, range }).toEqual({
        template,
        name,
        range: name === "kubestream" ? `^${version}` : devDependencies[name],
      });
  }
});

it("npm create kubestream prints help that names the templates", () => {
  const { status, stdout } = create("--help");
  expect(status).toBe(0);
  for (const template of Object.keys(files)) expect(stdout).toMatch(new RegExp(`^  ${template} `, "m"));
});

it.each([
  [[], "the folder is required, for example: npm create kubestream my-operator"],
  [["new-one"], "--template is required. Templates:\n  operator "],
  [["new-one", "--template", "controller"], 'unknown template "controller". Templates:\n  operator '],
  [["full", "-t", "script"], "the folder full isn't empty"],
  [["file", "-t", "script"], "file is a file"],
  [["My_App", "-t", "script"], 'the folder\'s name "My_App" must consist of at most 63 lower-case letters'],
  [["one", "two", "-t", "script"], 'unexpected argument "two": give one folder'],
  [["one", "--temlate", "script"], "Unknown option '--temlate'"],
])("npm create kubestream %j reports the mistake and writes nothing", (words, message) => {
  mkdirSync(join(home, "full"), { recursive: true });
  writeFileSync(join(home, "full/notes.txt"), "");
  writeFileSync(join(home, "file"), "");
  const before = readdirSync(home);
  const { status, stderr } = create(...words);
  expect(status).toBe(2);
  expect(stderr).toContain(`create-kubestream: ${message}`);
  expect(readdirSync(home)).toEqual(before);
  expect(readdirSync(join(home, "full"))).toEqual(["notes.txt"]);
});

it("npm create kubestream accepts a folder that holds only a git repository", () => {
  mkdirSync(join(home, "cloned/.git"), { recursive: true });
  expect(create("cloned", "-t", "script").status).toBe(0);
  expect(existsSync(join(home, "cloned/src/paging.ts"))).toBe(true);
});
