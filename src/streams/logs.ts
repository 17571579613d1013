import type { Client } from "../client/client.js";
import type { PodTarget } from "./pod-target.js";
import { podAction, podPath } from "./pod-target.js";
import { createLineSplitter } from "./split-lines.js";

/**
 * What to read of a container's log.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#get-read-log-of-the-specified-pod
 */
export interface LogOptions {
  /** Container; needed where the pod has several. */
  readonly container?: string;
  /** Stays and hands on what is written. Default false. */
  readonly follow?: boolean;
  /** The log of the container's run before this one. Default false. */
  readonly previous?: boolean;
  /** Only lines that are at most this many seconds old. */
  readonly sinceSeconds?: number;
  /** Only lines since this RFC 3339 time. */
  readonly sinceTime?: string;
  /** Only so many lines from the end. */
  readonly tailLines?: number;
  /** Puts an RFC 3339 time before each line. Default false. */
  readonly timestamps?: boolean;
  /** Ends after so many bytes, maybe within a line. */
  readonly limitBytes?: number;
  /** Does not check the kubelet's certificate. Default false. */
  readonly insecureSkipTlsVerifyBackend?: boolean;
  /** One of the two outputs, or both as they were written. Default `All`; needs a server that knows it. */
  readonly stream?: "All" | "Stdout" | "Stderr";
  /** Ends the log. */
  readonly signal?: AbortSignal;
}

/** Options of `logLines`. */
export interface LogLinesOptions extends LogOptions {
  /** Longest line in bytes; a longer one comes in pieces. Default 1 MiB. */
  readonly maxLineBytes?: number;
}

/** Reads a container's log as bytes, as they arrive; a single-use iterable that `break` ends. Rejects with a `StatusError` if there is none. */
export async function logs(
  client: Pick<Client, "request">,
  pod: PodTarget,
  options: LogOptions = {},
): Promise<AsyncIterable<Uint8Array>> {
  const {
    container,
    follow,
    previous,
    sinceSeconds,
    sinceTime,
    tailLines,
    timestamps,
    limitBytes,
    insecureSkipTlsVerifyBackend,
    stream,
    signal,
  } = options;
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    throw new TypeError("sinceSeconds and sinceTime exclude each other");
  const response = await client.request({
    action: podAction("read the log of", pod),
    path: podPath(pod, "log"),
    query: {
      container,
      follow,
      previous,
      sinceSeconds,
      sinceTime,
      tailLines,
      timestamps,
      limitBytes,
      insecureSkipTLSVerifyBackend: insecureSkipTlsVerifyBackend,
      stream,
    },
    accept: "*/*",
    stream: true,
    ...(signal && { signal }),
  });
  return response.body;
}

/** Reads a container's log line by line, without the lines' ends; a single-use iterable that `break` ends. */
export async function logLines(
  client: Pick<Client, "request">,
  pod: PodTarget,
  options: LogLinesOptions = {},
): Promise<AsyncIterableIterator<string>> {
  const body = await logs(client, pod, options);
  return linesOf(body, options.maxLineBytes ?? 1024 * 1024);
}

/** Lines of a body. Hand-written: a generator's `return()` would wait for a log that is silent. */
function linesOf(body: AsyncIterable<Uint8Array>, maxLineBytes: number): AsyncIterableIterator<string> {
  const chunks = body[Symbol.asyncIterator]();
  const splitter = createLineSplitter(maxLineBytes);
  let ready: string[] = [];
  let head = 0;
  let ended = false;
  const iterator: AsyncIterableIterator<string> = {
    async next() {
      while (head === ready.length && !ended) {
        const result = await chunks.next();
        ready = result.done ? splitter.end() : splitter.push(result.value);
        head = 0;
        ended ||= result.done === true;
      }
      const line = ready[head++];
      return line === undefined ? { done: true, value: undefined } : { done: false, value: line };
    },
    async return() {
      ended = true;
      ready = [];
      head = 0;
      await chunks.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return iterator;
    },
  };
  return iterator;
}
