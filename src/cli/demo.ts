import { createInformer } from "../cache/informer/create-informer.js";
import type { Informer } from "../cache/informer/informer.js";
import type { InformerStatus } from "../cache/informer/informer-status.js";
import type { Change } from "../cache/store/change.js";
import { sleep, systemClock } from "../internal/clock.js";
import { Pod } from "../kinds/core/v1.js";
import type { DeepReadonly } from "../meta/object.js";
import { UsageError } from "./command.js";
import type { Screen } from "./demo/screen.js";
import { createScreen } from "./demo/screen.js";
import type { Source } from "./demo/source.js";
import { openCluster, openEmbedded } from "./demo/source.js";
import { createTally } from "./demo/tally.js";
import type { View } from "./demo/view.js";
import { grouped, renderSummary } from "./demo/view.js";
import { parseOptions } from "./parse-options.js";

const usage = `Usage: kubestream demo [OPTIONS]

Lists all pods page by page, then shows a live count of them from a watch. On a terminal it draws a table, elsewhere it
prints one line per second. Press Ctrl-C to stop.

Without --context, --kubeconfig and KUBECONFIG, it starts an API server in this process with a synthetic workload and
cuts the connections every few seconds.

Options:
  --context NAME      use this context of the kubeconfig
  --kubeconfig FILE   use this kubeconfig
  --namespace NAME    show only the pods of this namespace
  --for SECONDS       stop after this time and print a summary
  --pods N            number of pods in the embedded server (default: 3000)
  --rate N            changes per second in the embedded server (default: 150)
  -h, --help          show this help

Example:
  kubestream demo --context staging --namespace web`;

/** Runs the demo until the time is up or SIGINT arrives. */
export async function run(words: readonly string[]): Promise<number> {
  const { values } = parseOptions({
    args: [...words],
    options: {
      context: { type: "string" },
      kubeconfig: { type: "string" },
      namespace: { type: "string" },
      for: { type: "string" },
      pods: { type: "string", default: "3000" },
      rate: { type: "string", default: "150" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const seconds = values.for === undefined ? undefined : positive("--for", values.for);
  const pods = positive("--pods", values.pods);
  const rate = positive("--rate", values.rate);
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once("SIGINT", interrupt);
  process.once("SIGTERM", interrupt);
  const screen = createScreen(process.stdout);
  let failure: { readonly error: unknown } | undefined;
  let source: Source | undefined;
  try {
    const real =
      values.context !== undefined || values.kubeconfig !== undefined || (process.env["KUBECONFIG"] ?? "") !== "";
    source = real
      ? await openCluster({
          ...(values.context === undefined ? {} : { context: values.context }),
          ...(values.kubeconfig === undefined ? {} : { kubeconfig: values.kubeconfig }),
        })
      : await openEmbedded({
          pods,
          rate,
          signal: stop.signal,
          onProgress: (made) => screen.progress("making pods ", made, pods),
          onFailure(error) {
            failure = { error };
            stop.abort();
          },
        });
    if (!real) screen.progressDone();
    const summary = await watchPods(source, screen, { namespace: values.namespace, seconds, signal: stop.signal });
    screen.close();
    if (summary !== undefined) console.log(summary);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    screen.close();
    process.off("SIGINT", interrupt);
    process.off("SIGTERM", interrupt);
    await source?.close();
  }
  if (failure !== undefined) throw failure.error;
  return 0;
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value))
    throw new UsageError(`${option} ${JSON.stringify(text)}: must be a number greater than 0`);
  return value;
}

/** Lists, then watches. Resolves with the summary when the time is up or the signal aborts. */
async function watchPods(
  source: Source,
  screen: Screen,
  options: {
    readonly namespace: string | undefined;
    readonly seconds: number | undefined;
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const { namespace, seconds, signal } = options;
  const all = source.client.resource(Pod);
  const handle = namespace === undefined ? all : all.namespace(namespace);
  let listed = 0;
  // The list only shows the progress, so it may go on at a later version if the server compacts its history.
  for await (const page of handle.pages({ limit: 500, onExpired: "continue", signal })) {
    listed += page.items.length;
    screen.progress("listing pods", listed, listed + (page.metadata.remainingItemCount ?? 0));
  }
  screen.progressDone();

  const informer = createInformer(handle, { transform: slim });
  const meter = createMeter(source.label, informer);
  const handler = informer.addHandler(meter.take);
  const end = seconds === undefined ? Number.POSITIVE_INFINITY : systemClock.monotonic() + seconds * 1_000;
  try {
    for (;;) {
      const left = end - systemClock.monotonic();
      if (left <= 0 || signal.aborted) break;
      await sleep(Math.min(screen.intervalMs, left), systemClock, signal).catch(() => undefined);
      screen.show(meter.view());
    }
    return renderSummary(meter.view());
  } finally {
    handler.remove();
    await informer.close();
  }
}

/** Keeps only the fields that the table shows. */
function slim(pod: Pod): Pod {
  const { name, namespace, uid, resourceVersion } = pod.metadata ?? {};
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    status: { phase: pod.status?.phase ?? "Unknown" },
  };
}

/** Counts the changes of an informer and takes snapshots of the counts. */
function createMeter(label: string, informer: Informer<Pod>): { take(change: Change<Pod>): void; view(): View } {
  const begin = systemClock.monotonic();
  const pods = createTally();
  const changes = { added: 0, updated: 0, deleted: 0 };
  const window: { at: number; count: number }[] = [{ at: begin, count: 0 }];
  const place = (pod: DeepReadonly<Pod>): [string, string] => [
    pod.metadata?.namespace ?? "",
    pod.status?.phase ?? "Unknown",
  ];
  return {
    take(change) {
      // The initial list doesn't count as events, but changes found by a relist do.
      if (change.type !== "added" || change.cause !== "list") changes[change.type]++;
      if (change.type === "updated") pods.remove(...place(change.old));
      if (change.type === "deleted") pods.remove(...place(change.object));
      else pods.add(...place(change.object));
    },
    view() {
      const now = systemClock.monotonic();
      const count = changes.added + changes.updated + changes.deleted;
      window.push({ at: now, count });
      while (window.length > 2 && now - window[0]!.at > 5_000) window.shift();
      const { at, count: before } = window[0]!;
      const { heapUsed, rss } = process.memoryUsage();
      return {
        source: label,
        seconds: (now - begin) / 1_000,
        status: describe(informer.status),
        resourceVersion: informer.store.resourceVersion ?? "none yet",
        changes,
        rate: now === at ? 0 : ((count - before) / (now - at)) * 1_000,
        resyncs: Math.max(0, informer.metrics.listsDone - 1),
        reconnects: Math.max(0, informer.metrics.watches + informer.metrics.streams - 1),
        problem: informer.lastError === undefined ? undefined : messageOf(informer.lastError),
        memory: { heap: heapUsed, resident: rss },
        pods,
      };
    },
  };
}

function describe(status: InformerStatus): string {
  switch (status.type) {
    case "listing":
      return `listing, ${grouped(status.received)} so far`;
    case "streaming":
      return `streaming the list, ${grouped(status.received)} so far`;
    case "backingOff":
      return `waiting ${status.delayMs.toFixed(0)} ms: ${messageOf(status.error)}`;
    case "refused":
      return `refused, retrying in ${(status.delayMs / 1_000).toFixed(0)} s: ${messageOf(status.error)}`;
    default:
      return status.type;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
