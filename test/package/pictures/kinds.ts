import { readFileSync } from "node:fs";
import { join } from "node:path";
import { kindPaths, root } from "../pack.js";

/** Fills the table of built-in kinds between `<!-- kinds -->` and `<!-- end -->` of a page. */
export function fillKinds(page: string): string {
  const rows = kindPaths().flatMap((path) => {
    const source = readFileSync(join(root, "src/kinds", `${path}.ts`), "utf8");
    const pattern = /^export const (\w+)\b[^=]*?"(Namespaced|Cluster)"([^=]*)= \{\s*group: "(.*)",/gm;
    const found = [...source.matchAll(pattern)];
    if (found.length !== [...source.matchAll(/^ {2}plural: "/gm)].length)
      throw new Error(`${path}: a kind was not recognized`);
    return found.map(([, name = "", scope = "", subresources = "", group = ""]) => {
      const names = [...subresources.matchAll(/(?:^|[;{])\s*"?(\w+)"?: /g)].map(
        ([, subresource = ""]) => `\`${subresource}\``,
      );
      return {
        name,
        group,
        line: `| \`${name}\` | \`kubestream/kinds/${path}\` | ${group || "core"} | ${scope} | ${names.join(", ")} |`,
      };
    });
  });
  rows.sort((left, right) => (left.name < right.name ? -1 : left.name > right.name ? 1 : 0));
  const head = "| kind | import from | API group | scope | subresources |\n|---|---|---|---|---|\n";
  const table = rows.map(({ line }) => `${line}\n`).join("");
  return page.replace(
    /(<!-- kinds -->\n)[\s\S]*?(<!-- end -->)/,
    (_all, begin: string, end: string) => begin + head + table + end,
  );
}
