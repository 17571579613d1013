import type { UndiciTransportOptions } from "../transport/undici-transport.js";

/** Settings of a connection pool in the worker: those of a transport that can be copied. */
export interface WorkerPoolOptions extends Omit<UndiciTransportOptions, "dispatcher" | "clock" | "proxy"> {
  /** URL of a proxy. */
  readonly proxy?: string | undefined;
}

/** A request without a body. */
export interface WorkerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly multiHeaders?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Message to the worker. `stream` numbers a request and its response. */
export type ToWorker =
  | { readonly type: "open"; readonly pool: number; readonly options: WorkerPoolOptions }
  | { readonly type: "send"; readonly pool: number; readonly stream: number; readonly request: WorkerRequest }
  /** The reader took this number of bytes of a body. */
  | { readonly type: "credit"; readonly stream: number; readonly bytes: number }
  | { readonly type: "abort"; readonly stream: number }
  /** Bases that no object refers to. */
  | { readonly type: "unused"; readonly bases: readonly number[] }
  | { readonly type: "drain"; readonly pool: number }
  | { readonly type: "close"; readonly pool: number };

/** An error of a request, as plain data. */
export interface WorkerFailure {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly permanent?: boolean | undefined;
  /** Message of the cause. */
  readonly cause?: string | undefined;
}

/** Message from the worker. */
export type FromWorker =
  | {
      readonly type: "head";
      readonly stream: number;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** Bytes of a body, `length` of them, followed by the differences of the objects that they complete. */
  | { readonly type: "chunk"; readonly stream: number; readonly buffer: ArrayBuffer; readonly length: number }
  | { readonly type: "end"; readonly stream: number }
  | { readonly type: "fail"; readonly stream: number; readonly error: WorkerFailure }
  /** Bases that later chunks don't refer to. */
  | { readonly type: "dropped"; readonly bases: readonly number[] }
  /** A pool was drained or closed. */
  | { readonly type: "closed"; readonly pool: number };

/** Parameter of a media type in `Accept` that asks the transport to read the response in the worker. */
export const workerMark = ";decode=worker";

/** Most bytes of a body that are sent before the reader took any. */
export const windowBytes: number = 1024 * 1024;

/**
 * Number of bytes before a difference in a chunk: the number of its base, the length of the base if it's new, the length
 * of the object's parts, and that of the difference. The bytes of a new base and the difference follow.
 */
export const headBytes = 16;
