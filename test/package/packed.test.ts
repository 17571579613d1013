import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, inject, it } from "vitest";
import { importPaths, kindPaths, manifest, root, run } from "./pack.js";

const { app, folder } = inject("packed");
const paths = importPaths().map((entry) => entry.path);

/** Runs a program like a user's file and returns its output. */
function runAsUser(name: string, source: string): string {
  const file = join(mkdtempSync(join(app, "program-")), name);
  writeFileSync(file, source);
  return run(process.execPath, [file], app);
}

it("every subpath can be imported, and every export has a value", () => {
  const printed = runAsUser(
    "import.mjs",
    `for (const path of ${JSON.stringify(paths)}) {
       const module = await import(path);
       for (const [name, value] of Object.entries(module)) if (value === undefined) throw new Error(path + " " + name);
       if ("default" in module) throw new Error(path + " has a default export");
     }
     console.log("done");`,
  );
  expect(printed.trim()).toBe("done");
});

/** Installs the package like pnpm: a program reaches the packages that it names itself, the package its own ones. */
function installIsolated(...extra: string[]): string {
  const project = mkdtempSync(join(tmpdir(), "kubestream-isolated-"));
  const store = join(project, "node_modules/.pnpm/kubestream/node_modules");
  cpSync(folder, join(store, "kubestream"), { recursive: true });
  const link = (target: string, place: string): void => {
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(target, place);
  };
  for (const name of [...Object.keys(manifest().dependencies), ...extra])
    link(join(root, "node_modules", name), join(store, name));
  link(join(store, "kubestream"), join(project, "node_modules/kubestream"));
  for (const name of extra) link(join(root, "node_modules", name), join(project, "node_modules", name));
  return project;
}

