import type { Log, LogEntry } from "./controller-log.js";

/** Logger that takes fields and a message, such as one of pino, bunyan or Fastify. */
export type StructuredLogger = Readonly<Record<LogEntry["level"], (fields: object, message?: string) => void>>;

/**
 * Creates a `Log` that writes each entry with its level, its message, and its other properties as fields: `controller`,
 * `request`, `reconcileId`, those of `context.log`, and the error as `err`, which pino prints with its stack.
 *
 * @example
 * ```ts
 * import { createController, logToPino, type StructuredLogger } from "kubestream/controller";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * declare const logger: StructuredLogger; // pino({ level: "info" })
 * const client = await connect();
 * const controller = createController({
 *   name: "watcher",
 *   for: client.resource(ConfigMap),
 *   log: logToPino(logger),
 *   reconcile: (_request, { log }) => log("info", "checked", { colour: "blue" }),
 * });
 * controller.start();
 * ```
 */
export function logToPino(logger: StructuredLogger): Log {
  return ({ level, message, error, fields, ...about }) =>
    logger[level]({ ...fields, ...about, ...(error !== undefined && { err: error }) }, message);
}
