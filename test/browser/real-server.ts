// Runs `kubestream proxy` in front of a real kube-apiserver and uses it from a page of another origin in Chromium: an
// informer without a client, a restart of the server, and a user with few rights, who must see what kubectl shows for the
// same token. Then the dashboard of the examples on that server. Left out if the server wasn't built.
//
// npm run check:fleet
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Client } from "kubestream";
import { Deployment } from "kubestream/kinds/apps/v1";
import { ConfigMap, Pod } from "kubestream/kinds/core/v1";
import { Role, RoleBinding } from "kubestream/kinds/rbac/v1";
import { connect } from "kubestream/node";
import { endProcess } from "../e2e/control-plane.js";
import { findKubectl, missingReason, type RealApiServer, startRealApiServer } from "../e2e/real-apiserver.js";
import { withChromium } from "./chromium.js";
import { bundle, html, listen } from "./page-server.js";
import { type Screen, type Tab, withTab } from "./tab.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const screen: Screen = { width: 1280, height: 820, scheme: "dark" };
const waitMs = 60_000;

/** Waits until an expression of the page is true. */
async function until(tab: Tab, what: string, expression: string): Promise<void> {
  const end = Date.now() + waitMs;
  while (!(await tab.evaluate<boolean>(`Boolean(${expression})`))) {
    if (Date.now() > end)
      throw new Error(
        `${what}: not within 60 s\n${await tab.evaluate<string>("document.body.innerText.slice(0, 2000)")}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Starts a program of the package that prints a line when it is ready, and returns the line. */
async function startProgram(words: readonly string[], kubeconfig: string): Promise<[string, ChildProcess]> {
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...process.env, KUBECONFIG: kubeconfig, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout! }).once("line", resolve);
    child.once("close", (code) => reject(new Error(`${words.join(" ")}: exited with ${String(code)}`)));
  });
  return [line, child];
}

/** Follows ConfigMaps through the command, over a restart of the server. */
async function checkRestart(tab: Tab, admin: Client, real: RealApiServer, url: string): Promise<void> {
  const maps = admin.resource(ConfigMap).namespace("default");
  await maps.create({ metadata: { name: "before" } });
  await tab.evaluate(`follow(${JSON.stringify(url)})`);
  await until(tab, "the page sees what was there before", `names().includes("before")`);
  await until(tab, "a watch", `state() === "watching"`);
  await tab.evaluate("said.length = 0");
  const restart = await real.kill();
  await until(tab, "the page says that the server is gone", `said.includes("backingOff")`);
  await restart();
  await maps.create({ metadata: { name: "after" } });
  await until(tab, "the page sees what came after", `names().includes("after") && state() === "watching"`);
  const said = await tab.evaluate<string[]>("said");
  console.log(`passed: a restart of kube-apiserver: ${[...new Set(said)].join(", ")}`);
}

const core = "/api/v1/namespaces";
/** Alice may read the ConfigMaps of one namespace, and one pod. */
const paths: readonly string[] = [
  `${core}/default/configmaps`,
  `${core}/default/configmaps/before`,
  `${core}/default/pods/shop`,
  `${core}/default/pods`,
  `${core}/default/pods/other`,
  `${core}/default/pods/shop/log`,
  `${core}/default/secrets`,
  `${core}/kube-system/configmaps`,
  "/api/v1/configmaps",
  "/api/v1/namespaces",
  "/api/v1/nodes",
  "/apis/apps/v1/namespaces/default/deployments",
  "/apis/rbac.authorization.k8s.io/v1/clusterroles",
];

/** Grants a user little, and compares what the page gets with what kubectl prints for the same context. */
async function checkRights(tab: Tab, admin: Client, { kubeconfig }: RealApiServer, url: string): Promise<void> {
  const spec = { containers: [{ name: "main", image: "registry.example/shop:1" }] };
  for (const name of ["shop", "other"])
    await admin.resource(Pod).namespace("default").create({ metadata: { name }, spec });
  await admin
    .resource(Role)
    .namespace("default")
    .create({
      metadata: { name: "little" },
      rules: [
        { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] },
        { apiGroups: [""], resources: ["pods"], resourceNames: ["shop"], verbs: ["get"] },
      ],
    });
  await admin
    .resource(RoleBinding)
    .namespace("default")
    .create({
      metadata: { name: "alice" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "little" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "alice" }],
    });
  const kubectl = findKubectl()!;
  const words = ["--kubeconfig", kubeconfig, "--context", "alice", "get", "--raw"];
  const printed = (path: string): string => {
    try {
      return execFileSync(kubectl, [...words, path], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "pipe"],
        timeout: 30_000,
      });
    } catch (error) {
      return (error as { stderr: string }).stderr.trim();
    }
  };
  const seen = await tab.evaluate<string[]>(`read(${JSON.stringify(url)}, ${JSON.stringify(paths)})`);
  let refused = 0;
  for (const [index, path] of paths.entries()) {
    const output = printed(path);
    const shown = output.startsWith("{") ? await tab.evaluate<string>(`namesOf(${output})`) : output;
    if (seen[index] !== shown) throw new Error(`${path}: the page got ${seen[index]!}, and kubectl ${shown}`);
    if (shown.startsWith("Error from server (Forbidden)")) refused++;
  }
  if (refused !== paths.length - 3) throw new Error(`${refused} of ${paths.length} paths were refused`);
  console.log(`passed: a user with few rights gets what kubectl shows: ${paths.length} paths, ${refused} refused`);
}

/** Shows Deployments and pods of the server in the dashboard, and changes one. */
async function checkDashboard(tab: Tab, admin: Client, { kubeconfig }: RealApiServer): Promise<void> {
  const deployments = admin.resource(Deployment).namespace("default");
  const labels = { app: "shop" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "registry.example/shop:1" }] } };
  for (const name of ["checkout", "search"])
    await deployments.create({
      metadata: { name },
      spec: { replicas: 2, selector: { matchLabels: labels }, template },
    });
  const [url, server] = await startProgram(["--import", "tsx", "examples/dashboard/serve.ts", "admin"], kubeconfig);
  try {
    await tab.open(url, screen);
    await until(tab, "two Deployments", `document.querySelectorAll(".card").length === 2`);
    await until(tab, "two pods", `document.querySelectorAll("td .name").length === 2`);
    await until(tab, "the live status", `document.querySelector(".status.watching") !== null`);
    await until(tab, "the buttons of a user who may scale", `document.querySelector("[aria-label^='more']") !== null`);
    await tab.evaluate(`document.querySelector("[aria-label^='more']").click()`);
    await until(tab, "three replicas", `/\\/3/.test(document.querySelector(".card .count").textContent)`);
    const folder = join(root, ".build/dashboard");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "real-server.png"), await tab.screenshot());
    if (tab.problems.length > 0) throw new Error(tab.problems.join("\n"));
    const scaled = (await deployments.list()).items.map((each) => each.spec?.replicas).sort();
    if (scaled.join() !== "2,3") throw new Error(`the server has ${scaled.join()} replicas`);
    console.log("passed: the dashboard on a real kube-apiserver");
  } finally {
    await endProcess(server);
  }
}

async function check(browser: string): Promise<boolean> {
  const program = await bundle("real-server-page.ts");
  const pages = createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(html(program)),
  );
  const origin = `http://127.0.0.1:${String(await listen(pages))}`;
  const real = await startRealApiServer();
  const admin = await connect({ kubeconfig: real.kubeconfig, context: "admin" });
  const words = ["dist/cli/main.js", "proxy", "--port", "0", "--all-contexts", "--allow-origin", origin];
  const [line, proxy] = await startProgram(words, real.kubeconfig);
  const { url } = JSON.parse(line) as { url: string };
  try {
    await withTab(browser, async (tab) => {
      await tab.open(`${origin}/`, screen);
      await checkRestart(tab, admin, real, `${url}/clusters/admin`);
      await checkRights(tab, admin, real, `${url}/clusters/alice`);
      await checkDashboard(tab, admin, real);
    });
  } finally {
    await endProcess(proxy);
    await admin.close();
    pages.closeAllConnections();
    pages.close();
    await real.stop();
  }
  return true;
}

const missing = missingReason() ?? (findKubectl() === undefined ? "no kubectl" : undefined);
if (missing === undefined) await withChromium(check);
else console.log(`left out: ${missing}`);
