import { createInformer } from "../../cache/informer/create-informer.js";
import { sleep, systemClock } from "../../internal/clock.js";
import { Pod } from "../../kinds/core/v1.js";
import { createMeter } from "../demo/meter.js";
import type { Screen } from "../demo/screen.js";
import { createScreen } from "../demo/screen.js";
import type { Source } from "../demo/source.js";
import { openCluster, openEmbedded } from "../demo/source.js";
import { renderSummary } from "../demo/view.js";
import { UsageError } from "../program/command.js";
import { parseOptions } from "../program/parse-options.js";
import { slimPod } from "../terminal/board.js";

const usage = `Usage: kubestream demo [OPTIONS]

Lists all pods page by page, then follows them with a watch and shows them by workload. On a terminal it draws a table,
elsewhere it prints one line per second. Press Ctrl-C to stop.

Without --context, --kubeconfig and KUBECONFIG, it starts a cluster in this process. Rollouts, crashes and drains keep
its workloads busy, and the connections are cut every few seconds.

Options:
  --context NAME      use this context of the kubeconfig
  --kubeconfig FILE   use this kubeconfig
  --namespace NAME    show only the pods of this namespace
  --for SECONDS       stop after this time and print a summary
  --pods N            number of pods in the embedded cluster, about (default: 240)
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
      pods: { type: "string", default: "240" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const seconds = values.for === undefined ? undefined : positive("--for", values.for);
  const pods = positive("--pods", values.pods);
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
          signal: stop.signal,
          onProgress: (ready) => screen.progress("starting pods", ready, pods),
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

  const informer = createInformer(handle, { transform: slimPod });
  const meter = createMeter(source.label, informer, () => source.news);
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
