import type { Log, LogEntry } from "../controller/reconcile/controller-log.js";

/** Keeps the last problems that the parts of a cluster logged. */
export interface ProblemLog {
  /** Receives log entries, and hands them on. */
  readonly log: Log;
  /** Describes the last problems with objects of a namespace, `""` without any. `name` is `namespace/name`. */
  about(name: string): string;
}

const mostKept = 100;
const mostShown = 5;

/** Creates a log without entries, which hands all entries on to `next`. */
export function createProblemLog(next: Log | undefined): ProblemLog {
  const kept: (LogEntry & { times: number })[] = [];
  return {
    log(entry) {
      if (entry.level === "warn" || entry.level === "error") {
        // A controller that tries again repeats itself: its last problem with an object is the one to show.
        const before = kept.findIndex((other) => isAboutSame(other, entry));
        const [repeated] = before < 0 ? [] : kept.splice(before, 1);
        kept.push({ ...entry, times: (repeated?.times ?? 0) + 1 });
      }
      if (kept.length > mostKept) kept.shift();
      next?.(entry);
    },
    about(name) {
      const [, namespace] = name.split("/").reverse();
      const lines = kept
        .filter(({ request }) => request !== undefined && request.namespace === namespace)
        .slice(-mostShown)
        .map(({ controller, request, message, error, times }) => {
          const reason = error instanceof Error ? `: ${error.message}` : "";
          return `\n  ${controller ?? ""} ${request?.name ?? ""}: ${message}${reason}${times > 1 ? ` (${times} times)` : ""}`;
        });
      return lines.length === 0 ? "" : `\nproblems of controllers:${lines.join("")}`;
    },
  };
}

function isAboutSame(one: LogEntry, other: LogEntry): boolean {
  return (
    one.controller === other.controller &&
    one.request?.name === other.request?.name &&
    one.request?.namespace === other.request?.namespace
  );
}
