import type { Codec, CodecTarget } from "../../codec/codec.js";
import type { Clock } from "../../internal/clock.js";
import { systemClock } from "../../internal/clock.js";
import type { PooledTransport, UndiciTransportOptions } from "../transport/undici-transport.js";
import { codecInWorker } from "./delta-reader.js";
import { findWorker, startWorker } from "./start-worker.js";
import { type DecodingWorkerStatus, type StartedWorker, WorkerLink } from "./worker-link.js";
import { createWorkerTransport } from "./worker-transport.js";

/** The parts of a client that use a worker. */
export interface ClientWorker {
  /** State of the worker. */
  readonly status: DecodingWorkerStatus;
  /** Creates the transport for one set of certificates. */
  createPool(options: UndiciTransportOptions): PooledTransport;
  /** Wraps a function that loads the client's bulk codec. */
  bulkCodec(load: (target: CodecTarget) => Promise<Codec>): (target: CodecTarget) => Promise<Codec>;
  /** Ends the worker. */
  close(): Promise<unknown>;
}

/** Options for `createClientWorker`. */
interface ClientWorkerOptions {
  /** File of the worker. Default: the one next to this module. Ignored with `start`. */
  readonly file: URL | true;
  /** Source of time. */
  readonly clock?: Clock | undefined;
  /** Starts a worker. Default: a worker thread. */
  readonly start?: (() => StartedWorker) | undefined;
}

/** Prepares a worker, which the first large list or busy watch starts. Throws a `ConfigError` if its file is missing. */
export function createClientWorker({ file, clock = systemClock, start }: ClientWorkerOptions): ClientWorker {
  const found = start === undefined ? findWorker(file) : undefined;
  const link = new WorkerLink(start ?? (() => startWorker(found!)), clock);
  return {
    get status() {
      return link.status;
    },
    createPool: (options) => createWorkerTransport(link, options),
    bulkCodec: (load) => async (target) => codecInWorker(await load(target)),
    close: () => link.close(),
  };
}
