import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { UsageError } from "../program/command.js";
import { parseOptions } from "../program/parse-options.js";

const help = `Usage: kubestream envtest FOLDER

Writes the programs that envtest starts, kube-apiserver and etcd, to a folder and prints its path. Both run the embedded
server: kube-apiserver understands the flags of its namesake and serves the same API versions by default, and etcd only
answers health checks. They need Node and this package at their current location.

Options:
  -h, --help  show this help

Example:
  export KUBEBUILDER_ASSETS="$(npx kubestream envtest .envtest)"
  go test ./...`;

/**
 * Arguments of this program, by the program that envtest starts. A kube-apiserver runs no controllers, and by default
 * serves no alpha and beta versions.
 */
const programs: Readonly<Record<string, readonly string[]>> = {
  "kube-apiserver": ["apiserver", "--end-with-parent", "--controllers=", "--anonymous-auth", "--cluster-defaults"],
  etcd: ["etcd"],
};

/** Runs the subcommand. */
export function run(words: readonly string[]): Promise<number> {
  const options = { help: { type: "boolean", short: "h" } } as const;
  const { values, positionals } = parseOptions({ args: [...words], options, allowPositionals: true });
  if (values.help === true) {
    console.log(help);
    return Promise.resolve(0);
  }
  const [folder, ...others] = positionals;
  if (folder === undefined) throw new UsageError("envtest needs a folder; see kubestream envtest --help");
  if (others.length > 0) throw new UsageError(`envtest takes one folder, not ${String(positionals.length)}`);
  if (process.platform === "win32") throw new UsageError("envtest writes shell scripts, which Windows can't run");
  mkdirSync(folder, { recursive: true });
  const program = [process.execPath, realpathSync(process.argv[1]!)].map(quoted).join(" ");
  for (const [name, given] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\nexec ${program} ${given.join(" ")} "$@"\n`, { mode: 0o755 });
  console.log(resolve(folder));
  return Promise.resolve(0);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
