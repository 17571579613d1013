import { abortableOf } from "../../internal/abort.js";
import { sendDirect } from "../../transport/direct.js";
import type { ResponseHeaders, TransportResponse } from "../../transport/transport.js";
import {
  createPooledTransport,
  type PooledTransport,
  type UndiciTransportOptions,
} from "../transport/undici-transport.js";
import { workerMark } from "./messages.js";
import { isForWorker, type WorkerLink, withoutMark } from "./worker-link.js";

/**
 * Creates a transport that reads the responses to marked requests in the worker, with connections of its own. Everything
 * else is sent by this thread, and so are marked requests while the worker can't run.
 */
export function createWorkerTransport(link: WorkerLink, options: UndiciTransportOptions): PooledTransport {
  const { dispatcher: _, clock: __, proxy, ...rest } = options;
  const local = createPooledTransport(options);
  const pool = link.openPool({ ...rest, ...(proxy && { proxy: proxy.href }) });
  let ended = false;
  return {
    async send(request) {
      if (!isForWorker(request)) return local.send(request);
      const plain = withoutMark(request);
      return withMark(
        await (ended || !link.isAvailable
          ? local.send(plain)
          : link.send(pool, { ...plain, abort: abortableOf(request.signal) })),
      );
    },
    async [sendDirect](request) {
      if (!isForWorker(request)) return local[sendDirect](request);
      const plain = withoutMark(request);
      return withMark(await (ended || !link.isAvailable ? local[sendDirect](plain) : link.send(pool, plain)));
    },
    connect: (request, protocols) => local.connect(request, protocols),
    async drain() {
      await Promise.all([local.drain(), link.endPool(pool, "drain")]);
    },
    async close() {
      ended = true;
      await Promise.all([local.close(), link.endPool(pool, "close")]);
    },
  };
}

/** Adds the mark to the content type, so that the client decodes the response with the codec that made the request. */
export function withMark(response: TransportResponse): TransportResponse {
  const { status, headers, body } = response;
  const type = status === 200 ? headers.get("content-type") : null;
  if (type === null) return response;
  const marking: ResponseHeaders = {
    get: (name) => (name.toLowerCase() === "content-type" ? type + workerMark : headers.get(name)),
  };
  return { status, headers: marking, body };
}
