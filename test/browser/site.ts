// Opens the built site in Chromium, at the width of a phone and of a desktop: no errors, nothing wider than the screen, a live landing
// page, a search that finds, a choice of versions, and a playground whose examples print what they say. Screenshots go to .build/screenshots.
//   npm run docs && npm run check:site [-- PART OF A CHECK'S NAME]
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { type PlaygroundExample, playgroundExamples } from "../package/pages/playground.js";
import { withChromium } from "./chromium.js";
import { type Screen, type Tab, withTab } from "./tab.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const site = join(root, "site");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
/** Version that only this server has: the pages are those of the current one. */
const invented = "99.0.0";
const shots = join(root, ".build/screenshots");
const screens: readonly Screen[] = [
  { width: 1280, height: 800, scheme: "light" },
  { width: 1280, height: 800, scheme: "dark" },
  { width: 390, height: 844, scheme: "light" },
  { width: 390, height: 844, scheme: "dark" },
];
const desktop = screens[0]!;
/** Part of the names of the checks to run. */
const only = process.argv[2] ?? "";
/** Ends what hangs; a loaded machine needs less. */
const limitMs = 120_000;
const pages = [
  "",
  "guides/getting-started",
  "guides/index",
  "tutorials/operator",
  "performance",
  "modules",
  "api/kinds",
]
  .concat(["api/cache/createInformer", "api/kinds/apps/v1/Deployment", "examples/index", "playground"])
  .map((name) => (name === "" ? "index.html" : `${name}.html`));
const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

function serve(request: { url?: string | undefined }): ReturnType<typeof reply> {
  const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://site").pathname));
  if (path === "/versions.json") return reply(JSON.stringify([invented, version]), types[".json"]!);
  const name = path.endsWith("/") ? `${path}index.html` : path;
  const file = join(site, name.startsWith(`/${invented}/`) ? name.replace(invented, version) : name);
  if (!file.startsWith(site) || !existsSync(file) || !statSync(file).isFile())
    return { status: 404, type: "text/plain", body: new Uint8Array() };
  return reply(readFileSync(file), types[extname(file)] ?? "application/octet-stream");
}

function reply(body: string | Uint8Array, type: string): { status: number; type: string; body: string | Uint8Array } {
  return { status: 200, type, body };
}

