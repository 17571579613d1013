import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, inject, it } from "vitest";
import { root } from "../pack.js";
import { install, stepsOf, tutorials } from "./tutorial.js";

const { app } = inject("packed");
/** Programs of the packages that a page installs. Other commands need kubectl or a server: the end-to-end tests run them. */
const programs: Readonly<Record<string, string>> = {
  tsc: "typescript/bin/tsc",
  vitest: "vitest/vitest.mjs",
};

/** Runs a command that works offline, and returns its words if it ran. */
function runCommand(project: string, command: string): string | undefined {
  const [program, verb = "", ...words] = command.split(" ");
  if (program === "npm" && verb === "install") {
    install(project, app, command);
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

it.each(tutorials)("%s works in an empty folder", (page) => {
  const project = mkdtempSync(join(app, "..", "tutorial-"));
  const ran: string[] = [];
  const sources: string[] = [];
  for (const step of stepsOf(page)) {
    if ("block" in step) {
      for (const command of step.block.split("\n")) {
        if (command.startsWith("npm init"))
          writeFileSync(join(project, "package.json"), JSON.stringify({ name: "tutorial", type: "module" }));
        const name = runCommand(project, command);
        if (name !== undefined) ran.push(name);
      }
    } else {
      mkdirSync(dirname(join(project, step.file)), { recursive: true });
      writeFileSync(join(project, step.file), step.text);
      if (step.from !== undefined) sources.push(basename(step.from));
    }
  }
  const program = `examples/tutorials/${basename(page, ".md")}`;
  expect(sources.sort()).toEqual(readdirSync(join(root, program)).sort());
  expect(ran.sort()).toEqual(["tsc", "tsc --init", "vitest run"]);
});
