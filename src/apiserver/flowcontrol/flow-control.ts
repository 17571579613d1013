import type { Clock } from "../../internal/clock.js";
import { PlainFailure } from "../errors/status.js";
import type { RequestInfo } from "../http/request-info.js";
import type { UserInfo } from "../http/user-info.js";
import { words } from "../internal/words.js";
import type { ApiObject } from "../objects/api-object.js";
import type { FlowSchema } from "./flow-schema.js";
import { readFlowSchemas } from "./flow-schema.js";
import type { PriorityLevel } from "./priority-level.js";
import { createPriorityLevel, sharesOf } from "./priority-level.js";

/** Resources that configure flow control. */
export type FlowControlResource = "flowschemas" | "prioritylevelconfigurations";

/** Reads the stored configuration. */
export interface FlowControlSource {
  /** Returns a value that changes with every write to the resource. */
  version(resource: FlowControlResource): unknown;
  /** Returns all objects of the resource. They are shared; don't modify them. */
  list(resource: FlowControlResource): Iterable<ApiObject>;
}

/** A seat held by a request. */
export interface Seat {
  /** Response headers that name the FlowSchema and the priority level. */
  readonly headers: [string, string][];
  /** Frees the seat; may be called more than once. Watches call it once their stream has started. */
  release(): void;
}

/** Classifies requests and limits how many of each priority level run at once. */
export interface FlowControl {
  /**
   * Waits for a seat. Throws a plain-text 429 if the level rejects the request; rejects with the signal's reason if it
   * aborts.
   */
  enter(user: UserInfo, info: RequestInfo, timeoutMs: number, signal: AbortSignal): Promise<Seat>;
  /** Returns a debug dump as text, or `undefined` for an unknown name. */
  dump(name: string, details: boolean): string | undefined;
  /** Returns the current priority levels. */
  levels(): readonly PriorityLevel[];
}

/** Seats of the whole server: kube-apiserver's defaults for reads (400) plus writes (200). */
const TOTAL_SEATS = 600;

/**
 * Creates the flow control of a server: API Priority and Fairness.
 *
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 */
export function createFlowControl(source: FlowControlSource, clock: Clock): FlowControl {
  const levels = new Map<string, PriorityLevel>();
  let schemas: readonly FlowSchema[] = [];
  let schemasVersion: unknown = Symbol();
  let levelsVersion: unknown = Symbol();

  const refresh = (): void => {
    const nextSchemas = source.version("flowschemas");
    if (nextSchemas !== schemasVersion) {
      schemasVersion = nextSchemas;
      schemas = readFlowSchemas(source.list("flowschemas"));
    }
    const nextLevels = source.version("prioritylevelconfigurations");
    if (nextLevels === levelsVersion) return;
    levelsVersion = nextLevels;
    const objects = [...source.list("prioritylevelconfigurations")];
    const shares = objects.reduce((sum, object) => sum + sharesOf(object), 0);
    const names = new Set<string>();
    for (const object of objects) {
      const name = object.metadata?.name ?? "";
      names.add(name);
      let level = levels.get(name);
      if (level === undefined) {
        level = createPriorityLevel(name, clock);
        levels.set(name, level);
      }
      level.configure(object, shares === 0 ? 0 : Math.ceil((TOTAL_SEATS * sharesOf(object)) / shares));
    }
    for (const [name, level] of levels) if (!names.has(name) && level.executing() === 0) levels.delete(name);
  };

  return {
    async enter(user, info, timeoutMs, signal) {
      refresh();
      const schema = schemas.find((candidate) => levels.has(candidate.level) && candidate.matches(user, info));
      const level = schema === undefined ? undefined : levels.get(schema.level);
      // Both catch-all objects are mandatory. Without them requests can't be classified and aren't limited.
      if (schema === undefined || level === undefined) return { headers: [], release: () => undefined };
      const headers: [string, string][] = [
        ["X-Kubernetes-Pf-Flowschema-Uid", schema.uid],
        ["X-Kubernetes-Pf-Prioritylevel-Uid", level.uid],
      ];
      // A request may spend a quarter of its time limit in the queue.
      const release = await level.enter(
        { schema: schema.name, distinguisher: schema.distinguisher(user, info), user, info },
        timeoutMs / 4,
        signal,
      );
      if (release === undefined)
        throw new PlainFailure(429, "Too many requests, please try again later.\n", [
          ["Cache-Control", "no-cache, private"],
          ["Retry-After", "1"],
          ...headers,
        ]);
      return { headers, release };
    },
    levels() {
      refresh();
      return [...levels.values()];
    },
    dump(name, details) {
      refresh();
      const all = [...levels.values()];
      if (name === "dump_priority_levels") return dumpLevels(all);
      if (name === "dump_queues") return dumpQueues(all);
      if (name === "dump_requests") return dumpRequests(all, details);
      return undefined;
    },
  };
}

function table(header: readonly string[], rows: readonly (readonly (string | number | boolean)[])[]): string {
  return `${[header, ...rows].map((row) => row.join(", ")).join("\n")}\n`;
}

function dumpLevels(levels: readonly PriorityLevel[]): string {
  return table(
    words(
      "PriorityLevelName ActiveQueues IsIdle IsQuiescing WaitingRequests ExecutingRequests",
      "DispatchedRequests RejectedRequests TimedoutRequests CancelledRequests",
    ),
    levels.map((level) => {
      const waiting = level.queues().reduce((sum, queue) => sum + queue.waiting.length, 0);
      const { dispatched, rejected, timedOut, cancelled } = level.counters;
      const active = level.queues().filter((queue) => queue.waiting.length + queue.executing > 0).length;
      return [
        level.name,
        active,
        waiting === 0 && level.executing() === 0,
        false,
        waiting,
        level.executing(),
        dispatched,
        rejected,
        timedOut,
        cancelled,
      ];
    }),
  );
}

function dumpQueues(levels: readonly PriorityLevel[]): string {
  return table(
    words(
      "PriorityLevelName Index PendingRequests ExecutingRequests SeatsInUse NextDispatchR InitialSeatsSum",
      "MaxSeatsSum TotalWorkSum",
    ),
    levels.flatMap((level) =>
      level
        .queues()
        .map((queue, index) => [
          level.name,
          index,
          queue.waiting.length,
          queue.executing,
          queue.executing,
          "0.00000000ss",
          queue.waiting.length,
          queue.waiting.length,
          "0.00000000ss",
        ]),
    ),
  );
}

function dumpRequests(levels: readonly PriorityLevel[], details: boolean): string {
  const columns = words(
    "PriorityLevelName FlowSchemaName QueueIndex RequestIndexInQueue FlowDistingsher ArriveTime",
    "InitialSeats FinalSeats AdditionalLatency StartTime",
  );
  const more = details
    ? ["UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"]
    : [];
  const rows = levels.flatMap((level) =>
    level.queues().flatMap((queue, queueIndex) =>
      queue.waiting.map((request, index) => {
        const row = [
          level.name,
          request.schema,
          queueIndex,
          index,
          request.distinguisher,
          new Date(request.arrivedMs).toISOString(),
          1,
          0,
          "0s",
          "0001-01-01T00:00:00Z",
        ];
        const { verb, path, namespace, name, version, resource, subresource } = request.info;
        return details ? [...row, request.user.name, verb, path, namespace, name, version, resource, subresource] : row;
      }),
    ),
  );
  return table([...columns, ...more], rows);
}
