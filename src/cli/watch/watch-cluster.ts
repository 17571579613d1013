import { createInformer } from "../../cache/informer/create-informer.js";
import type { Client } from "../../client/client.js";
import { systemClock, type Timer } from "../../internal/clock.js";
import { Event, Node, Pod } from "../../kinds/core/v1.js";
import type { DeepReadonly } from "../../meta/object.js";
import { parseTime } from "../../meta/time.js";
import { createBoard, slimPod } from "../terminal/board.js";
import { createCanvas, type Output } from "../terminal/canvas.js";
import { coloured, paintCells } from "../terminal/workload-rows.js";
import { type ClusterView, type EventLine, renderCluster, renderEvent } from "./cluster-view.js";

/** A view of a cluster that follows its changes. */
export interface ClusterWatch {
  /** Ends the view, and shows again what the terminal showed before. */
  close(): Promise<void>;
}

const intervalMs = 250;
const mostEvents = 200;

/** Shows a cluster on a terminal, redrawn in place. Elsewhere, prints a line for each event. */
export function watchCluster(client: Client, output: Output, url: string): ClusterWatch {
  const nodes = createInformer(client.resource(Node));
  const pods = createInformer(client.resource(Pod), { transform: slimPod });
  const events = createInformer(client.resource(Event));
  const board = createBoard();
  const perNode = new Map<string, number>();
  const count = ({ spec }: DeepReadonly<Pod>, by: 1 | -1): void => {
    const name = spec?.nodeName;
    if (name !== undefined) perNode.set(name, (perNode.get(name) ?? 0) + by);
  };
  const latest: EventLine[] = [];
  let isChanged = true;
  nodes.addHandler(() => void (isChanged = true));
  pods.addHandler((change) => {
    isChanged = true;
    const before = change.type === "updated" ? change.old : change.type === "deleted" ? change.object : undefined;
    if (before !== undefined) {
      board.remove(before);
      count(before, -1);
    }
    if (change.type === "deleted") return;
    board.add(change.object);
    count(change.object, 1);
  });
  events.addHandler((change) => {
    if (change.type === "deleted") return;
    isChanged = true;
    const line = toLine(change.object);
    latest.push(line);
    if (latest.length > mostEvents) latest.shift();
    if (output.isTTY !== true) output.write(`${renderEvent(line)}\n`);
  });
  const view = (): ClusterView => ({
    url,
    nodes: nodes.store
      .list()
      .map((node) => ({
        name: node.metadata!.name!,
        status: statusOf(node),
        pods: perNode.get(node.metadata!.name!) ?? 0,
      }))
      .sort((left, right) => left.name.localeCompare(right.name, undefined, { numeric: true })),
    workloads: board.rows().sort((left, right) => left.name.localeCompare(right.name)),
    podCount: board.total,
    events: latest,
  });
  const canvas = output.isTTY === true ? createCanvas(output) : undefined;
  let size = "";
  let timer: Timer | undefined;
  const draw = (): void => {
    const current = `${output.columns}x${output.rows}`;
    if (isChanged || current !== size)
      canvas?.draw(
        (columns, rows) => renderCluster(view(), columns, rows),
        (line) => paintCells(line, coloured),
      );
    isChanged = false;
    size = current;
    timer = systemClock.setTimer(draw, intervalMs);
  };
  if (canvas !== undefined) draw();
  return {
    async close() {
      timer?.cancel();
      canvas?.close();
      await Promise.all([nodes.close(), pods.close(), events.close()]);
    },
  };
}

/** Returns a node's status as kubectl shows it. */
function statusOf({ spec, status }: DeepReadonly<Node>): string {
  const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status;
  const text = ready === "True" ? "Ready" : ready === "False" ? "NotReady" : "Unknown";
  return spec?.unschedulable === true ? `${text},SchedulingDisabled` : text;
}

function toLine({ involvedObject, series, ...event }: DeepReadonly<Event>): EventLine {
  const { kind = "", namespace = "", name = "" } = involvedObject;
  const time = series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp;
  return {
    timeMs: parseTime(time)?.getTime() ?? 0,
    type: event.type ?? "Normal",
    reason: event.reason ?? "",
    object: [kind, namespace, name].filter((part) => part !== "").join("/"),
    message: event.message ?? "",
  };
}
