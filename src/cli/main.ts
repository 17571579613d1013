#!/usr/bin/env node
import { readFileSync } from "node:fs";
import * as module from "node:module";
import { KubestreamError } from "../errors/kubestream-error.js";
import { commands } from "./commands/commands.js";
import { UsageError } from "./program/command.js";
import { printable } from "./terminal/format.js";

async function main(words: readonly string[]): Promise<number> {
  const [name, ...rest] = words;
  if (name === undefined || name === "help" || name === "--help" || name === "-h") {
    console.log(overview());
    return name === undefined ? 2 : 0;
  }
  if (name === "--version" || name === "version") {
    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    console.log(manifest.version);
    return 0;
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined)
    throw new UsageError(
      `unknown command ${JSON.stringify(name)}; expected one of ${Object.keys(commands).join(", ")}`,
    );
  // Loads the embedded server in half the time, from the second start on. Node 20 doesn't have the function.
  (module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
  return (await command.load()).run(rest);
}

function overview(): string {
  const rows = Object.entries(commands).map(([name, command]) => `  ${name.padEnd(12)}${command.summary}`);
  return [
    "Usage: kubestream COMMAND [OPTIONS]",
    "",
    "Commands:",
    ...rows,
    "",
    "Options:",
    "  -h, --help  show this help",
    "  --version   show the version",
    "",
    'Run "kubestream COMMAND --help" for the options of a command.',
  ].join("\n");
}

// The reader of our output, such as `head`, may close the pipe early.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const misused =
    error instanceof UsageError ||
    (error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"));
  // Print known errors on one line, such as those of files. A stack only helps with unexpected ones.
  const known = misused || error instanceof KubestreamError || (error instanceof Error && "syscall" in error);
  console.error(known ? `kubestream: ${printable(error.message.replaceAll("\n", " "))}` : error);
  process.exitCode = misused ? 2 : 1;
}
