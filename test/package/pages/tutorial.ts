import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../pack.js";

/** Pages of the tutorials, by their paths in the repository. */
export const tutorials: readonly string[] = readdirSync(join(root, "docs/tutorials"))
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/tutorials/${name}`);

/** Pages whose commands e2e/tutorials.test.ts runs in a shell with kubectl, from the first to the last. */
export const shellPages: readonly string[] = [...tutorials, "docs/guides/cluster.md"];

/** Pages of create-kubestream whose commands create.long.test.ts runs, by the template. */
export const templatePages: Readonly<Record<"operator" | "dashboard" | "script", string>> = {
  operator: "examples/create-kubestream/templates/operator/README.md",
  dashboard: "examples/create-kubestream/templates/dashboard/README.md",
  script: "examples/create-kubestream/templates/script/README.md",
};

/** Returns the text of a page's section, by its heading. Throws if it's missing. */
export function sectionOf(page: string, heading: string): string {
  const text = readFileSync(join(root, page), "utf8");
  const section = text.split(/^#+ /m).find((each) => each.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${page} has no section "${heading}"`);
  return section;
}

/** Returns the commands of a page's shell blocks, block by block. Continued lines are joined, comments removed. */
export function blocksOf(page: string): string[][] {
  const text = readFileSync(join(root, page), "utf8");
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = ""]) =>
    block
      .replaceAll(/\\\n\s*/g, "")
      .replaceAll(/\s+#.*$/gm, "")
      .split("\n")
      .filter((line) => line.trim() !== ""),
  );
}

/** A step of a page: a file to make, with its text, or a block of commands. */
export type Step =
  | { readonly file: string; readonly text: string; readonly from?: string }
  | { readonly block: string };

/** Lists the files and commands of a page, in the order of the page. */
export function stepsOf(page: string): Step[] {
  const text = readFileSync(join(root, page), "utf8");
  const step =
    /^```sh\n(?<block>[^]*?)^```$|Put (?:this|a first manifest) into\s+`(?<file>[^`]+)`[^\n]*\n\n(?:\[[^\]]+\]\((?<from>[^)]+)\)$|```\w+\n(?<shown>[^]*?)^```$)/gm;
  return [...text.matchAll(step)].map(({ groups: { block, file = "", from = "", shown } = {} }): Step => {
    if (block !== undefined) return { block };
    if (shown !== undefined) return { file, text: shown };
    return { file, from, text: readFileSync(join(root, dirname(page), from), "utf8") };
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
