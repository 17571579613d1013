import type { Client } from "../client/client.js";
import { ProtocolError } from "../errors/errors.js";
import type { RequestOptions } from "../meta/options.js";

/** A row of `dump_priority_levels`. */
export interface PriorityLevelDump {
  /** Name of the priority level. */
  readonly priorityLevel: string;
  /** Number of queues that hold requests. */
  readonly activeQueues: number;
  /** True if no request is queued or executing. */
  readonly isIdle: boolean;
  /** True if the level was deleted and is finishing its last requests. */
  readonly isQuiescing: boolean;
  /** Number of queued requests. */
  readonly waitingRequests: number;
  /** Number of executing requests. */
  readonly executingRequests: number;
  /** Number of requests executed since the server started. */
  readonly dispatchedRequests: number;
  /** Number of requests rejected with 429. */
  readonly rejectedRequests: number;
  /** Number of requests that timed out in a queue. */
  readonly timedoutRequests: number;
  /** Number of requests canceled while queued. */
  readonly cancelledRequests: number;
}

/** A row of `dump_queues`. */
export interface QueueDump {
  /** Name of the priority level. */
  readonly priorityLevel: string;
  /** Index of the queue. */
  readonly index: number;
  /** Number of requests in the queue. */
  readonly pendingRequests: number;
  /** Number of executing requests from the queue. */
  readonly executingRequests: number;
  /** Seats occupied by the executing requests. */
  readonly seatsInUse: number;
  /** Virtual time at which the next request is dispatched, in seat-seconds. */
  readonly nextDispatchR: number;
  /** Sum of the queued requests' initial seats. */
  readonly initialSeatsSum: number;
  /** Sum of the queued requests' maximum seats. */
  readonly maxSeatsSum: number;
  /** Sum of the queued requests' work, in seat-seconds. */
  readonly totalWorkSum: number;
}

/** A row of `dump_requests`. */
export interface RequestDump {
  /** Name of the priority level. */
  readonly priorityLevel: string;
  /** Name of the FlowSchema. */
  readonly flowSchema: string;
  /** Index of the queue; -1 for a level without queues. */
  readonly queueIndex: number;
  /** Position in the queue; -1 for an executing request. */
  readonly requestIndex: number;
  /** User or namespace that distinguishes the flow; `""` if the FlowSchema doesn't distinguish flows. */
  readonly flowDistinguisher: string;
  /** Arrival time, RFC 3339 with nanoseconds. */
  readonly arriveTime: string;
  /** Start of execution, RFC 3339 with nanoseconds. The year is 1 for a queued request. */
  readonly startTime: string;
  /** Seats occupied initially. */
  readonly initialSeats: number;
  /** Seats occupied at the end. */
  readonly finalSeats: number;
  /** Time for which the final seats stay occupied, in Go's format. */
  readonly additionalLatency: string;
  /** Details of the request, if the dump includes them. */
  readonly details?:
    | {
        readonly userName: string;
        readonly verb: string;
        readonly path: string;
        readonly namespace: string;
        readonly name: string;
        readonly apiVersion: string;
        readonly resource: string;
        readonly subresource: string;
      }
    | undefined;
}

/** Parses the text of `dump_priority_levels`. Throws a `ProtocolError` for anything else. */
export function parsePriorityLevelDump(text: string): PriorityLevelDump[] {
  return rows(text, "PriorityLevelName", "RejectedRequests").map((row) => ({
    priorityLevel: row.text("PriorityLevelName"),
    activeQueues: row.number("ActiveQueues"),
    isIdle: row.text("IsIdle") === "true",
    isQuiescing: row.text("IsQuiescing") === "true",
    waitingRequests: row.number("WaitingRequests"),
    executingRequests: row.number("ExecutingRequests"),
    dispatchedRequests: row.number("DispatchedRequests"),
    rejectedRequests: row.number("RejectedRequests"),
    timedoutRequests: row.number("TimedoutRequests"),
    cancelledRequests: row.number("CancelledRequests"),
  }));
}

