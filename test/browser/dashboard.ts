// Runs the dashboard of the examples on its embedded clusters, and uses it in Chromium at two widths. The screenshots go to
// .build/dashboard.
//
// npm run check:dashboard
//
// `npm run pictures:dashboard` takes the pictures of the landing page instead.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import { withChromium } from "./chromium.js";
import { type Screen, type Tab, withTab } from "./tab.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = join(root, ".build/dashboard");
const desktop: Screen = { width: 1280, height: 820, scheme: "light" };
const phone: Screen = { width: 390, height: 844, scheme: "dark" };

/** Waits until an expression of the page is true. */
async function until(tab: Tab, what: string, expression: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await tab.evaluate<boolean>(`Boolean(${expression})`))) {
    if (Date.now() > end)
      throw new Error(
        `${what}: not within 20 s\n${await tab.evaluate<string>("document.body.innerText.slice(0, 2000)")}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const click = (tab: Tab, text: string): Promise<void> =>
  tab.evaluate(
    `[...document.querySelectorAll("button")].find((each) => each.textContent.trim() === ${JSON.stringify(text)}).click()`,
  );

async function keep(tab: Tab, name: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.png`), await tab.screenshot());
}

/** Checks the page against the rules of WCAG that a program can check, in both color schemes. */
async function audit(tab: Tab, what: string): Promise<void> {
  if (!(await tab.evaluate<boolean>("'axe' in window"))) await tab.evaluate(`${axe.source}; 0`);
  for (const scheme of ["current", "other"]) {
    const found = await tab.evaluate<string[]>(
      `axe.run().then(({ violations }) =>
        violations.flatMap(({ id, nodes }) => nodes.map((node) => [id, node.target, node.failureSummary].join("; "))))`,
    );
    if (found.length > 0) throw new Error(`${what}, ${scheme} color scheme: not accessible:\n${found.join("\n")}`);
    await tab.evaluate(`document.querySelector("header button[aria-pressed]").click()`);
  }
}

const text = "document.body.innerText";

/** Opens the page, and the log of a pod. */
async function openLog(tab: Tab, url: string, screen: Screen): Promise<void> {
  await tab.open(url, screen);
  await until(tab, "six Deployments", `document.querySelectorAll(".card").length === 6`);
  await until(tab, "running pods", `document.querySelectorAll(".phase.Running").length >= 6`);
  await until(tab, "the live status", `document.querySelector(".status.watching") !== null`);
  await tab.evaluate(`document.querySelector("td .name").click()`);
  await until(
    tab,
    "lines of a log",
    `/listens on port 8080/.test(document.querySelector("pre[role=log]").textContent)`,
  );
}

/** Takes the pictures of the landing page. */
async function drawLandingPage(tab: Tab, url: string): Promise<void> {
  for (const scheme of ["light", "dark"] as const) {
    await openLog(tab, url, { ...desktop, scheme });
    await until(tab, "a log of some length", `document.querySelector("pre[role=log]").innerText.split("#").length > 8`);
    writeFileSync(join(root, `docs/site/landing/dashboard-${scheme}.webp`), await tab.screenshot("webp"));
  }
}

/** Changes the tab of the details with the arrow keys, and closes them with Escape, which gives the focus back. */
async function checkKeys(tab: Tab): Promise<void> {
  const key = (name: string): Promise<void> =>
    tab.evaluate(
      `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: ${JSON.stringify(name)}, bubbles: true }))`,
    );
  const focused = "document.activeElement.textContent";
  await key("Escape");
  await until(tab, "no details", `document.querySelector("aside") === null`);
  await tab.evaluate(`document.querySelector("td .name").focus(), document.querySelector("td .name").click()`);
  await until(tab, "the focus in the details", `document.activeElement.matches("aside")`);
  await tab.evaluate(`document.querySelector("[role=tab][tabindex='0']").focus()`);
  const before = await tab.evaluate<string>(focused);
  await key("ArrowRight");
  await until(
    tab,
    "the next tab",
    `document.activeElement.getAttribute("aria-selected") === "true" && ${focused} !== ${JSON.stringify(before)}`,
  );
  await key("ArrowLeft");
  await until(tab, "the first tab", `${focused} === ${JSON.stringify(before)}`);
  await key("Escape");
  await until(tab, "the focus on the pod", `document.activeElement === document.querySelector("td .name")`);
}