async function listen(): Promise<{ server: Server; base: string }> {
  const server = createServer((request, response) => {
    const { status, type, body } = serve(request);
    response.writeHead(status, { "content-type": type }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${version}/` };
}

/** Evaluates an expression that may leave the page; Chromium then doesn't return a value. */
async function evaluateOrLeave(tab: Tab, expression: string): Promise<unknown> {
  return await tab.evaluate(expression).catch((error: Error) => {
    if (!/navigated or closed|context was destroyed/.test(error.message)) throw error;
  });
}

/** Waits until an expression is true in the page, which may be on its way to another one. */
async function until(tab: Tab, what: string, condition: string): Promise<void> {
  const end = performance.now() + limitMs;
  while ((await evaluateOrLeave(tab, `Boolean(${condition})`)) !== true) {
    if (performance.now() > end) throw new Error(`${what}: not within ${limitMs / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const click = (id: string): string => `document.getElementById(${JSON.stringify(id)}).click()`;
const text = (id: string): string => `document.getElementById(${JSON.stringify(id)}).textContent`;

async function checkPage(tab: Tab, base: string, page: string, screen: Screen): Promise<void> {
  await tab.open(base + page, screen);
  if (page === "index.html")
    await until(tab, "running pods on the landing page", "document.querySelectorAll('.ks-running').length > 20");
  else if (page === "playground.html") await until(tab, "the editor", "document.querySelector('.cm-content')");
  else await until(tab, "the navigation", "document.querySelector('#tsd-nav-container li')");
  await tab.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
  const name = `${page.replace(/\.html$/, "").replaceAll("/", "-")}-${screen.width}-${screen.scheme}.png`;
  writeFileSync(join(shots, name), await tab.screenshot());
  const width = await tab.evaluate<number>("document.documentElement.scrollWidth");
  if (width > screen.width) throw new Error(`the page is ${width} pixels wide`);
}

async function checkLanding(tab: Tab, base: string): Promise<void> {
  const podsOf = (node: string, version: string): string =>
    `[...document.querySelectorAll("#ks-${node} .ks-running")].filter((pod) => pod.textContent === "${version}").length`;
  await tab.open(base, desktop);
  await until(tab, "the cluster", "document.getElementById('ks-live').dataset.ready");
  await tab.evaluate(click("ks-rollout"));
  await until(tab, "pods of version 2", `${podsOf("node-1", "2")} > 0`);
  await tab.evaluate(click("ks-drain"));
  await until(tab, "a drained node", `!document.querySelector('#ks-node-2 .ks-pod:not([title^="agent"])')`);
  await tab.evaluate(click("ks-cut"));
  await until(tab, "a watch after the cut", `Number(${text("ks-watches")}) >= 2`);
  await tab.evaluate(click("ks-expire"));
  await until(tab, "a list after 410 Gone", `Number(${text("ks-lists")}) >= 2`);
  await until(tab, "a watch after the list", `${text("ks-state")} === "watching"`);
}

/** Opens the pages that are written by hand, at the width of a phone: nothing is wider than the screen. */
async function checkWidths(tab: Tab, base: string): Promise<void> {
  const phone = screens.find(({ width }) => width < desktop.width)!;
  const wide: string[] = [];
  for (const folder of [".", "guides", "guides/testing", "guides/migration", "tutorials", "decisions"])
    for (const name of readdirSync(join(site, version, folder)).filter((each) => each.endsWith(".html"))) {
      await tab.open(`${base}${folder}/${name}`, phone);
      const width = await tab.evaluate<number>("document.documentElement.scrollWidth");
      if (width > phone.width) wide.push(`${folder}/${name} is ${width} pixels wide`);
    }
  if (wide.length > 0) throw new Error(wide.join(", "));
}

async function checkSearch(tab: Tab, base: string): Promise<void> {
  await tab.open(`${base}guides/getting-started.html`, desktop);
  await tab.evaluate(click("tsd-search-trigger"));
  await until(tab, "the search field", "document.activeElement.id === 'tsd-search-input'");
  await tab.type("createInformer");
  await until(tab, "search results", "document.querySelector('#tsd-search-results a[href*=\"cache/createInformer\"]')");
}

/** Opens the menu of a phone, follows one of its links and looks that the menu doesn't cover the next page. */
async function checkMenu(tab: Tab, base: string): Promise<void> {
  const phone = screens.find(({ width }) => width < desktop.width)!;
  const onScreen = `(() => { const box = document.querySelector(".site-menu").getBoundingClientRect();
    return box.width > 0 && box.left >= 0 && box.right <= ${phone.width} && getComputedStyle(document.querySelector(".col-sidebar")).visibility === "visible"; })()`;
  await tab.open(`${base}guides/getting-started.html`, phone);
  if (await tab.evaluate<boolean>(onScreen)) throw new Error("the menu is open at first");
  await tab.press("#tsd-toolbar-menu-trigger");
  await until(tab, "the open menu", onScreen);
  writeFileSync(join(shots, "menu-390-light.png"), await tab.screenshot());
  const link = "document.querySelector(\".site-menu a[href*='guides/'][href*='informers']\")";
  await until(tab, "the link to the informers", link);
  // A group of the menu may be folded.
  await evaluateOrLeave(
    tab,
    `(() => { for (let at = ${link}; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true; ${link}.click(); })()`,
  );
  await until(
    tab,
    "the guide to informers",
    `/informers/.test(location.pathname) && document.readyState === "complete"`,
  );
  if (await tab.evaluate<boolean>(onScreen)) throw new Error("the menu stays open");
}

async function checkVersions(tab: Tab, base: string): Promise<void> {
  const choose = `(() => { const select = document.getElementById("ks-version"); select.value = "${invented}";
    select.dispatchEvent(new Event("change")); })()`;
  for (const page of ["guides/getting-started.html", "index.html"]) {
    await tab.open(base + page, desktop);
    await until(tab, "a choice of versions", "document.getElementById('ks-version').options.length === 2");
    await evaluateOrLeave(tab, choose);
    await until(tab, "the other version", `location.pathname === "/${invented}/${page}"`);
  }
}

async function checkTheme(tab: Tab, base: string): Promise<void> {
  await tab.open(`${base}guides/getting-started.html`, desktop);
  const background = "getComputedStyle(document.body).backgroundColor";
  const before = await tab.evaluate<string>(background);
  await tab.evaluate(click("ks-theme"));
  if ((await tab.evaluate<string>(background)) === before) throw new Error("the button does not change the colors");
  await tab.evaluate(click("ks-theme"));
}

async function runExample(tab: Tab, base: string, { file, output }: PlaygroundExample): Promise<void> {
  await tab.open(`${base}playground.html#${file.replace(/^\d+-|\.ts$/g, "")}`, desktop);
  await until(tab, "the check of the types", "document.getElementById('ks-editor').dataset.checked !== undefined");
  const mistakes = await tab.evaluate<string>("document.getElementById('ks-editor').dataset.checked");
  if (mistakes !== "0") throw new Error(`${mistakes} mistakes in the editor`);
  await tab.evaluate(click("ks-run"));
  await until(tab, "the end of the program", "/ended|failed/.test(document.getElementById('ks-status').dataset.state)");
  const printed = await tab.evaluate<string[]>(
    "[...document.querySelectorAll('#ks-output > div')].map((line) => line.textContent)",
  );
  if (printed.join("\n") !== output) throw new Error(`it printed:\n${printed.join("\n")}`);
}

/** Types at the start of the program, as a reader would. */
async function typeFirst(tab: Tab, words: string): Promise<void> {
  await tab.evaluate("document.querySelector('.cm-content').focus()");
  await tab.type(words);
}

async function checkEditor(tab: Tab, base: string): Promise<void> {
  await tab.open(`${base}playground.html#list`, desktop);
  const checked = "document.getElementById('ks-editor').dataset.checked";
  await until(tab, "the first check", `${checked} === "0"`);
  await typeFirst(tab, "const wrong: number = server.handle; ");
  await until(tab, "the mistake", `Number(${checked}) > 0`);
  await tab.open(`${base}playground.html#list`, desktop);
  await until(tab, "the second check", `${checked} === "0"`);
  await typeFirst(tab, "void server.");
  await until(tab, "a completion", "/faults/.test(document.querySelector('.cm-tooltip-autocomplete')?.textContent)");
}

async function checkStop(tab: Tab, base: string): Promise<void> {
  const state = "document.getElementById('ks-status').dataset.state";
  await tab.open(`${base}playground.html#list`, desktop);
  await until(tab, "the editor", "document.querySelector('.cm-content')");
  await typeFirst(tab, "console.log('spins'); for (;;) {}\n");
  await tab.evaluate(click("ks-run"));
  await until(tab, "a program that spins", `/spins/.test(${text("ks-output")})`);
  await tab.evaluate(click("ks-stop"));
  await until(tab, "the stop", `${state} === "stopped"`);
  await tab.open(`${base}playground.html#list`, desktop);
  await until(tab, "the editor", "document.querySelector('.cm-content')");
  await typeFirst(tab, "throw new TypeError('on purpose');\n");
  await tab.evaluate(click("ks-run"));
  await until(tab, "the failure", `${state} === "failed" && /on purpose/.test(${text("ks-output")})`);
}

async function main(browser: string): Promise<boolean> {
  if (!existsSync(join(site, version, "index.html"))) throw new Error("site/ is missing: run `npm run docs` first");
  mkdirSync(shots, { recursive: true });
  const { server, base } = await listen();
  let good = true;
  const check = async (name: string, tab: Tab, run: () => Promise<void>): Promise<void> => {
    if (!name.includes(only)) return;
    const problems: string[] = [];
    await run().catch((error: unknown) => problems.push((error as Error).message));
    problems.push(...tab.problems);
    good &&= problems.length === 0;
    console.log(`${name}: ${problems.length === 0 ? "ok" : problems.join("\n  ")}`);
  };
  try {
    await withTab(browser, async (tab) => {
      for (const screen of screens)
        for (const page of pages.filter((each) => existsSync(join(site, version, each))))
          await check(`${page} at ${screen.width} px, ${screen.scheme}`, tab, () => checkPage(tab, base, page, screen));
      await check("written pages on a phone", tab, () => checkWidths(tab, base));
      await check("landing page", tab, () => checkLanding(tab, base));
      await check("menu of a phone", tab, () => checkMenu(tab, base));
      await check("search", tab, () => checkSearch(tab, base));
      await check("versions", tab, () => checkVersions(tab, base));
      await check("light and dark", tab, () => checkTheme(tab, base));
      for (const example of playgroundExamples())
        await check(`playground, ${example.file}`, tab, () => runExample(tab, base, example));
      await check("playground, types and completion", tab, () => checkEditor(tab, base));
      await check("playground, stop and errors", tab, () => checkStop(tab, base));
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return good;
}

await withChromium(main);
