// The landing page and the playground, as HTML.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { DefaultThemeRenderContext } from "typedoc";
import { root } from "../../test/package/build/entries.js";
import type { SpecialPage } from "./theme.js";

const here = join(root, "docs/site");
const description =
  "A typed Kubernetes client for TypeScript with informers and controllers, and a whole cluster that runs inside your tests.";

/** Returns the pages by their address. */
export function specialPages(): ReadonlyMap<string, SpecialPage> {
  return new Map([
    [
      "index.html",
      {
        title: "kubestream: Kubernetes for TypeScript",
        description,
        body: landing,
        scripts: ["assets/app/landing.js"],
        styles: ["assets/landing.css"],
      },
    ],
    [
      "playground.html",
      {
        title: "Playground | kubestream",
        description: "Run kubestream and its API server in this page.",
        body: playground,
        scripts: ["assets/app/page.js"],
        styles: ["assets/playground.css"],
      },
    ],
  ]);
}

const cards: readonly (readonly [string, string, string, string])[] = [
  [
    "Controllers",
    "Typed reconcilers over a work queue with back-off, owners, finalizers, leader election and events.",
    "tutorials/operator.html",
    "Your first operator",
  ],
  [
    "Live dashboards",
    "Informers that survive cut connections and expired versions, with indexes, joins and RxJS.",
    "tutorials/dashboard.html",
    "A live dashboard",
  ],
  [
    "Paging scripts",
    "Lists in pages or object by object. They retry, resume, and fit in memory.",
    "tutorials/paging.html",
    "A paging script",
  ],
  [
    "Apply tools",
    "Server-side apply with conflicts by field and owner, manifests of any kind, and pruning.",
    "tutorials/apply.html",
    "An apply tool",
  ],
  [
    "Tests",
    "An API server in your process: watches, conflicts, apply, admission and RBAC, checked against a real one.",
    "guides/testing/embedded-server.html",
    "Testing",
  ],
  [
    "Every kind, typed",
    "All kinds of Kubernetes 1.36, your own from a CustomResourceDefinition, and those known only at run time.",
    "api/kinds.html",
    "Kinds",
  ],
];

function landing(context: DefaultThemeRenderContext): string {
  const url = (path: string): string => context.relativeURL(path);
  const snippet = readFileSync(join(here, "landing/snippet.ts"), "utf8");
  const rows = ["node-1", "node-2", "node-3"].map(
    (name) => `<div class="ks-node"><span>${name}</span><div id="ks-${name}"></div></div>`,
  );
  const legend = ["Pending", "Running", "Succeeded", "Failed", "Ending"].map(
    (name) => `<span><i class="ks-${name.toLowerCase()}"></i>${name}</span>`,
  );
  return `<section class="ks-hero"><h1>Kubernetes for TypeScript, live and typed</h1>
<p>${description}</p>
<div class="ks-actions"><a class="ks-primary" href="${url("guides/getting-started.html")}">Get started</a>
<a href="${url("playground.html")}">Open the playground</a><code>npm install kubestream</code></div>
<div class="ks-first">${context.markdown([{ kind: "text", text: `\`\`\`ts\n${snippet}\`\`\`` }])}
<div class="ks-live" id="ks-live"><div class="ks-live-head"><b>A cluster in this page</b><span id="ks-state">starting</span></div>
${rows.join("")}<div class="ks-legend">${legend.join("")}</div>
<div class="ks-numbers"><span>pods <b id="ks-objects">0</b></span><span>changes <b id="ks-count">0</b></span>
<span>lists <b id="ks-lists">0</b></span><span>watches <b id="ks-watches">0</b></span></div>
<ol id="ks-events" reversed></ol>
<div class="ks-buttons"><button type="button" id="ks-rollout">Roll out web</button>
<button type="button" id="ks-drain">Drain node-2</button><button type="button" id="ks-cut">Cut connection</button>
<button type="button" id="ks-expire">Expire history (410)</button></div></div></div>
<p class="ks-caption">No mock-up: the API server, its controllers, the scheduler, three simulated nodes and an informer run in your browser.
The numbers are the versions of a Deployment. Click a pod to delete it.</p>
</section>
<section class="ks-dashboard"><h2>A dashboard in a few hundred lines</h2>
<p>Several clusters over one WebSocket, live tables, logs, a terminal, and edits that show conflicts. <code>npm run demo:web</code> runs it on two embedded clusters, or on those of your kubeconfig. <a href="${url("guides/dashboards.html")}">Dashboards →</a></p>
${["light", "dark"].map((scheme) => `<img class="ks-${scheme}" src="${url(`assets/dashboard-${scheme}.webp`)}" width="1280" height="820" loading="lazy" alt="The dashboard: six Deployments with their replicas, a table of pods, and the log of a pod">`).join("")}</section>
<section><h2>What you can build</h2><div class="ks-cards">${cards
    .map(
      ([title, text, path, label]) => `<div><h3>${title}</h3><p>${text}</p><a href="${url(path)}">${label} →</a></div>`,
    )
    .join("")}</div></section>`;
}

/** An example: the first line of its file is a comment that holds its title. */
interface Example {
  readonly name: string;
  readonly title: string;
  readonly code: string;
}

function examples(): Example[] {
  const folder = join(here, "playground/examples");
  return readdirSync(folder)
    .sort()
    .map((file) => {
      const code = readFileSync(join(folder, file), "utf8");
      return { name: file.replace(/^\d+-|\.ts$/g, ""), title: code.split("\n")[0]!.replace(/^\/\/ |\.$/g, ""), code };
    });
}

function playground(): string {
  const all = examples();
  const options = all.map(({ name, title }) => `<option value="${name}">${title}</option>`);
  return `<div class="ks-play"><div class="ks-bar"><h1>Playground</h1>
<select id="ks-example" aria-label="Example">${options.join("")}</select>
<button type="button" id="ks-run" title="Ctrl+Enter">Run</button><button type="button" id="ks-stop" disabled>Stop</button>
<span id="ks-status" role="status">Loading…</span></div>
<div id="ks-editor"></div><div id="ks-output" role="log" aria-label="Output" tabindex="0"></div></div>
<script type="application/json" id="ks-examples">${JSON.stringify(all).replaceAll("<", "\\u003c")}</script>`;
}
