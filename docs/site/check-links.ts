// Checks the links of the built site: every page, fragment, image and script that a page names must be in the site.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix, relative } from "node:path";

const attribute = /\s(href|src)="([^"]*)"/g;

/** Returns the broken links in the form `page: target`. */
export function findBrokenLinks(site: string): string[] {
  const pages = (readdirSync(site, { recursive: true }) as string[])
    .filter((name) => name.endsWith(".html"))
    .map((name) => name.replaceAll("\\", "/"));
  const anchors = new Map<string, Set<string>>();
  const anchorsOf = (page: string): Set<string> => {
    let found = anchors.get(page);
    if (found === undefined) {
      const text = readFileSync(join(site, page), "utf8");
      found = new Set([...text.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => id));
      anchors.set(page, found);
    }
    return found;
  };
  const broken = new Set<string>();
  for (const page of pages) {
    // Code blocks show attributes that aren't links.
    const text = readFileSync(join(site, page), "utf8").replace(/<pre[\s\S]*?<\/pre>/g, "");
    for (const [, , value = ""] of text.matchAll(attribute)) {
      const target = value.replaceAll("&amp;", "&");
      if (/^(?:[a-z]+:|\/\/|#?$)/i.test(target)) continue;
      const [path = "", fragment = ""] = target.split("#");
      const file = path === "" ? page : posix.join(posix.dirname(page), decodeURIComponent(path.split("?")[0]!));
      if (!isPresent(join(site, file))) broken.add(`${page}: ${target}`);
      else if (fragment !== "" && file.endsWith(".html") && !anchorsOf(file).has(decodeURIComponent(fragment)))
        broken.add(`${page}: ${target} (no such heading)`);
    }
  }
  return [...broken].sort();
}

function isPresent(path: string): boolean {
  return existsSync(path) && (statSync(path).isFile() || existsSync(join(path, "index.html")));
}

/** Returns the number of pages of a site. */
export function countPages(site: string): number {
  return (readdirSync(site, { recursive: true }) as string[]).filter((name) => relative("", name).endsWith(".html"))
    .length;
}
