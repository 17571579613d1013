// Runs each recipe for a user interface of docs/guides/react.md in a DOM: it shows a collection, follows a change, and
// lets go of the store.
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build, type Plugin } from "esbuild";
import { codeOf } from "./page-block.js";

/** A recipe and a component that uses it. */
export interface ViewRecipe {
  readonly packages: readonly string[];
  readonly heading: string;
  /** Imports `./recipe` and exports `mount(target, store)`, which returns a function that unmounts. */
  readonly files: Readonly<Record<string, string>>;
}

const page = "docs/guides/react.md";

export const views: Readonly<Record<string, ViewRecipe>> = {
  vue: {
    packages: ["vue"],
    heading: "Vue",
    files: {
      "mount.ts": `
        import { createApp, h } from "vue";
        import { useStore } from "./recipe.js";
        export function mount(target, store) {
          const app = createApp({
            setup() {
              const maps = useStore(store);
              return () => h("ul", maps.value.items.map(({ metadata }) => h("li", metadata.name)));
            },
          });
          app.mount(target);
          return () => app.unmount();
        }`,
    },
  },
  svelte: {
    packages: ["svelte"],
    heading: "Svelte",
    files: {
      "list.svelte": `
        <script>
          import { toSvelteStore } from "./recipe.js";
          const { store } = $props();
          const maps = toSvelteStore(store);
        </script>
        <ul>{#each $maps.items as { metadata } (metadata.uid)}<li>{metadata.name}</li>{/each}</ul>`,
      "mount.ts": `
        import { mount as mountComponent, unmount } from "svelte";
        import List from "./list.svelte";
        export function mount(target, store) {
          const list = mountComponent(List, { target, props: { store } });
          return () => unmount(list);
        }`,
    },
  },
  angular: {
    packages: ["@angular/core", "@angular/common", "@angular/compiler", "@angular/platform-browser", "rxjs"],
    heading: "Angular",
    files: {
      "mount.ts": `
        import "@angular/compiler";
        import { Component, provideZonelessChangeDetection } from "@angular/core";
        import { toSignal } from "@angular/core/rxjs-interop";
        import { bootstrapApplication } from "@angular/platform-browser";
        import { toObservable } from "./recipe.js";
        export async function mount(target, store) {
          @Component({
            selector: "app-list",
            template: "<ul>@for (map of maps().items; track map.metadata.uid) {<li>{{ map.metadata.name }}</li>}</ul>",
          })
          class List {
            maps = toSignal(toObservable(store), { requireSync: true });
          }
          target.append(document.createElement("app-list"));
          const app = await bootstrapApplication(List, { providers: [provideZonelessChangeDetection()] });
          return () => app.destroy();
        }`,
    },
  },
};

const main = `
  import { createClient, handlerTransport } from "kubestream";
  import { createApiServer } from "kubestream/apiserver";
  import { ConfigMap } from "kubestream/kinds/core/v1";
  import { createLiveStores } from "kubestream/stores";
  import { mount } from "./mount.js";

  const server = createApiServer({ controllers: false });
  const client = createClient({ transport: handlerTransport((request) => server.handle(request)) });
  const maps = client.resource(ConfigMap).namespace("default");
  const create = (name: string) => maps.create({ metadata: { name } });
  await create("a");
  const stores = createLiveStores(client, { lingerMs: 0 });
  const store = stores.collection(ConfigMap, { namespace: "default" });
  let subscribers = 0;
  const counted = {
    ...store,
    subscribe(listener: () => void) {
      subscribers++;
      const unsubscribe = store.subscribe(listener);
      return () => {
        subscribers--;
        unsubscribe();
      };
    },
  };
  const target = document.body;
  const shows = async (text: string) => {
    while (target.textContent !== text) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const unmount = await mount(target, counted);
  await shows("a");
  await create("b");
  await shows("ab");
  await unmount();
  if (subscribers !== 0) throw new Error(subscribers + " subscribers are left");
  await stores.close();
  await client.close();
  await server.close();
  console.log("ok");
  process.exit(0);
`;

const happyDom = pathToFileURL(createRequire(import.meta.url).resolve("happy-dom")).href;
/** Makes a DOM global, and runs the bundle. */
const run = `
  import { Window } from ${JSON.stringify(happyDom)};
  const window = new Window({ url: "http://localhost/" });
  for (const name of Object.getOwnPropertyNames(window)) if (!(name in globalThis)) globalThis[name] = window[name];
  Object.assign(globalThis, { window: globalThis, document: window.document });
  await import("./out.mjs");
`;

type Compile = (source: string, options: object) => { readonly js: { readonly code: string } };

/** Compiles components of Svelte. */
const compileSvelte = (app: string): Plugin => ({
  name: "svelte",
  setup(bundler) {
    bundler.onLoad({ filter: /\.svelte$/ }, async ({ path }) => {
      const compiler = pathToFileURL(join(app, "node_modules/svelte/src/compiler/index.js")).href;
      const { compile } = (await import(compiler)) as { readonly compile: Compile };
      const { js } = compile(readFileSync(path, "utf8"), { generate: "client", filename: path });
      return { contents: js.code, loader: "js" };
    });
  },
});

/** Bundles the recipe with its component, and runs the bundle. */
export async function checkView(app: string, name: string, recipe: ViewRecipe): Promise<void> {
  const folder = join(app, name);
  mkdirSync(folder, { recursive: true });
  const block = codeOf(page, recipe.heading).join("\n");
  const files = { "recipe.ts": block, "main.ts": main, "run.mjs": run, ...recipe.files };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  await build({
    entryPoints: [join(folder, "main.ts")],
    bundle: true,
    outfile: join(folder, "out.mjs"),
    format: "esm",
    platform: "browser",
    target: "es2022",
    logLevel: "error",
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } },
    define: {
      __VUE_OPTIONS_API__: "true",
      __VUE_PROD_DEVTOOLS__: "false",
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
    },
    plugins: [compileSvelte(app)],
  });
  const { stdout } = await promisify(execFile)(process.execPath, ["run.mjs"], { cwd: folder, timeout: 60_000 });
  if (!stdout.endsWith("ok\n")) throw new Error(`unexpected output: ${stdout}`);
}
