// Runs the recipes of docs/guides/dashboards.md, react.md and cluster.md with their frameworks, which are installed from
// npm into a scratch folder. Arguments: names of frameworks (default: all).
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createApiServer } from "../../../src/apiserver/index.js";
import { listen } from "../../../src/apiserver/node/index.js";
import { pack } from "../pack.js";
import { checkRunner, runners } from "./runners.js";
import { checkServer, servers } from "./servers.js";
import { checkView, views } from "./views.js";

const asked = process.argv.slice(2);
const isAsked = (name: string): boolean => asked.length === 0 || asked.includes(name);
const packed = pack();
const app = realpathSync(mkdtempSync(join(tmpdir(), "kubestream-recipes-")));
const cluster = createApiServer({ controllers: false });
const listener = await listen(cluster, { port: 0 });
try {
  writeFileSync(join(app, "package.json"), '{"type":"module","private":true}');
  const packages = Object.entries({ ...servers, ...views, ...runners }).flatMap(([name, recipe]) =>
    isAsked(name) ? recipe.packages : [],
  );
  const install = ["install", "--no-save", "--no-audit", "--no-fund", packed.tarball, ...new Set(packages)];
  execFileSync("npm", install, { cwd: app, stdio: ["ignore", "ignore", "inherit"] });
  const checks = [
    ...Object.entries(servers).map(
      ([name, recipe]) => [name, () => checkServer(app, { name, recipe }, listener.url)] as const,
    ),
    ...Object.entries(views).map(([name, recipe]) => [name, () => checkView(app, name, recipe)] as const),
    ...Object.entries(runners).map(([name, recipe]) => [name, () => checkRunner(app, name, recipe)] as const),
  ];
  for (const [name, check] of checks.filter(([each]) => isAsked(each))) {
    try {
      await check();
      console.log(`${name}: ok`);
    } catch (error) {
      console.error(`${name}:`, error);
      process.exitCode = 1;
    }
  }
} finally {
  await listener.close();
  await cluster.close();
  rmSync(app, { recursive: true });
  rmSync(dirname(packed.app), { recursive: true, force: true });
}
