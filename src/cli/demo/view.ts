import type { Board, BoardRow, PodState } from "./board.js";
import { podStates } from "./board.js";

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

/** Cell of a pod in each state. */
const cells: Readonly<Record<PodState, string>> = {
  ready: "█",
  outdated: "▒",
  starting: "░",
  failing: "×",
  stopping: "·",
  done: "○",
};
/** Explanation of the cells. */
export const legend: string = podStates.map((state) => `${cells[state]} ${state}`).join("   ");

/**
 * Replaces each run of equal cells in a line of the table by what `paint` returns for it, such as the same run in a
 * colour.
 */
export function paintCells(line: string, paint: (state: PodState, run: string) => string): string {
  return line.replace(/█+|▒+|░+|×+|·+|○+/g, (run) => {
    const state = podStates.find((one) => run.startsWith(cells[one]));
    return state === undefined ? run : paint(state, run);
  });
}

/** Formats a number with thousands separators. */
export function grouped(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
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
  return [...head, ...body, ...foot].map((line) =>
    line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line,
  );
}

function columns(name: string, ready: string, image: string): string {
  const shorten = (text: string, room: number): string =>
    text.length > room ? `${text.slice(0, room - 1)}…` : text.padEnd(room);
  return `${shorten(name, 22)} ${ready.padEnd(9)}${shorten(image, 14)} `;
}

/** Title of the rows of workloads. */
export const rowTitle: string = `${columns("WORKLOAD", "READY", "IMAGE")}PODS`;

/** Renders one cell per pod, or a bar in which each state has its share if the pods are more than the cells. */
export function renderRow({ name, image, counts, total }: BoardRow, width: number): string {
  const ready = `${counts.ready + counts.outdated}/${total}`;
  // The registry and the digest leave no room for the tag.
  const front = columns(name, ready, image.replace(/^.*[/]/, "").replace(/@.*$/, ""));
  const scale = Math.min(1, Math.max(1, width - front.length) / total);
  let [sum, drawn, bar] = [0, 0, ""];
  for (const state of podStates) {
    sum += counts[state];
    const end = Math.round(sum * scale);
    bar += cells[state].repeat(end - drawn);
    drawn = end;
  }
  return front + bar;
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
