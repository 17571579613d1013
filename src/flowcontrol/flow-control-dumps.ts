import type { Client } from "../client/client.js";
import { ProtocolError } from "../errors/errors.js";
import type { RequestOptions } from "../meta/options.js";

/** A line of `dump_priority_levels`. */
export interface PriorityLevelDump {
  /** Name of the priority level. */
  readonly priorityLevel: string;
  /** Queues that hold requests. */
  readonly activeQueues: number;
  /** Whether nothing waits or runs. */
  readonly isIdle: boolean;
  /** Whether it was deleted and runs out. */
  readonly isQuiescing: boolean;
  /** Requests that wait. */
  readonly waitingRequests: number;
  /** Requests that run. */
  readonly executingRequests: number;
  /** Requests that ran since the server began. */
  readonly dispatchedRequests: number;
  /** Requests that were turned away with 429. */
  readonly rejectedRequests: number;
  /** Requests that waited too long. */
  readonly timedoutRequests: number;
  /** Requests that left while they waited. */
  readonly cancelledRequests: number;
}

/** A line of `dump_queues`. */
export interface QueueDump {
  /** Name of the priority level. */
  readonly priorityLevel: string;
  /** Number of the queue. */
  readonly index: number;
  /** Requests that wait in it. */
  readonly pendingRequests: number;
  /** Requests of it that run. */
  readonly executingRequests: number;
  /** Seats that those take. */
  readonly seatsInUse: number;
  /** When, in virtual time, the next is due: seat-seconds. */
  readonly nextDispatchR: number;
  /** Seats that the waiting ones need at first. */
  readonly initialSeatsSum: number;
  /** Seats that the waiting ones need at most. */
  readonly maxSeatsSum: number;
  /** Work that waits: seat-seconds. */
  readonly totalWorkSum: number;
}

/** A line of `dump_requests`. */
export interface RequestDump {
  /** Name of the priority level. */
  readonly priorityLevel: string;
  /** Name of the FlowSchema. */
  readonly flowSchema: string;
  /** Number of its queue; -1 where there are no queues. */
  readonly queueIndex: number;
  /** Place in the queue; -1 for a request that runs. */
  readonly requestIndex: number;
  /** What tells its flow from others: a user or a namespace; `""` where flows are not told apart. */
  readonly flowDistinguisher: string;
  /** When it came, RFC 3339 with nanoseconds. */
  readonly arriveTime: string;
  /** When it began to run, RFC 3339 with nanoseconds; year 1 for one that waits. */
  readonly startTime: string;
  /** Seats it takes at first. */
  readonly initialSeats: number;
  /** Seats it takes at the end. */
  readonly finalSeats: number;
  /** How long the final seats stay taken, as Go writes durations. */
  readonly additionalLatency: string;
  /** What it asks for; only with details. */
  readonly details?: {
    readonly userName: string;
    readonly verb: string;
    readonly path: string;
    readonly namespace: string;
    readonly name: string;
    readonly apiVersion: string;
    readonly resource: string;
    readonly subresource: string;
  };
}

/** Reads the text of `dump_priority_levels`. Throws a `ProtocolError` for anything else. */
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

/** Reads the text of `dump_queues`. Throws a `ProtocolError` for anything else. */
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

/** Reads the text of `dump_requests`, with or without details. Throws a `ProtocolError` for anything else. */
export function parseRequestDump(text: string): RequestDump[] {
  return rows(text, "PriorityLevelName", "FlowSchemaName").map((row) => ({
    priorityLevel: row.text("PriorityLevelName"),
    flowSchema: row.text("FlowSchemaName"),
    queueIndex: row.number("QueueIndex"),
    requestIndex: row.number("RequestIndexInQueue"),
    // Spelled so by the server.
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
 * Splits a table that Go's tabwriter has aligned. Cells end with a comma but may hold commas themselves: in a line that
 * has more of them than headings it is the column's place under its heading that counts, in characters.
 */
function rows(text: string, ...expected: string[]): Row[] {
  const [head = "", ...lines] = text.split("\n");
  const columns = new Map([...head.matchAll(/[A-Za-z]+/g)].map((match) => [match[0], match.index]));
  for (const name of expected)
    if (!columns.has(name)) throw new ProtocolError(`read a flow control dump: no column ${name}`);
  const starts = [...columns.values()];
  const names = [...columns.keys()];
  return lines
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const parts = line.split(",");
      const chars = Array.from(line);
      const cell = (name: string): string => {
        const start = columns.get(name);
        if (start === undefined) throw new ProtocolError(`read a flow control dump: no column ${name}`);
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
          if (Number.isNaN(value)) throw new ProtocolError(`read a flow control dump: ${name} is no number`);
          return value;
        },
      };
    });
}

/** Asks a server what waits and runs, by priority level, queue and request. The user needs the right to read `/debug`. */
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
