// The cluster on the landing page: server, client and informer in this page, and a small simulation that changes pods.
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { type Change, createInformer, type InformerStatus } from "kubestream/cache";
import { Namespace, Pod } from "kubestream/kinds/core/v1";

const namespaces = ["web", "api", "batch"];
const target = 54;

/** Passes requests to the server and can cut the watches that are open. */
class Wire {
  readonly #open = new Set<AbortController>();
  readonly #serve: (request: Request) => Promise<Response>;
  #cutUntil = 0;

  constructor(serve: (request: Request) => Promise<Response>) {
    this.#serve = serve;
  }

  readonly handle = async (request: Request): Promise<Response> => {
    if (!/[?&]watch=(?:1|true)/.test(request.url)) return this.#serve(request);
    if (performance.now() < this.#cutUntil) throw new TypeError("connection refused");
    const response = await this.#serve(request);
    if (response.body === null) return response;
    const cut = new AbortController();
    this.#open.add(cut);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    response.body.pipeTo(writable, { signal: cut.signal }).then(
      () => this.#open.delete(cut),
      () => this.#open.delete(cut),
    );
    return new Response(readable, response);
  };

  /** Breaks the open watches and refuses new ones for a while. */
  cut(ms: number): void {
    this.#cutUntil = performance.now() + ms;
    for (const each of this.#open) each.abort(new TypeError("connection reset"));
  }
}

const find = (id: string): HTMLElement => document.getElementById(id)!;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)]!;

// A watch can resume over the last 40 changes: the 410 button makes more than that while the watch is cut.
const server = createApiServer({ retention: { windowEvents: 40 } });
const wire = new Wire((request) => server.handle(request));
const client = createClient({ transport: handlerTransport(wire.handle) });
/** Writes on its own connection, as the rest of a cluster does. */
const cluster = createClient({ transport: handlerTransport(server.handle) });
const names = new Map<string, string>();
let count = 0;

async function createPod(): Promise<void> {
  const namespace = pick(namespaces);
  const name = `${pick(["front", "cart", "search", "mail", "index", "import"])}-${(count++).toString(36).padStart(3, "0")}`;
  await cluster
    .resource(Pod)
    .namespace(namespace)
    .create({ metadata: { name }, spec: { containers: [{ name: "main", image: "web:1" }] } });
  names.set(`${namespace}/${name}`, "Pending");
}

async function setPhase(key: string, phase: "Running" | "Succeeded" | "Failed"): Promise<void> {
  const [namespace = "", name = ""] = key.split("/");
  names.set(key, phase);
  const pods = cluster.resource(Pod).namespace(namespace);
  await pods.subresource("status").patch(name, { type: "merge", patch: { status: { phase } } });
}

async function deletePod(key: string): Promise<void> {
  if (!names.delete(key)) return;
  const [namespace = "", name = ""] = key.split("/");
  await cluster.resource(Pod).namespace(namespace).delete(name, { gracePeriodSeconds: 0 });
}

/** Does one thing that happens in a cluster. */
async function step(): Promise<void> {
  const keys = (phase: string): string[] => [...names].filter(([, value]) => value === phase).map(([key]) => key);
  const done = [...keys("Succeeded"), ...keys("Failed")];
  const [pending, running] = [keys("Pending"), keys("Running")];
  if (names.size < target && Math.random() < 0.6) await createPod();
  else if (pending.length > 0 && Math.random() < 0.7) await setPhase(pick(pending), "Running");
  else if (done.length > 3) await deletePod(pick(done));
  else if (running.length > 0) await setPhase(pick(running), Math.random() < 0.75 ? "Succeeded" : "Failed");
}

const tiles = new Map<string, HTMLElement>();
let events = 0;

function showChange(change: Change<Pod>): void {
  events++;
  const { key, object } = change;
  const phase = object.status?.phase ?? "Pending";
  if (change.type === "deleted") {
    tiles.get(key)?.remove();
    tiles.delete(key);
  } else {
    let tile = tiles.get(key);
    if (tile === undefined) {
      tile = document.createElement("button");
      tiles.set(key, tile);
      find(`ks-ns-${object.metadata?.namespace ?? ""}`).append(tile);
    }
    tile.className = `ks-pod ks-${phase.toLowerCase()}`;
    tile.dataset["key"] = key;
    tile.title = `${key}: ${phase}. Click to delete it.`;
    tile.setAttribute("aria-label", tile.title);
  }
  if (change.type === "updated" && change.old.status?.phase === phase) return;
  const line = change.type === "updated" ? `${change.old.status?.phase ?? ""} → ${phase}` : phase;
  log(
    change.cause === "relist" ? `${change.type} (relist)` : change.type,
    `${key} ${change.type === "deleted" ? "" : line}`,
  );
}

function log(label: string, text: string): void {
  const row = document.createElement("li");
  const strong = document.createElement("b");
  strong.textContent = label;
  row.append(strong, ` ${text}`);
  const list = find("ks-events");
  list.prepend(row);
  while (list.childElementCount > 6) list.lastElementChild?.remove();
}

const informer = createInformer(client.resource(Pod), {
  initialList: "list",
  watchTimeoutSeconds: { min: 300, max: 600 },
  backoff: { initialMs: 400, factor: 1.5, capMs: 1_000, jitter: 0.1 },
});

function showStatus(status: InformerStatus): void {
  const chip = find("ks-state");
  const retry = status.type === "backingOff";
  const words = { backingOff: "reconnecting", watching: "watching", listing: "listing", synced: "synced" } as const;
  chip.textContent = words[status.type as keyof typeof words] ?? status.type;
  chip.dataset["state"] = retry ? "bad" : status.type === "watching" ? "good" : "busy";
  if (retry) log("reconnect", `in ${Math.round(status.delayMs)} ms (${status.kind})`);
  else if (status.type === "listing") log("list", "reads the whole collection");
}

function showNumbers(): void {
  find("ks-objects").textContent = String(informer.store.size);
  find("ks-count").textContent = events.toLocaleString("en");
  find("ks-lists").textContent = String(informer.metrics.lists);
  find("ks-watches").textContent = String(informer.metrics.watches);
}

/** Makes more changes than a watch can resume over, while it is cut. */
async function expire(): Promise<void> {
  log("410 Gone", "the server forgets 60 changes");
  wire.cut(1_500);
  for (let index = 0; index < 60; index++) await step();
}

async function main(): Promise<void> {
  for (const name of namespaces) await cluster.resource(Namespace).create({ metadata: { name } });
  for (let index = 0; index < target - 8; index++) await createPod();
  for (const [index, key] of [...names.keys()].entries())
    if (index % 6 !== 0) await setPhase(key, index % 11 === 0 ? "Failed" : "Running");
  informer.onStatus(showStatus);
  informer.addHandler(showChange);
  await informer.synced();
  find("ks-cut").addEventListener("click", () => {
    log("cut", "the watch's connection breaks");
    wire.cut(300);
  });
  find("ks-expire").addEventListener("click", () => void expire());
  find("ks-live").addEventListener("click", ({ target: clicked }) => {
    const key = (clicked as HTMLElement).dataset["key"];
    if (key !== undefined) void deletePod(key);
  });
  find("ks-live").dataset["ready"] = "yes";
  for (;;) {
    showNumbers();
    await pause(450);
    if (!document.hidden) await step();
  }
}

await main();
