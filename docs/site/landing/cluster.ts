// The live view of the landing page: a whole cluster in this page, and an informer that shows its pods on their nodes.
import { createClient, handlerTransport, isNotFound } from "kubestream";
import { type Change, createInformer, type InformerStatus } from "kubestream/cache";
import { Pod } from "kubestream/kinds/core/v1";
import { Wire } from "./wire.js";
import { remembered, startWorkload, type Workload } from "./workload.js";

/** States of a pod, which are also the names of CSS classes. */
type State = "pending" | "running" | "succeeded" | "failed" | "ending";

const paceMs = 3_500;
const find = (id: string): HTMLElement => document.getElementById(id)!;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function stateOf({ metadata, status }: Change<Pod>["object"]): State {
  const { phase, containerStatuses = [], conditions = [] } = status ?? {};
  if (metadata?.deletionTimestamp !== undefined) return "ending";
  if (phase === "Succeeded") return "succeeded";
  const crashed = containerStatuses.some(
    ({ state }) => (state?.terminated?.exitCode ?? 0) !== 0 || isBackingOff(state),
  );
  if (phase === "Failed" || crashed) return "failed";
  return conditions.some(({ type, status }) => type === "Ready" && status === "True") ? "running" : "pending";
}

function isBackingOff(state: { readonly waiting?: { readonly reason?: string } } | undefined): boolean {
  return state?.waiting?.reason === "CrashLoopBackOff";
}

const tiles = new Map<string, HTMLElement>();
const states = new Map<string, State>();
let changes = 0;

function showChange(change: Change<Pod>): void {
  changes++;
  const { key, object } = change;
  const { name = "", namespace = "" } = object.metadata ?? {};
  const before = states.get(key);
  const label = change.cause === "relist" ? `${change.type} (relist)` : change.type;
  if (change.type === "deleted") {
    tiles.get(key)?.remove();
    tiles.delete(key);
    states.delete(key);
    log(label, name);
    return;
  }
  const state = stateOf(object);
  states.set(key, state);
  const tile = tiles.get(key) ?? document.createElement("button");
  tiles.set(key, tile);
  const node = object.spec?.nodeName;
  if (node !== undefined && tile.parentElement === null) find(`ks-${node}`).append(tile);
  const image = object.spec?.containers[0]?.image ?? "";
  tile.className = `ks-pod ks-${state}`;
  tile.textContent = image.startsWith("web:") ? image.slice(4) : "";
  tile.dataset["pod"] = `${namespace}/${name}`;
  tile.title = `${name} (${image}): ${state}. Click to delete it.`;
  tile.setAttribute("aria-label", tile.title);
  if (change.type === "added") log(label, name);
  else if (before !== state) log(label, `${name} ${before} → ${state}`);
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

function showStatus(status: InformerStatus): void {
  const chip = find("ks-state");
  const retry = status.type === "backingOff";
  const words = { backingOff: "reconnecting", watching: "watching", listing: "listing", synced: "synced" } as const;
  chip.textContent = words[status.type as keyof typeof words] ?? status.type;
  chip.dataset["state"] = retry ? "bad" : status.type === "watching" ? "good" : "busy";
  if (retry) log("reconnect", `in ${Math.round(status.delayMs)} ms (${status.kind})`);
  else if (status.type === "listing") log("list", "reads the whole collection");
}

/** Changes the pods more often than the server remembers while the watch is cut, so that the watch can't resume. */
async function expire({ cluster }: Workload, wire: Wire): Promise<void> {
  wire.cut(1_500);
  const pods = cluster.client.resource(Pod).namespace("default");
  const { items } = await pods.list();
  log("410 Gone", `the server forgets ${remembered} changes`);
  for (let made = 0; made <= remembered; made++) {
    const patch = { metadata: { annotations: { "example.com/change": String(made) } } };
    await pods.patch(items[made % items.length]?.metadata?.name ?? "", { type: "merge", patch }).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

async function main(): Promise<void> {
  const workload = await startWorkload(log);
  const { server, client: writer } = workload.cluster;
  const wire = new Wire((request) => server.handle(request));
  const client = createClient({ transport: handlerTransport(wire.handle) });
  const informer = createInformer(client.resource(Pod), {
    initialList: "list",
    watchTimeoutSeconds: { min: 300, max: 600 },
    backoff: { initialMs: 400, factor: 1.5, capMs: 1_000, jitter: 0.1 },
  });
  informer.onStatus(showStatus);
  informer.addHandler(showChange);
  await informer.synced();

  const fail = (error: unknown): void => log("error", error instanceof Error ? error.message : String(error));
  const onClick = (id: string, run: () => Promise<void> | void): void =>
    find(id).addEventListener("click", () => void Promise.resolve(run()).catch(fail));
  onClick("ks-rollout", workload.rollOut);
  onClick("ks-drain", workload.drain);
  onClick("ks-cut", () => {
    log("cut", "the watch's connection breaks");
    wire.cut(300);
  });
  onClick("ks-expire", () => expire(workload, wire));
  find("ks-live").addEventListener("click", ({ target }) => {
    const [namespace = "", name] = ((target as HTMLElement).dataset["pod"] ?? "").split("/");
    if (name !== undefined) writer.resource(Pod).namespace(namespace).delete(name).catch(fail);
  });
  setInterval(() => {
    find("ks-objects").textContent = String(informer.store.size);
    find("ks-count").textContent = changes.toLocaleString("en");
    find("ks-lists").textContent = String(informer.metrics.lists);
    find("ks-watches").textContent = String(informer.metrics.watches);
  }, 250);
  find("ks-live").dataset["ready"] = "yes";
  for (;;) {
    await pause(paceMs);
    if (!document.hidden) await workload.next().catch(fail);
  }
}

await main();
