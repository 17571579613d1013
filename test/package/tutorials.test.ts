import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, it } from "vitest";
import { root } from "./pack.js";

const { app } = inject("packed");
const folder = join(root, "docs/tutorials");
const pages = readdirSync(folder).filter((name) => name.endsWith(".md"));

/** Programs of the packages that a page installs. Commands of other packages, kubectl and docker aren't run. */
const programs: Readonly<Record<string, string>> = {
  tsc: "typescript/bin/tsc",
  vitest: "vitest/vitest.mjs",
};

type Step = { readonly file: string; readonly from: string } | { readonly command: string };

/** The files and commands of a page, in the order of the page. */
function stepsOf(page: string): Step[] {
  const text = readFileSync(join(folder, page), "utf8");
  const step =
    /^```sh\n(?<commands>[^]*?)^```$|Put this into\s+`(?<file>[^`]+)`[^\n]*\n\n\[[^\]]+\]\((?<from>[^)]+)\)$/gm;
  return [...text.matchAll(step)].flatMap(({ groups: { commands, file = "", from = "" } = {} }): Step[] =>
    commands === undefined ? [{ file, from }] : commands.split("\n").map((command) => ({ command })),
  );
}

/** Links the packages of an `npm install` command into the project, from those of this repository. */
function install(project: string, names: readonly string[]): void {
  for (const name of names) {
    const place = join(project, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(name === "kubestream" ? app : root, "node_modules", name), place);
  }
}

/** Runs a command that works offline, and returns its words if it ran. */
function runCommand(project: string, command: string): string | undefined {
  const [program, verb = "", ...words] = command.split(" ");
  if (program === "npm" && verb === "install") {
    install(
      project,
      words.filter((word) => !word.startsWith("-")),
    );
    return undefined;
  }
  const file = programs[verb];
  if (program !== "npx" || file === undefined) return undefined;
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(project, "node_modules", file), ...words], {
    cwd: project,
    env: { ...process.env, CI: "true" },
    encoding: "utf8",
    timeout: 120_000,
  });
  expect({ command, status, output: status === 0 ? "" : stdout + stderr }).toEqual({ command, status: 0, output: "" });
  return [verb, ...words].slice(0, 2).join(" ");
}

it.each(pages)("tutorial %s works in an empty folder", (page) => {
  const project = mkdtempSync(join(app, "..", "tutorial-"));
  const ran: string[] = [];
  const sources: string[] = [];
  for (const step of stepsOf(page)) {
    if ("command" in step) {
      if (step.command.startsWith("npm init"))
        writeFileSync(join(project, "package.json"), JSON.stringify({ name: "tutorial", type: "module" }));
      const name = runCommand(project, step.command);
      if (name !== undefined) ran.push(name);
    } else {
      mkdirSync(dirname(join(project, step.file)), { recursive: true });
      copyFileSync(join(folder, step.from), join(project, step.file));
      sources.push(step.from.split("/").at(-1)!);
    }
  }
  const program = `examples/tutorials/${page.slice(0, -".md".length)}`;
  expect(sources.sort()).toEqual(readdirSync(join(root, program)).sort());
  expect(ran.sort()).toEqual(["tsc", "tsc --init", "vitest run"]);
});
