import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./pack.js";

/** Folder of the tutorials. */
export const tutorials: string = join(root, "docs/tutorials");

/** Names of the tutorials' pages. */
export const pages: readonly string[] = readdirSync(tutorials).filter((name) => name.endsWith(".md"));

/** A step of a tutorial: a file to make, with its text, or a block of commands. */
export type Step =
  | { readonly file: string; readonly text: string; readonly from?: string }
  | { readonly block: string };

/** Lists the files and commands of a page, in the order of the page. */
export function stepsOf(page: string): Step[] {
  const text = readFileSync(join(tutorials, page), "utf8");
  const step =
    /^```sh\n(?<block>[^]*?)^```$|Put (?:this|a first manifest) into\s+`(?<file>[^`]+)`[^\n]*\n\n(?:\[[^\]]+\]\((?<from>[^)]+)\)$|```\w+\n(?<shown>[^]*?)^```$)/gm;
  return [...text.matchAll(step)].map(({ groups: { block, file = "", from = "", shown } = {} }): Step => {
    if (block !== undefined) return { block };
    if (shown !== undefined) return { file, text: shown };
    return { file, from, text: readFileSync(join(tutorials, from), "utf8") };
  });
}

/** Links the packages of an `npm install` command into a project: `kubestream` from `app`, others from this repository. */
export function install(project: string, app: string, command: string): void {
  for (const name of command.split(" ").slice(2)) {
    if (name.startsWith("-")) continue;
    const place = join(project, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(name === "kubestream" ? app : root, "node_modules", name), place);
    linkPrograms(project, place);
  }
}

/** Links the programs of a package into `node_modules/.bin`, where npx finds them. */
function linkPrograms(project: string, folder: string): void {
  const { name, bin = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly bin?: string | Readonly<Record<string, string>>;
  };
  const programs = typeof bin === "string" ? { [name]: bin } : bin;
  mkdirSync(join(project, "node_modules/.bin"), { recursive: true });
  for (const [program, file] of Object.entries(programs)) {
    chmodSync(join(folder, file), 0o755);
    symlinkSync(join(folder, file), join(project, "node_modules/.bin", program));
  }
}
