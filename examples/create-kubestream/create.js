#!/usr/bin/env node
// `npm create kubestream FOLDER -- --template NAME`: copies a template into a new folder and gives it the folder's name.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const templates = join(dirname(fileURLToPath(import.meta.url)), "templates");

/** Templates with a line for the help text. */
const descriptions = {
  operator: "a controller for a kind of its own, with RBAC, leader election and a Dockerfile",
  dashboard: "an HTTP server that streams live summaries of pods to browsers",
  script: "a script that handles each object of a large collection once",
};
const names = Object.keys(descriptions);
const list = names.map((name) => `  ${name.padEnd(12)}${descriptions[name]}`).join("\n");

const help = `Usage: npm create kubestream FOLDER -- --template NAME

Creates a TypeScript project for Kubernetes in a new folder. It passes its own tests without a cluster.

Templates:
${list}

Options:
  -t, --template NAME   template to use
  -h, --help            show this help`;

/** A mistake of the user: reported as one message without a stack. */
class UsageError extends Error {}

/** Prompts for a value that the command line leaves out. Returns an empty string outside a terminal. */
async function ask(question) {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return "";
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return (await prompt.question(question)).trim();
  } finally {
    prompt.close();
  }
}

/** Returns the template's name. */
async function chooseTemplate(given) {
  const name = given ?? (await ask(`Templates:\n${list}\nTemplate: `));
  if (name === "") throw new UsageError(`--template is required. Templates:\n${list}`);
  if (!names.includes(name)) throw new UsageError(`unknown template "${name}". Templates:\n${list}`);
  return name;
}

/** Returns the absolute path of the folder, which doesn't exist yet or is empty. */
async function chooseFolder(given) {
  const answer = given ?? (await ask("Folder: "));
  if (answer === "") throw new UsageError("the folder is required, for example: npm create kubestream my-operator");
  const folder = resolve(answer);
  const name = basename(folder);
  // The name becomes the name of a package and of Kubernetes objects.
  if (!/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
    throw new UsageError(
      `the folder's name "${name}" must consist of at most 63 lower-case letters, digits and hyphens, and begin and end with a letter or digit`,
    );
  if (!existsSync(folder)) return folder;
  if (!statSync(folder).isDirectory()) throw new UsageError(`${answer} is a file`);
  if (readdirSync(folder).some((entry) => entry !== ".git")) throw new UsageError(`the folder ${answer} isn't empty`);
  return folder;
}

/** Copies a template. Its own name becomes the project's name in every file. */
function copyTemplate(template, folder) {
  const source = join(templates, template);
  const { name } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
  for (const path of readdirSync(source, { recursive: true })) {
    if (statSync(join(source, path)).isDirectory()) continue;
    // npm leaves files named .gitignore out of a package.
    const target = join(folder, path === "gitignore" ? ".gitignore" : path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, readFileSync(join(source, path), "utf8").replaceAll(name, basename(folder)));
  }
}

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { template: { type: "string", short: "t" }, help: { type: "boolean", short: "h" } },
    });
  } catch (error) {
    throw new UsageError(error.message);
  }
}

async function main() {
  const { values, positionals } = parse();
  if (values.help) {
    console.log(help);
    return;
  }
  if (positionals.length > 1) throw new UsageError(`unexpected argument "${positionals[1]}": give one folder`);
  const folder = await chooseFolder(positionals[0]);
  const template = await chooseTemplate(values.template);
  copyTemplate(template, folder);
  const path = relative(process.cwd(), folder);
  console.log(`Created ${basename(folder)} from the template "${template}". Next:\n`);
  if (path !== "") console.log(`  cd ${path}`);
  console.log("  npm install\n  npm test\n\nREADME.md describes the rest.");
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`create-kubestream: ${error.message}`);
  process.exitCode = 2;
}
