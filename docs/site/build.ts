// Builds the documentation site: `tsx docs/site/build.ts [FOLDER]`, `site` by default, with a folder for the current version.
// Pages and reference come from typedoc, the landing page and the playground from this folder. A warning or a broken link fails
// the build.
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Application, TSConfigReader, TypeDocReader } from "typedoc";
import { root } from "../../test/package/build/entries.js";
import { countPages, findBrokenLinks } from "./check-links.js";
import { highlightWithoutLimit } from "./highlight.js";
import { prepareReference } from "./reference.js";
import { stageSources } from "./sources.js";
import { specialPages } from "./special.js";
import { type SiteParts, siteRouter, siteTheme } from "./theme.js";
import { writeVersions } from "./versions.js";

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const folder = resolve(root, process.argv[2] ?? "site");
const site = join(folder, version);
const staging = join(root, ".build/site");

async function renderPages(): Promise<void> {
  const parts: SiteParts = { staging, version, pages: stageSources(staging), special: specialPages() };
  const app = await Application.bootstrapWithPlugins(
    {
      options: join(root, "typedoc.json"),
      out: site,
      cleanOutputDir: false,
      readme: join(staging, "README.md"),
      projectDocuments: parts.pages.map(({ staged }) => join(staging, staged)),
      theme: "kubestream",
      router: "kubestream",
    },
    [new TypeDocReader(), new TSConfigReader()],
  );
  app.renderer.defineTheme("kubestream", siteTheme(parts));
  app.renderer.defineRouter("kubestream", siteRouter(parts));
  prepareReference(app);
  highlightWithoutLimit(app);
  const project = await app.convert();
  if (project === undefined) throw new Error("typedoc could not read the project");
  app.validate(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error("typedoc found problems, see above");
  await app.generateOutputs(project);
  if (app.logger.hasErrors() || app.logger.hasWarnings()) throw new Error("typedoc found problems, see above");
}

/** Bundles the browser's programs in another process, next to typedoc. */
function bundlePrograms(): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, join(root, "docs/site/bundle.ts"), site], {
    stdio: "inherit",
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error("the bundles could not be built"))));
  });
}

const begin = performance.now();
rmSync(site, { recursive: true, force: true });
mkdirSync(site, { recursive: true });
await Promise.all([bundlePrograms(), renderPages()]);
for (const name of ["landing", "playground"])
  copyFileSync(join(root, `docs/site/${name}/style.css`), join(site, `assets/${name}.css`));
for (const scheme of ["light", "dark"])
  copyFileSync(join(root, `docs/site/landing/dashboard-${scheme}.webp`), join(site, `assets/dashboard-${scheme}.webp`));
const broken = findBrokenLinks(site);
for (const each of broken) console.error(`broken link in ${each}`);
if (broken.length > 0) process.exitCode = 1;
const versions = writeVersions(folder);
console.log(`versions: ${versions.join(", ")}`);
console.log(`${countPages(site)} pages in ${Math.round((performance.now() - begin) / 1000)} s`);
