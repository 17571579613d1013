import type { ReconcileRequest } from "./reconcile-request.js";

/** Log entry of a controller, a manager, a leader elector or an event recorder. */
export interface LogEntry {
  /** Severity. Conflicts are logged as `debug` because they are part of normal operation. */
  readonly level: "debug" | "info" | "warn" | "error";
  /** Message. */
  readonly message: string;
  /** Name of the controller, if the entry belongs to one. */
  readonly controller?: string | undefined;
  /** Request that was reconciled, if the entry belongs to one. */
  readonly request?: ReconcileRequest | undefined;
  /** Id of the reconcile, shared by all its entries. */
  readonly reconcileId?: string | undefined;
  /** Error that was thrown. */
  readonly error?: unknown;
  /** Additional fields from `context.log`. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Receives log entries. Errors that it throws are ignored.
 *
 * @example
 * ```ts
 * import type { Log } from "kubestream/controller";
 *
 * export const logAsJson: Log = ({ error, ...entry }) =>
 *   console.log(JSON.stringify({ ...entry, ...(error !== undefined && { error: String(error) }) }));
 * ```
 */
export type Log = (entry: LogEntry) => void;

/**
 * Writes warnings and errors to the console. The default `Log`. It drops `info` and `debug` entries: to see them, pass a
 * function of your own as `log`.
 */
export const logToConsole: Log = ({ level, message, controller, request, error }) => {
  if (level !== "warn" && level !== "error") return;
  const where = [controller, request && [request.namespace, request.name].filter(Boolean).join("/")]
    .filter(Boolean)
    .join(" ");
  const text = `${where === "" ? "" : `${where}: `}${message}`;
  if (error === undefined) console[level](text);
  else console[level](text, error);
};
