// Copies the Markdown pages and the examples to a folder that typedoc reads, in the layout of the repository, so that relative
// links keep working. Each copy gets the front matter that typedoc needs.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { root } from "../../test/package/build/entries.js";

/** A page of the site that is written by hand. */
export interface SourcePage {
  /** Title in the navigation. */
  readonly title: string;
  /** File in the repository, relative to its root. */
  readonly source: string;
  /** File that typedoc reads, relative to the staging folder. */
  readonly staged: string;
  /** Address relative to the site's root. */
  readonly url: string;
  readonly section: Section;
}

/** Sections of the navigation, in its order. */
export const sections = [
  "Start",
  "Tutorials",
  "Guides",
  "Migration",
  "Examples",
  "Project",
  "Decisions",
  "Reference",
] as const;
export type Section = (typeof sections)[number];

/** Pages that stand before the others of their section, in this order. The rest follows by title. */
const first = [
  "docs/guides/getting-started.md",
  "docs/tutorials/operator.md",
  "docs/tutorials/dashboard.md",
  "docs/tutorials/paging.md",
  "docs/tutorials/apply.md",
  "docs/guides/connecting.md",
  "docs/guides/requests.md",
  "docs/guides/manifests.md",
  "docs/guides/informers.md",
  "docs/guides/dashboards.md",
  "docs/guides/react.md",
  "docs/guides/controllers.md",
  "docs/guides/testing/embedded-server.md",
  "docs/guides/cluster.md",
  "examples/README.md",
  "docs/architecture.md",
  "docs/performance.md",
  "CHANGELOG.md",
  "docs/decisions/README.md",
];

const titles: Readonly<Record<string, string>> = {
  "CHANGELOG.md": "Changelog",
  "examples/README.md": "All examples",
  "docs/decisions/README.md": "All decisions",
};

/** Lists all kinds; `reference.ts` appends the tables. */
const kindsPage: SourcePage = {
  title: "Kinds",
  source: "",
  staged: "kinds.md",
  url: "api/kinds.html",
  section: "Reference",
};
const kindsText = `# Kinds

Every built-in kind of Kubernetes 1.36, by group and version. Import a kind from \`kubestream/kinds/<group>/<version>\`. Its
name is both a type and a descriptor: \`client.resource(Pod)\` returns a handle whose objects are typed as \`Pod\`.
`;

/** Pages for people who work on the project itself. */
const left = [/^docs\/(?:api|site)\//, /^docs\/style\.md$/];

/** Writes the staging folder and returns its pages in the order of the navigation. */
export function stageSources(folder: string): SourcePage[] {
  rmSync(folder, { recursive: true, force: true });
  const pages = [...listFiles("docs", ".md"), ...listFiles("examples", ".md"), ...listFiles("examples", ".ts")]
    .concat(existsSync(join(root, "CHANGELOG.md")) ? ["CHANGELOG.md"] : [])
    .filter((file) => !left.some((pattern) => pattern.test(file)))
    .map(describe);
  const staged = new Map(pages.map((page) => [page.source, page.staged]));
  staged.set("README.md", "README.md");
  pages.push(kindsPage);
  write(folder, kindsPage.staged, `${frontMatter(kindsPage.title)}${kindsText}`);
  for (const page of pages.slice(0, -1))
    write(folder, page.staged, frontMatter(page.title) + content(page, staged, folder));
  write(folder, "README.md", rewriteLinks(readFileSync(join(root, "README.md"), "utf8"), "README.md", staged, folder));
  const rank = ({ source }: SourcePage): number => (first.includes(source) ? first.indexOf(source) : first.length);
  return pages.sort(
    (a, b) =>
      sections.indexOf(a.section) - sections.indexOf(b.section) ||
      rank(a) - rank(b) ||
      (a.section === "Decisions" ? a.source.localeCompare(b.source) : a.title.localeCompare(b.title)),
  );
}

function listFiles(folder: string, extension: string): string[] {
  return (readdirSync(join(root, folder), { recursive: true }) as string[])
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) => name.endsWith(extension) && !/\/(?:node_modules|dist|test)\//.test(name))
    .filter((name) => !/^examples\/tutorials\/.*\.ts$/.test(name));
}

function describe(source: string): SourcePage {
  const section = sectionOf(source);
  const plain = source.replace(/^docs\//, "").replace(/\.md$/, "");
  const url = plain.replace(/(^|\/)README$/, "$1index").toLowerCase() + ".html";
  const heading = source.endsWith(".md")
    ? /^# (.+)$/m.exec(readFileSync(join(root, source), "utf8"))?.[1]?.replaceAll("`", "")
    : source.replace(/^examples\//, "").replace(/(?:\/main)?\.ts$/, "");
  return {
    title: titles[source] ?? heading ?? basename(source),
    source,
    staged: source.endsWith(".md") ? source : `${source}.md`,
    url,
    section,
  };
}

function sectionOf(source: string): Section {
  if (source === "docs/guides/getting-started.md") return "Start";
  if (source.startsWith("docs/tutorials/")) return "Tutorials";
  if (source.startsWith("docs/guides/migration/")) return "Migration";
  if (source.startsWith("docs/guides/")) return "Guides";
  if (source.startsWith("examples/")) return "Examples";
  return source.startsWith("docs/decisions/") ? "Decisions" : "Project";
}

function frontMatter(title: string): string {
  return `---\ntitle: ${JSON.stringify(title)}\n---\n`;
}

function content(page: SourcePage, staged: ReadonlyMap<string, string>, folder: string): string {
  const text = readFileSync(join(root, page.source), "utf8");
  if (page.source.endsWith(".md")) return rewriteLinks(embedFiles(text, page.source), page.source, staged, folder);
  return `# ${page.title}\n\n\`${page.source}\`\n\n\`\`\`ts\n${text}\`\`\`\n`;
}

const languages: Readonly<Record<string, string>> = { ts: "ts", yaml: "yaml" };

/** Shows the file of a link that is alone on its line, so that tutorials contain their programs. */
function embedFiles(text: string, source: string): string {
  return text.replace(/^\[([\w.-]+)\]\(((?:\.\.\/)*examples\/[^)]+)\)$/gm, (_, name: string, target: string) => {
    const code = readFileSync(join(root, dirname(source), target), "utf8");
    return `\`\`\`${languages[name.split(".").at(-1)!] ?? ""}\n${code.trimEnd()}\n\`\`\``;
  });
}

/** Sends links to examples and folders to their pages. Links to files that the site does not have become plain text. */
function rewriteLinks(text: string, source: string, staged: ReadonlyMap<string, string>, folder: string): string {
  return text.replace(
    /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g,
    (all, image: string, label: string, target: string) => {
      if (/^(?:[a-z]+:|#)/.test(target)) return all;
      const [path = "", fragment] = target.split("#");
      let file = join(dirname(source), path).replaceAll("\\", "/").replace(/\/$/, "");
      if (!staged.has(file) && staged.has(`${file}/README.md`)) file += "/README.md";
      const page = staged.get(file);
      if (page !== undefined)
        return `${image}[${label}](${toLink(dirname(source), page)}${fragment === undefined ? "" : `#${fragment}`})`;
      if (!existsSync(join(root, file))) throw new Error(`${source}: ${target} does not exist`);
      if (image === "" || !statSync(join(root, file)).isFile()) return label;
      write(folder, file, readFileSync(join(root, file)));
      return all;
    },
  );
}

function toLink(from: string, to: string): string {
  const path = relative(from, to).replaceAll("\\", "/");
  return path.startsWith(".") ? path : `./${path}`;
}

function write(folder: string, file: string, data: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), data);
}
