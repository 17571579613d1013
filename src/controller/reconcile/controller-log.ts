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

/** Options for `createConsoleLog`. */
export interface ConsoleLogOptions {
  /** Lowest severity that is written. Default `warn`. */
  readonly level?: LogEntry["level"] | undefined;
}

const levels: readonly LogEntry["level"][] = ["debug", "info", "warn", "error"];

/**
 * Creates a `Log` that writes entries to the console, one line each with the controller, the request, the message, and
 * the fields and the error, if any. Throws a `TypeError` for an unknown level.
 *
 * @example
 * ```ts
 * import { createConsoleLog, createController } from "kubestream/controller";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const controller = createController({
 *   name: "watcher",
 *   for: client.resource(ConfigMap),
 *   log: createConsoleLog({ level: "info" }),
 *   reconcile: (_request, { log }) => log("info", "checked"),
 * });
 * controller.start(); // watcher default/kube-root-ca.crt: checked
 * ```
 */
export function createConsoleLog(options: ConsoleLogOptions = {}): Log {
  const { level: lowest = "warn" } = options;
  if (!levels.includes(lowest))
    throw new TypeError(`options.level must be one of ${levels.join(", ")}, not ${JSON.stringify(lowest)}`);
  const written = levels.slice(levels.indexOf(lowest));
  return ({ level, message, controller, request, fields, error }) => {
    if (!written.includes(level)) return;
    const where = [controller, request && [request.namespace, request.name].filter(Boolean).join("/")]
      .filter(Boolean)
      .join(" ");
    const text = `${where === "" ? "" : `${where}: `}${message}`;
    console[level](text, ...(fields === undefined ? [] : [fields]), ...(error === undefined ? [] : [error]));
  };
}

/** Writes warnings and errors to the console. The default `Log`; for other levels, use `createConsoleLog`. */
export const logToConsole: Log = createConsoleLog();
