import type { BoardRow } from "../terminal/board.js";
import { fitLine, grouped, printable } from "../terminal/format.js";
import { legend, renderRow, rowTitle } from "../terminal/workload-rows.js";

/** A node, as a line of the view. */
export interface NodeLine {
  readonly name: string;
  /** Status as kubectl shows it, such as `Ready,SchedulingDisabled`. */
  readonly status: string;
  /** Number of pods on the node. */
  readonly pods: number;
}

/** An event, as a line of the view. */
export interface EventLine {
  /** Time of the last occurrence in milliseconds since the epoch. */
  readonly timeMs: number;
  readonly type: string;
  readonly reason: string;
  /** Kind, namespace and name, such as `Pod/default/web-0`. */
  readonly object: string;
  readonly message: string;
}

/** State of a cluster at one moment. */
export interface ClusterView {
  readonly url: string;
  readonly nodes: readonly NodeLine[];
  readonly workloads: readonly BoardRow[];
  readonly podCount: number;
  /** Events by time. */
  readonly events: readonly EventLine[];
}

/** Renders a cluster as lines for a terminal. The tables share the height, and what doesn't fit is counted. */
export function renderCluster(view: ClusterView, width: number, height: number): string[] {
  const { url, nodes, workloads, podCount, events } = view;
  const head = [
    `${url}    ${grouped(nodes.length)} nodes    ${grouped(podCount)} pods    Ctrl-C stops the cluster`,
    "",
    legend,
    "",
  ];
  // Titles, blank lines between the tables, and one line that counts what is left out of each of the first two.
  const room = Math.max(3, height - head.length - 7);
  const nodeRoom = Math.min(nodes.length, Math.max(1, Math.floor(room / 4)));
  const workloadRoom = Math.min(workloads.length, Math.max(1, Math.floor((room - nodeRoom) / 2)));
  const lines = [
    ...head,
    `${"NODE".padEnd(24)}${"STATUS".padEnd(28)}PODS`,
    ...table(nodes, nodeRoom, "nodes", ({ name, status, pods }) => `${name.padEnd(23)} ${status.padEnd(27)} ${pods}`),
    "",
    rowTitle,
    ...table(workloads, workloadRoom, "workloads", (row) => renderRow(row, width)),
    "",
    "EVENTS",
    ...events.slice(-Math.max(1, room - nodeRoom - workloadRoom)).map(renderEvent),
  ];
  return lines.slice(0, height).map((line) => fitLine(line, width));
}

function table<T>(items: readonly T[], room: number, noun: string, render: (item: T) => string): string[] {
  const lines = items.slice(0, room).map(render);
  return items.length > room ? [...lines, `… and ${grouped(items.length - room)} more ${noun}`] : lines;
}

/** Renders an event on one line. */
export function renderEvent({ timeMs, type, reason, object, message }: EventLine): string {
  const time = new Date(timeMs).toISOString().slice(11, 19);
  const mark = type === "Normal" ? "" : `${type} `;
  return printable(`${time} ${object} ${mark}${reason}: ${message.replaceAll(/\s+/g, " ").trim()}`);
}
