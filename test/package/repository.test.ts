import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "./pack.js";

const text = (path: string): string => readFileSync(join(root, path), "utf8");
const yaml = <T>(path: string): T => parse(text(path)) as T;
const { scripts, devDependencies, dependencies, engines } = JSON.parse(text("package.json")) as {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
};

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly steps: readonly Step[];
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
}

interface Workflow {
  readonly on: unknown;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflows = readdirSync(join(root, ".github/workflows"));
const workflow = (name: string): Workflow => yaml<Workflow>(`.github/workflows/${name}`);

/** Keys that each level of a workflow may have, of those that this project uses. */
const known = {
  workflow: ["name", "on", "permissions", "concurrency", "jobs"],
  job: ["runs-on", "timeout-minutes", "strategy", "environment", "permissions", "steps"],
  step: ["uses", "with", "run"],
};

/** Actions in use, with the inputs that they have. */
const inputs: Readonly<Record<string, readonly string[]>> = {
  "actions/checkout": ["fetch-depth", "persist-credentials", "ref"],
  "actions/setup-node": ["node-version", "cache", "registry-url"],
};

const unknown = (value: object, keys: readonly string[]): string[] =>
  Object.keys(value).filter((key) => !keys.includes(key));

/** npm scripts and files of the repository that shell commands name. */
function missingIn(commands: string): string[] {
  const names = [...commands.matchAll(/npm (?:run (?:--silent )?(?<script>[\w:-]+)|(?<short>test)\b)/g)].map(
    ({ groups }) => groups?.["script"] ?? groups?.["short"] ?? "",
  );
  const files = [...commands.matchAll(/(?:bash|npm publish) (?<file>\.[\w./-]+)/g)].map(
    ({ groups }) => groups!["file"]!,
  );
  return [
    ...names.filter((name) => scripts[name] === undefined),
    ...files.filter((file) => !existsSync(join(root, file))),
  ];
}

it.each(workflows)("workflow %s has jobs with limits and known steps", (name) => {
  const { permissions, jobs, ...rest } = workflow(name);
  expect(unknown({ permissions, jobs, ...rest }, known.workflow)).toEqual([]);
  // Write permissions belong to the job that needs them.
  expect(permissions).toEqual({ contents: "read" });
  for (const [id, job] of Object.entries(jobs)) {
    expect(unknown(job, known.job), id).toEqual([]);
    expect(job, id).toMatchObject({ "runs-on": "ubuntu-latest", "timeout-minutes": expect.any(Number) as number });
    for (const step of job.steps) {
      expect(unknown(step, known.step), id).toEqual([]);
      expect([step.uses, step.run].filter((each) => each !== undefined)).toHaveLength(1);
      if (step.uses === undefined) continue;
      const [, action = "", version = ""] = /^([\w-]+\/[\w-]+)@(v\d+|[0-9a-f]{40})$/.exec(step.uses) ?? [];
      expect(version, step.uses).not.toBe("");
      expect(unknown(step.with ?? {}, inputs[action] ?? []), step.uses).toEqual([]);
    }
  }
});

it.each(workflows)("workflow %s runs only scripts and files that exist, with values of its matrix", (name) => {
  for (const { steps, strategy } of Object.values(workflow(name).jobs)) {
    expect(steps[0]?.uses).toMatch(/^actions\/checkout@/);
    for (const [, key = ""] of JSON.stringify(steps).matchAll(/\$\{\{ *matrix\.(\w+) *\}\}/g))
      expect(strategy?.matrix[key]).toBeInstanceOf(Array);
    expect(steps.flatMap(({ run = "" }) => missingIn(run))).toEqual([]);
  }
});

it("CI runs all checks, each supported version of Node and each runtime", () => {
  const { jobs } = workflow("ci.yml");
  const commands = (id: string): string[] => (jobs[id]?.steps ?? []).flatMap(({ run = [] }) => run);
  expect(commands("checks")).toEqual(["bash .ci/run"]);

  const [, versions = ""] = /^for version in (.*?); do$/m.exec(text(".ci/run")) ?? [];
  expect(jobs["node"]?.strategy?.matrix["node"]).toEqual(versions.split(" "));
  expect(engines.node).toBe(`>=${versions.split(" ")[0]!}`);
  expect(text("README.md")).toContain(
    `CI runs ${versions.replace(/ (?=\S+$)/, " and ").replaceAll(/ (?!and|\d+$)/g, ", ")}`,
  );

  const [, body = ""] = /^const runtimes[^]*?= \{\n([^]*?)^\};/m.exec(text("test/package/runtimes.ts")) ?? [];
  const runtimes = [...body.matchAll(/^ {2}async (\w+)\(/gm)].map(([, runtime]) => runtime);
  expect(jobs["runtimes"]?.strategy?.matrix["runtime"]).toEqual(runtimes);
  expect(commands("runtimes")).toContain("npm run check:runtimes -- ${{ matrix.runtime }}");
});

it("CI script runs every check of the package", () => {
  const run = text(".ci/run");
  expect(missingIn(run)).toEqual([]);
  const checks = Object.keys(scripts).filter((name) => /^check:|:check$/.test(name) && name !== "release:check");
  expect(checks.filter((name) => !run.includes(`npm run --silent ${name}\n`))).toEqual([]);
});

it("release workflow checks, tests and publishes both packages with provenance", () => {
  const { on, jobs } = workflow("release.yml");
  expect(on).toEqual({ push: { tags: ["v*"] } });
  const { permissions, environment, steps } = jobs["publish"]!;
  expect(permissions).toEqual({ contents: "read", "id-token": "write" });
  expect(environment).toBe("npm");
  expect(steps.flatMap(({ run = [] }) => run)).toEqual([
    "npm ci",
    'npm run release:check -- --tag "${GITHUB_REF_NAME}"',
    "npm test",
    "npm publish --provenance --access public",
    "npm publish ./examples/create-kubestream --provenance --access public",
  ]);
});

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly validations?: Readonly<Record<string, unknown>>;
}

/** Attributes of each type of field in an issue form. The first is required. */
const fields: Readonly<Record<string, readonly string[]>> = {
  markdown: ["value"],
  input: ["label", "description", "placeholder", "value"],
  textarea: ["label", "description", "placeholder", "value", "render"],
  dropdown: ["label", "options", "description", "multiple", "default"],
  checkboxes: ["label", "options", "description"],
};

it.each(readdirSync(join(root, ".github/ISSUE_TEMPLATE")).filter((name) => name !== "config.yml"))(
  "issue form %s has fields with labels and unique ids",
  (name) => {
    const form = yaml<{ name: string; description: string; labels: string[]; body: Field[] }>(
      `.github/ISSUE_TEMPLATE/${name}`,
    );
    expect(unknown(form, ["name", "description", "labels", "body", "title"])).toEqual([]);
    expect(form).toMatchObject({ name: expect.any(String) as string, description: expect.any(String) as string });
    const ids: string[] = [];
    for (const { type, id, attributes, validations = {} } of form.body) {
      const allowed = fields[type] ?? [];
      expect(unknown(attributes, allowed), id).toEqual([]);
      expect(attributes[allowed[0] ?? ""], id).toBeTypeOf("string");
      if (allowed.includes("options")) expect(new Set(attributes["options"] as string[]).size).toBeGreaterThan(1);
      expect(unknown(validations, ["required"]), id).toEqual([]);
      if (type !== "markdown") ids.push(id!);
    }
    expect(ids.length).toBeGreaterThan(2);
    expect(new Set(ids).size).toBe(ids.length);
  },
);

interface Update {
  readonly "package-ecosystem": string;
  readonly directory: string;
  readonly schedule: { readonly interval: string };
  readonly ignore?: readonly { readonly "dependency-name": string }[];
}

it("dependabot updates the packages, the actions and the base images", () => {
  const { version, updates } = yaml<{ version: number; updates: Update[] }>(".github/dependabot.yml");
  expect(version).toBe(2);
  const found = updates.map(({ "package-ecosystem": ecosystem, directory }) => `${ecosystem} ${directory}`);
  expect(found).toEqual([
    "npm /",
    "github-actions /",
    "docker /examples/container",
    "docker /examples/tutorials/operator",
  ]);
  for (const { directory, schedule, ignore = [] } of updates) {
    expect(existsSync(join(root, directory))).toBe(true);
    expect(["daily", "weekly", "monthly"]).toContain(schedule.interval);
    for (const { "dependency-name": name } of ignore)
      expect({ ...dependencies, ...devDependencies }).toHaveProperty(name);
  }
});

it.each([
  ".github/PULL_REQUEST_TEMPLATE.md",
  "CONTRIBUTING.md",
  "docs/architecture.md",
  "docs/publishing.md",
  "docs/style.md",
])("%s names only npm scripts that exist", (page) => {
  expect(missingIn(text(page))).toEqual([]);
});

it("support table names the tested versions", () => {
  const [, table = ""] = /^## Support\n([^]*?)^## /m.exec(text("README.md")) ?? [];
  const [, kubernetes = ""] = /gitVersion: "v(\d+\.\d+)\./.exec(text("src/apiserver/discovery/version.ts")) ?? [];
  const others = Array.from(text("test/e2e/versions.ts").matchAll(/"(1\.\d+)\.\d+"/g), ([, minor]) => minor!);
  const versions = [kubernetes, ...others].sort();
  expect(table).toContain(
    `of ${kubernetes}; the client is tested with ${versions.slice(0, -1).join(", ")} and ${versions.at(-1)!} |`,
  );
  const { version } = JSON.parse(text("node_modules/typescript/package.json")) as { version: string };
  expect(table).toContain(`tested with 5.2, ${version.split(".").slice(0, 2).join(".")} and 7 `);
  for (const runtime of ["Node", "Bun, Deno", "Browsers, Workers"])
    expect(table).toMatch(new RegExp(`^\\| ${runtime} \\|`, "m"));
});
