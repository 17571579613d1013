import { type Board, podStates } from "../terminal/board.js";
import { fitLine, grouped } from "../terminal/format.js";
import { legend, renderRow, rowTitle } from "../terminal/workload-rows.js";

/** Snapshot of everything the demo shows. */
export interface View {
  /** Name of the cluster. */
  readonly source: string;
  /** Seconds since the demo started. */
  readonly seconds: number;
  /** Status of the informer, as text. */
  readonly status: string;
  /** Resource version that the cache has reached. */
  readonly resourceVersion: string;
  /** Changes since the demo started, by type. */
  readonly changes: { readonly added: number; readonly updated: number; readonly deleted: number };
  /** Changes per second over the last seconds. */
  readonly rate: number;
  /** Number of relists. */
  readonly resyncs: number;
  /** Number of times a watch was reopened. */
  readonly reconnects: number;
  /** Last error, even if the informer has recovered; absent before the first. */
  readonly problem: string | undefined;
  /** Bytes of used heap and of resident memory. */
  readonly memory: { readonly heap: number; readonly resident: number };
  /** Pods by workload and state. */
  readonly pods: Pick<Board, "total" | "rows">;
  /** Lines about the last operations on the cluster, oldest first; empty for a cluster that the demo only watches. */
  readonly news: readonly string[];
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

function total(view: View): number {
  return view.changes.added + view.changes.updated + view.changes.deleted;
}

/**
 * Renders the live table: a header, then one row per workload as far as `height` allows. No line is wider than
 * `width`.
 */
export function renderTable(view: View, width: number, height: number): string[] {
  const { added, updated, deleted } = view.changes;
  const head = [
    `pods of ${view.source}`,
    "",
    `informer  ${view.status}    resourceVersion ${view.resourceVersion}    ${grouped(view.pods.total)} objects`,
    `events    ${grouped(view.rate)}/s    added ${grouped(added)}    updated ${grouped(updated)}    deleted ${grouped(deleted)}`,
    `recovery  resyncs ${String(view.resyncs)}    reconnects ${String(view.reconnects)}${view.problem === undefined ? "" : `    last: ${view.problem}`}`,
    `memory    heap ${megabytes(view.memory.heap)}    process ${megabytes(view.memory.resident)}`,
    "",
    legend,
    "",
    rowTitle,
  ];
  const news = view.news.slice(-3);
  const foot = [
    ...(news.length === 0 ? [] : ["", ...news.map((line) => `> ${line}`)]),
    "",
    `${view.seconds.toFixed(0)} s, press Ctrl-C to stop`,
  ];
  const rows = view.pods.rows();
  const room = Math.max(1, height - head.length - foot.length - 1);
  const visible = rows.length > room ? rows.slice(0, room - 1) : rows;
  visible.sort((left, right) => left.name.localeCompare(right.name));
  const body = visible.map((row) => renderRow(row, width));
  if (visible.length < rows.length) body.push(`… and ${grouped(rows.length - visible.length)} more workloads`);
  return [...head, ...body, ...foot].map((line) => fitLine(line, width));
}

/** Renders the state on one line, for logs. */
export function renderLine(view: View): string {
  const rows = view.pods.rows();
  const counts = podStates
    .map((state) => ({ state, count: rows.reduce((sum, row) => sum + row.counts[state], 0) }))
    .filter(({ count }) => count > 0)
    .map(({ state, count }) => `${state} ${grouped(count)}`);
  return [
    `${view.seconds.toFixed(0).padStart(4)} s`,
    `${grouped(view.pods.total)} pods (${counts.join(", ")})`,
    `${grouped(view.rate)} events/s`,
    `resourceVersion ${view.resourceVersion}`,
    `resyncs ${String(view.resyncs)}`,
    `reconnects ${String(view.reconnects)}`,
    `heap ${megabytes(view.memory.heap)}`,
    view.status,
  ].join("  ");
}

function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Renders the final summary. */
export function renderSummary(view: View): string {
  const events = total(view);
  return (
    `${view.seconds.toFixed(1)} s: ${counted(view.pods.total, "pod")} of ${counted(view.pods.rows().length, "workload")}, ` +
    `${counted(events, "event")} (${grouped(events / Math.max(view.seconds, 0.001))}/s), ${counted(view.resyncs, "resync")}, ${counted(view.reconnects, "reconnect")}, ` +
    `resourceVersion ${view.resourceVersion}, heap ${megabytes(view.memory.heap)}`
  );
}

/** Renders a progress bar that fills `width` characters. Without a known end, it shows only the count. */
export function renderProgress(label: string, done: number, end: number | undefined, width: number): string {
  if (end === undefined) return `${label}  ${grouped(done)}`;
  const count = ` ${grouped(done)} / ${grouped(end)}`;
  const room = Math.max(10, width - label.length - "  []".length - count.length - 1);
  const full = end === 0 ? room : Math.round((Math.min(done, end) / end) * room);
  return `${label}  [${"#".repeat(full)}${"-".repeat(room - full)}]${count}`;
}
