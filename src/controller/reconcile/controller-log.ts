import type { ReconcileRequest } from "./reconcile-request.js";

/** Something that a controller, a manager or an elector has to say. */
export interface LogEntry {
  /** How grave it is. Conflicts are `debug`: they belong to the daily work. */
  readonly level: "debug" | "info" | "warn" | "error";
  /** What happened. */
  readonly message: string;
  /** Name of the controller; absent where it is of none. */
  readonly controller?: string;
  /** What was reconciled; absent where it is of no reconcile. */
  readonly request?: ReconcileRequest;
  /** Identity of the reconcile, the same for all that it says. */
  readonly reconcileId?: string;
  /** What was thrown. */
  readonly error?: unknown;
  /** Anything more that a reconcile says. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Takes what there is to say. What it throws is dropped. */
export type Log = (entry: LogEntry) => void;

/** Writes warnings and errors to the console, a line each, and drops the rest. The default. */
export const logToConsole: Log = ({ level, message, controller, request, error }) => {
  if (level !== "warn" && level !== "error") return;
  const where = [controller, request && [request.namespace, request.name].filter(Boolean).join("/")]
    .filter(Boolean)
    .join(" ");
  const text = `${where === "" ? "" : `${where}: `}${message}`;
  if (error === undefined) console[level](text);
  else console[level](text, error);
};