/** Parses the text of `dump_queues`. Throws a `ProtocolError` for anything else. */
export function parseQueueDump(text: string): QueueDump[] {
  return rows(text, "PriorityLevelName", "SeatsInUse").map((row) => ({
    priorityLevel: row.text("PriorityLevelName"),
    index: row.number("Index"),
    pendingRequests: row.number("PendingRequests"),
    executingRequests: row.number("ExecutingRequests"),
    seatsInUse: row.number("SeatsInUse"),
    nextDispatchR: row.number("NextDispatchR"),
    initialSeatsSum: row.number("InitialSeatsSum"),
    maxSeatsSum: row.number("MaxSeatsSum"),
    totalWorkSum: row.number("TotalWorkSum"),
  }));
}

/** Parses the text of `dump_requests`, with or without details. Throws a `ProtocolError` for anything else. */
export function parseRequestDump(text: string): RequestDump[] {
  return rows(text, "PriorityLevelName", "FlowSchemaName").map((row) => ({
    priorityLevel: row.text("PriorityLevelName"),
    flowSchema: row.text("FlowSchemaName"),
    queueIndex: row.number("QueueIndex"),
    requestIndex: row.number("RequestIndexInQueue"),
    // The server's spelling.
    flowDistinguisher: row.text("FlowDistingsher"),
    arriveTime: row.text("ArriveTime"),
    startTime: row.text("StartTime"),
    initialSeats: row.number("InitialSeats"),
    finalSeats: row.number("FinalSeats"),
    additionalLatency: row.text("AdditionalLatency"),
    ...(row.has("UserName") && {
      details: {
        userName: row.text("UserName"),
        verb: row.text("Verb"),
        path: row.text("APIPath"),
        namespace: row.text("Namespace"),
        name: row.text("Name"),
        apiVersion: row.text("APIVersion"),
        resource: row.text("Resource"),
        subresource: row.text("SubResource"),
      },
    }),
  }));
}

interface Row {
  has(column: string): boolean;
  text(column: string): string;
  number(column: string): number;
}

/**
 * Splits a table that Go's tabwriter aligned. Cells end with a comma but may contain commas too. A line with more
 * commas than headings is split by the headings' positions, counted in characters.
 */
function rows(text: string, ...expected: string[]): Row[] {
  const [head = "", ...lines] = text.split("\n");
  const columns = new Map([...head.matchAll(/[A-Za-z]+/g)].map((match) => [match[0], match.index]));
  for (const name of expected)
    if (!columns.has(name)) throw new ProtocolError(`parse flow control dump: column ${name} is missing`);
  const starts = [...columns.values()];
  const names = [...columns.keys()];
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const parts = line.split(",");
      const chars = Array.from(line);
      const cell = (name: string): string => {
        const start = columns.get(name);
        if (start === undefined) throw new ProtocolError(`parse flow control dump: column ${name} is missing`);
        if (parts.length === names.length) return parts[names.indexOf(name)]!.trim();
        const raw = chars
          .slice(start, starts[starts.indexOf(start) + 1])
          .join("")
          .trimEnd();
        return raw.endsWith(",") ? raw.slice(0, -1) : raw;
      };
      return {
        has: (name) => columns.has(name),
        text: cell,
        number(name) {
          const value = Number.parseFloat(cell(name));
          if (Number.isNaN(value)) throw new ProtocolError(`parse flow control dump: ${name} is not a number`);
          return value;
        },
      };
    });
}

/**
 * Fetches the server's queued and executing requests by priority level, queue and request. The user needs permission to
 * read `/debug`.
 *
 * @example
 * ```ts
 * import { dumpFlowControl } from "kubestream/flowcontrol";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const { priorityLevels } = await dumpFlowControl(client);
 * for (const level of priorityLevels)
 *   if (level.waitingRequests > 0) console.log(level.priorityLevel, level.waitingRequests, level.rejectedRequests);
 * ```
 */
export async function dumpFlowControl(
  client: Client,
  options: RequestOptions = {},
): Promise<{ priorityLevels: PriorityLevelDump[]; queues: QueueDump[]; requests: RequestDump[] }> {
  const read = async (what: string): Promise<string> => {
    const response = await client.request({
      ...options,
      path: `/debug/api_priority_and_fairness/dump_${what}`,
      accept: "text/plain, */*",
      ...(what === "requests" && { query: { includeRequestDetails: true } }),
    });
    return response.text();
  };
  const [levels, queues, requests] = await Promise.all(["priority_levels", "queues", "requests"].map(read));
  return {
    priorityLevels: parsePriorityLevelDump(levels!),
    queues: parseQueueDump(queues!),
    requests: parseRequestDump(requests!),
  };
}