it("an isolated node_modules has all that the package needs, and the error of kubestream/rx names RxJS", () => {
  const project = installIsolated();
  try {
    const others = paths.filter((path) => !/\/(?:rx|react|msw)$/.test(path));
    const file = join(project, "import.mjs");
    writeFileSync(
      file,
      `for (const path of ${JSON.stringify(others)}) await import(path);
       console.log(await import("kubestream/rx").catch((error) => error.code + " " + error.message));`,
    );
    expect(run(process.execPath, [file], project)).toMatch(/^ERR_MODULE_NOT_FOUND Cannot find package 'rxjs'/);
    const demo = [join(project, "node_modules/kubestream/dist/cli/main.js"), "demo", "--for", "1", "--pods", "10"];
    expect(run(process.execPath, demo, project)).toContain("pods");
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
});

it("an isolated node_modules with RxJS gives the program and kubestream/rx the same Observable", () => {
  const project = installIsolated("rxjs");
  try {
    const file = join(project, "observe.mjs");
    writeFileSync(
      file,
      `import { createController } from "kubestream/controller";
       import { fromReconciles } from "kubestream/rx";
       import { Observable } from "rxjs";
       const source = { description: "none", list() {}, watch() {} };
       const controller = createController({ name: "test", for: source, reconcile() {} });
       console.log(fromReconciles(controller) instanceof Observable);`,
    );
    expect(run(process.execPath, [file], project).trim()).toBe("true");
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
});

it("every package that isn't a dependency is an optional peer, so that nothing is installed for one subpath", () => {
  const { peerDependencies, peerDependenciesMeta } = manifest();
  expect(Object.keys(peerDependencies)).toEqual(["msw", "react", "rxjs"]);
  expect(peerDependenciesMeta).toEqual({
    msw: { optional: true },
    react: { optional: true },
    rxjs: { optional: true },
  });
});

it("every subpath can be required from CommonJS", () => {
  const printed = runAsUser(
    "require.cjs",
    `for (const path of ${JSON.stringify(paths)}) require(path); console.log(typeof require("kubestream").createClient);`,
  );
  expect(printed.trim()).toBe("function");
});

it("file names contain no content hash", () => {
  const names = readdirSync(join(folder, "dist"), { recursive: true }) as string[];
  expect(names.filter((name) => /-[0-9A-Z]{8}[.]/.test(name))).toEqual([]);
});

it("importing every subpath leaves no active handles", () => {
  const printed = runAsUser(
    "quiet.mjs",
    `for (const path of ${JSON.stringify(paths.filter((path) => !path.includes("/kinds/")))}) await import(path);
     console.log(JSON.stringify(process.getActiveResourcesInfo().filter((name) => !/^(PipeWrap|TTYWrap|FSReqPromise|CloseReq)$/.test(name))));`,
  );
  expect(JSON.parse(printed)).toEqual([]);
});

it("a script whose informer and watch are open ends when it closes the client", () => {
  const printed = runAsUser(
    "plain.mjs",
    `import { createApiServer } from "kubestream/apiserver";
     import { listen } from "kubestream/apiserver/node";
     import { createInformer } from "kubestream/cache";
     import { ConfigMap } from "kubestream/kinds/core/v1";
     import { connect } from "kubestream/node";
     const server = createApiServer();
     const listener = await listen(server);
     const client = await connect({ server: listener.url, env: {} });
     const informer = createInformer(client.resource(ConfigMap));
     await informer.synced();
     const watch = async () => {
       for await (const event of client.resource(ConfigMap).watch()) void event;
     };
     const watched = watch().catch((error) => error.name);
     await client.close();
     console.log(informer.status.type, await watched);
     // Only the client could keep the process running.
     await listener.close();
     await server.close();`,
  );
  expect(printed.trim()).toBe("closed ClosedError");
});

it("kinds modules export one descriptor per kind, named like its interface", () => {
  const printed = runAsUser(
    "kinds.mjs",
    `const out = [];
     for (const name of ${JSON.stringify(kindPaths())}) {
       const module = await import("kubestream/kinds/" + name);
       for (const [key, kind] of Object.entries(module)) out.push([name, key, kind]);
     }
     console.log(JSON.stringify(out));`,
  );
  const rows = JSON.parse(printed) as [
    string,
    string,
    { group: string; version: string; kind: string; plural: string; scope: string },
  ][];
  expect(rows.length).toBeGreaterThan(80);
  const folders = new Map<string, string>();
  for (const [path, key, kind] of rows) {
    expect(kind.kind).toBe(key);
    const [group, version] = path.split("/") as [string, string];
    expect(version).toBe(kind.version);
    expect(folders.get(group) ?? kind.group).toBe(kind.group);
    folders.set(group, kind.group);
    expect(kind.plural).toMatch(/^[a-z]+$/);
    expect(["Namespaced", "Cluster"]).toContain(kind.scope);
  }
  expect(new Set(folders.values()).size).toBe(folders.size);
});

it("package contains only built files, pages and examples, without paths of the build machine", () => {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.map((entry) =>
    join(entry.parentPath, entry.name)
      .slice(folder.length + 1)
      .replaceAll("\\", "/"),
  );
  expect(
    names.filter(
      (name) =>
        !/^(dist[/].*[.](js|d[.]ts)|package[.]json|LICENSE|NOTICE|(docs[/].*|[A-Z_]+)[.]md|docs[/]images[/].*[.]svg|examples[/].*)$/.test(
          name,
        ),
    ),
  ).toEqual([]);
  const home = process.cwd();
  expect(names.filter((name) => readFileSync(join(folder, name), "utf8").includes(home))).toEqual([]);
});

it("NOTICE contains the licenses of bundled packages", () => {
  const text = readdirSync(join(folder, "dist"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".js"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  const contained = new Set(
    text.flatMap((source) =>
      [...source.matchAll(/^\/\/ .*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map((match) => match[1]),
    ),
  );
  expect([...contained].sort()).toEqual(["@noble/hashes", "yaml"]);
  const words = (source: string): string => source.replace(/\s+/g, " ").trim();
  const notice = words(readFileSync(join(folder, "NOTICE"), "utf8"));
  for (const name of contained) expect(notice).toContain(words(readFileSync(`node_modules/${name!}/LICENSE`, "utf8")));
});

it("declarations keep the references that users need and the comments before members of a union", () => {
  const declarations = (name: string): string => readFileSync(join(folder, "dist/types", name), "utf8");
  expect(declarations("meta.d.ts")).toMatch(/^\/\/\/ <reference lib="esnext.disposable"/);
  expect(declarations("controller.d.ts")).toContain("/** Waiting for the lease. `holder` is the last known holder. */");
});
