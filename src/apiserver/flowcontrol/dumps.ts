import type { PriorityLevel } from "../../fairness/priority-levels.js";
import type { QueuedRequest } from "../../fairness/request-queue.js";
import { formatSeatSeconds } from "../../fairness/seat-seconds.js";
import type { RequestInfo } from "../http/request-info.js";
import type { UserInfo } from "../http/user-info.js";
import { words } from "../internal/words.js";

/** Data of a request in its queue. */
export interface FlowDetails {
  readonly user: UserInfo;
  readonly info: RequestInfo;
  /** Flow of the schema that the request belongs to. */
  readonly distinguisher: string;
}

type Level = PriorityLevel<FlowDetails>;
type Row = readonly (string | number | boolean)[];

/** Aligns columns like Go's tabwriter: at least eight characters wide, counted in code points, and one space apart. */
function table(header: readonly string[], rows: readonly Row[]): string {
  const lines = [header, ...rows].map((row) =>
    row.map((cell, at) => `${String(cell)}${at < row.length - 1 ? "," : ""}`),
  );
  const length = (text: string): number => Array.from(text).length;
  const widths = header.map((_, at) => lines.reduce((most, line) => Math.max(most, length(line[at]!) + 1), 8));
  const padded = lines.map((line) =>
    line.map((cell, at) => (at === line.length - 1 ? cell : cell + " ".repeat(widths[at]! - length(cell)))).join(""),
  );
  return `${padded.join("\n")}\n`;
}

/** Writes `dump_priority_levels`. */
export function dumpLevels(levels: readonly Level[]): string {
  return table(
    words(
      "PriorityLevelName ActiveQueues IsIdle IsQuiescing WaitingRequests ExecutingRequests",
      "DispatchedRequests RejectedRequests TimedoutRequests CancelledRequests",
    ),
    levels.map(({ name, queues: set, quiescing }) => [
      name,
      set.queues.filter((queue) => queue.waiting.length > 0).length,
      set.isIdle,
      quiescing,
      set.waiting,
      set.executing,
      set.counters.dispatched,
      set.counters.rejected,
      set.counters.timedOut,
      set.counters.cancelled,
    ]),
  );
}

/** Writes `dump_queues`. */
export function dumpQueues(levels: readonly Level[]): string {
  return table(
    words(
      "PriorityLevelName Index PendingRequests ExecutingRequests SeatsInUse NextDispatchR InitialSeatsSum",
      "MaxSeatsSum TotalWorkSum",
    ),
    levels.flatMap(({ name, queues: set }) =>
      set.queues.map((queue, index) => [
        name,
        index,
        queue.waiting.length,
        queue.executing.size,
        queue.seatsInUse,
        formatSeatSeconds(Math.max(0, queue.nextDispatchR)),
        queue.initialSeatsSum,
        queue.maxSeatsSum,
        formatSeatSeconds(queue.totalWorkSum),
      ]),
    ),
  );
}

/** Writes `dump_requests`: the requests in queues, and those that execute, at position -1. */
export function dumpRequests(levels: readonly Level[], details: boolean): string {
  const columns = words(
    "PriorityLevelName FlowSchemaName QueueIndex RequestIndexInQueue FlowDistingsher ArriveTime",
    "InitialSeats FinalSeats AdditionalLatency StartTime",
  );
  const more = details
    ? ["UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"]
    : [];
  const rows: Row[] = [];
  for (const { name, queues: set } of levels) {
    const add = (request: QueuedRequest<FlowDetails>, queue: number, at: number): void => {
      rows.push([name, ...requestCells(request, queue, at), ...(details ? detailCells(request.details) : [])]);
    };
    for (const [index, queue] of set.queues.entries()) {
      for (const [at, request] of queue.waiting.entries()) add(request, index, at);
      for (const request of queue.executing) add(request, index, -1);
    }
    for (const request of set.queueless) add(request, -1, -1);
  }
  return table([...columns, ...more], rows);
}

function requestCells(request: QueuedRequest<FlowDetails>, queue: number, at: number): Row {
  const { work, schema, arrivedMs, startedMs } = request;
  return [
    schema,
    queue,
    at,
    request.details.distinguisher,
    nanoTime(arrivedMs),
    work.initialSeats,
    work.finalSeats,
    duration(work.additionalLatencyMs),
    startedMs === undefined ? "0001-01-01T00:00:00Z" : nanoTime(startedMs),
  ];
}

function detailCells({ user, info }: FlowDetails): Row {
  const apiVersion = info.group === "" ? info.version : `${info.group}/${info.version}`;
  return [user.name, info.verb, info.path, info.namespace, info.name, apiVersion, info.resource, info.subresource];
}

/** Formats a time like Go: without zeros at the end of the fraction. */
function nanoTime(ms: number): string {
  return new Date(ms).toISOString().replace(/\.?0{0,3}Z$/, "Z");
}

/** Formats a duration of less than a second, or of whole seconds, like Go. */
function duration(ms: number): string {
  if (ms === 0) return "0s";
  return ms < 1000 ? `${String(ms)}ms` : `${String(ms / 1000)}s`;
}