/** Follows a log, runs a command, meets a conflict and takes the field over. */
async function useDesktop(tab: Tab, url: string): Promise<void> {
  await openLog(tab, url, desktop);
  await until(
    tab,
    "the CPU usage",
    `/^CPU: [1-9]/.test(document.querySelector(".sparkline").getAttribute("aria-label"))`,
  );
  await keep(tab, "desktop");
  await audit(tab, "the log of a pod");
  await click(tab, "Terminal");
  await tab.press(".terminal input");
  await tab.type("echo from the pod");
  await tab.evaluate(`document.querySelector(".terminal").requestSubmit()`);
  await until(
    tab,
    "the output of a command",
    `/\\nfrom the pod\\n/.test(document.querySelector(".terminal pre").textContent)`,
  );
  await audit(tab, "the terminal");
  await click(tab, "Events");
  await until(tab, "events", `/Scheduled/.test(${text}) && /Started/.test(${text})`);
  await audit(tab, "the events");
  await checkKeys(tab);
  await tab.evaluate(`document.querySelector(".card .name").click()`);
  await until(tab, "YAML", `/kind: Deployment/.test(document.querySelector("textarea")?.value ?? "")`);
  const edit = (): Promise<void> =>
    tab.evaluate(`{
    const area = document.querySelector("textarea");
    const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
    set.call(area, area.value.replace(/replicas: \\d+/, "replicas: 9"));
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }`);
  await click(tab, "Logs");
  await until(
    tab,
    "the logs of several pods",
    `new Set([...document.querySelectorAll("pre[role=log] b")].map((each) => each.textContent)).size > 1`,
  );
  await keep(tab, "logs");
  await click(tab, "YAML");
  await until(tab, "YAML again", `/kind: Deployment/.test(document.querySelector("textarea")?.value ?? "")`);
  await edit();
  await click(tab, "Apply");
  await until(tab, "a conflict", `/\\.spec\\.replicas belongs to/.test(${text})`);
  await keep(tab, "conflict");
  await audit(tab, "a conflict");
  await click(tab, "Take over");
  await until(tab, "nine replicas", `/9\\/9/.test(document.querySelector(".card .count").textContent)`);
  await tab.evaluate(`document.querySelector("[aria-label^='fewer']").click()`);
  await until(tab, "eight replicas", `/8\\/8/.test(document.querySelector(".card .count").textContent)`);
}

/** Searches, and changes to the other cluster. */
async function usePhone(tab: Tab, url: string): Promise<void> {
  await tab.open(url, phone);
  await until(tab, "six Deployments", `document.querySelectorAll(".card").length === 6`);
  await until(tab, "running pods", `document.querySelectorAll(".phase.Running").length >= 6`);
  await keep(tab, "phone");
  await audit(tab, "the phone");
  const wide = await tab.evaluate<number>("document.documentElement.scrollWidth");
  if (wide > phone.width) throw new Error(`the page is ${wide} px wide on a phone of ${phone.width} px`);
  await tab.press("input[type=search]");
  await tab.type("shop/c");
  await until(tab, "two Deployments that match", `document.querySelectorAll(".card").length === 2`);
  await tab.evaluate(`{
    const select = document.querySelector("select");
    Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, "value").set.call(select, "west");
    select.dispatchEvent(new Event("change", { bubbles: true }));
  }`);
  await until(tab, "the other cluster", `document.querySelectorAll(".card").length === 6`);
}

const isDrawing = process.argv.includes("--pictures");
const uses = isDrawing ? { "landing page": drawLandingPage } : { desktop: useDesktop, phone: usePhone };

async function check(browser: string): Promise<boolean> {
  const program = ["--import", "tsx", join(root, "examples/dashboard/serve.ts")];
  const server = spawn(process.execPath, isDrawing ? program : [...program, "--calm"], {
    cwd: root,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<number | null>((resolve) => server.once("close", resolve));
  try {
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: server.stdout }).once("line", resolve);
      void ended.then((code) => reject(new Error(`the dashboard's server exited with ${String(code)}`)));
    });
    await withTab(browser, async (tab) => {
      for (const [name, use] of Object.entries(uses)) {
        await use(tab, url);
        // The conflict is part of the play, and the browser reports it as a failed request.
        const problems = tab.problems.filter((problem) => !problem.includes("409 (Conflict)"));
        if (problems.length > 0) throw new Error(`${name}: ${problems.join("\n")}`);
        console.log(`passed: ${name}`);
      }
    });
  } finally {
    server.kill("SIGTERM");
  }
  const code = await ended;
  if (code !== 0) console.log(`the dashboard's server exited with ${String(code)}`);
  return code === 0;
}

await withChromium(check);
