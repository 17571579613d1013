import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, inject, it } from "vitest";

const { folder } = inject("packed");
const pages = (readdirSync(folder, { recursive: true }) as string[])
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".md"))
  .sort();

/** Anchor that Markdown renderers give a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

it("package contains the README, the guides and the examples", () => {
  for (const name of ["README.md", "CHANGELOG.md", "SECURITY.md", "docs/guides/README.md", "examples/README.md"])
    expect(pages).toContain(name);
});

it.each(pages)("%s links only to files and headings inside the package", (page) => {
  const broken: string[] = [];
  const text = readFileSync(join(folder, page), "utf8").replaceAll(/^```[\s\S]*?^```$/gm, "");
  for (const [, target = "", anchor = ""] of text.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const path = target === "" ? join(folder, page) : join(folder, dirname(page), target);
    if (!existsSync(path)) broken.push(target);
    else if (anchor !== "" && statSync(path).isFile()) {
      const headings = [...readFileSync(path, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
        anchorOf(heading),
      );
      if (!headings.includes(anchor)) broken.push(`${target}#${anchor}`);
    }
  }
  expect(broken).toEqual([]);
});

it("index of the guides links every guide", () => {
  const index = readFileSync(join(folder, "docs/guides/README.md"), "utf8");
  const guides = pages.filter((name) => /^docs\/guides\/.+[.]md$/.test(name) && !name.endsWith("/README.md"));
  expect(guides.length).toBeGreaterThan(10);
  expect(
    guides.map((name) => name.slice("docs/guides/".length)).filter((name) => !index.includes(`](${name})`)),
  ).toEqual([]);
});
