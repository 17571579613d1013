import type { Tally } from "./tally.js";

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
  /** Pods by namespace and phase. */
  readonly pods: Tally;
}

const phases = ["Running", "Pending", "Succeeded", "Failed", "Unknown"];

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
 * Renders the live table: a header, then one row per namespace as far as `height` allows. No line is wider than
 * `width`.
 */
export function renderTable(view: View, width: number, height: number): string[] {
  const columns = view.pods.columns();
  const shown = [
    ...phases.filter((phase) => columns.has(phase)),
    ...[...columns.keys()].filter((phase) => !phases.includes(phase)).sort(),
  ];
  const { added, updated, deleted } = view.changes;
  const head = [
    `pods of ${view.source}`,
    "",
    `status    ${view.status}`,
    `version   ${view.resourceVersion}`,
    `objects   ${grouped(view.pods.total)}`,
    `events    ${grouped(view.rate)}/s    added ${grouped(added)}    updated ${grouped(updated)}    deleted ${grouped(deleted)}`,
    `recovery  resyncs ${String(view.resyncs)}    reconnects ${String(view.reconnects)}`,
    ...(view.problem === undefined ? [] : [`          last: ${view.problem}`]),
    `memory    heap ${megabytes(view.memory.heap)}    process ${megabytes(view.memory.resident)}`,
    "",
    row("NAMESPACE", [...shown.map((phase) => phase.toUpperCase()), "TOTAL"]),
  ];
  const foot = [
    row("all", [...shown.map((phase) => grouped(columns.get(phase) ?? 0)), grouped(view.pods.total)]),
    "",
    `${view.seconds.toFixed(0)} s, press Ctrl-C to stop`,
  ];
  const rows = view.pods.rows();
  const room = Math.max(1, height - head.length - foot.length - 1);
  const visible = rows.length > room ? rows.slice(0, room - 1) : rows;
  visible.sort((left, right) => left.row.localeCompare(right.row));
  const body = visible.map((entry) =>
    row(entry.row, [...shown.map((phase) => grouped(entry.counts.get(phase) ?? 0)), grouped(entry.total)]),
  );
  if (visible.length < rows.length) body.push(`… and ${grouped(rows.length - visible.length)} more namespaces`);
  return [...head, ...body, ...foot].map((line) =>
    line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line,
  );
}

function row(name: string, cells: readonly string[]): string {
  return `${name.slice(0, 24).padEnd(24)}${cells.map((cell) => cell.padStart(11)).join("")}`;
}

/** Renders the state on one line, for logs. */
export function renderLine(view: View): string {
  const columns = [...view.pods.columns()]
    .sort((left, right) => right[1] - left[1])
    .map(([phase, count]) => `${phase} ${grouped(count)}`);
  return [
    `${view.seconds.toFixed(0).padStart(4)} s`,
    `${grouped(view.pods.total)} pods (${columns.join(", ")})`,
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
    `${view.seconds.toFixed(1)} s: ${counted(view.pods.total, "pod")} in ${counted(view.pods.rows().length, "namespace")}, ` +
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
