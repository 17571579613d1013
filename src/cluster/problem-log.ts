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
  const kept: LogEntry[] = [];
  return {
    log(entry) {
      if (entry.level === "warn" || entry.level === "error") kept.push(entry);
      if (kept.length > mostKept) kept.shift();
      next?.(entry);
    },
    about(name) {
      const [, namespace] = name.split("/").reverse();
      const lines = kept
        .filter(({ request }) => request !== undefined && request.namespace === namespace)
        .slice(-mostShown)
        .map(({ controller, request, message, error }) => {
          const reason = error instanceof Error ? `: ${error.message}` : "";
          return `\n  ${controller ?? ""} ${request?.name ?? ""}: ${message}${reason}`;
        });
      return lines.length === 0 ? "" : `\nproblems of controllers:${lines.join("")}`;
    },
  };
}
