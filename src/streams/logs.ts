import type { Client } from "../client/client.js";
import type { PodTarget } from "./pod-target.js";
import { podAction, podPath } from "./pod-target.js";
import { createLineSplitter } from "./split-lines.js";

/**
 * Options for `logs` and `logLines`: the container and the part of its log.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#get-read-log-of-the-specified-pod
 */
export interface LogOptions {
  /** Name of the container. Required if the pod has several. */
  readonly container?: string | undefined;
  /** Keeps the stream open and returns new output as it's written. Default false. */
  readonly follow?: boolean | undefined;
  /** Reads the log of the container's previous run. Default false. */
  readonly previous?: boolean | undefined;
  /** Returns only lines that are at most this many seconds old. Can't be combined with `sinceTime`. */
  readonly sinceSeconds?: number | undefined;
  /** Returns only lines since this RFC 3339 time. */
  readonly sinceTime?: string | undefined;
  /** Returns only this many lines from the end. */
  readonly tailLines?: number | undefined;
  /** Prefixes each line with an RFC 3339 timestamp. Default false. */
  readonly timestamps?: boolean | undefined;
  /** Stops after this many bytes, possibly in the middle of a line. */
  readonly limitBytes?: number | undefined;
  /** Skips the verification of the kubelet's certificate. Default false. */
  readonly insecureSkipTlsVerifyBackend?: boolean | undefined;
  /**
   * Returns standard output, standard error, or both interleaved. Default `All`. Requires a server that supports the
   * option.
   */
  readonly stream?: "All" | "Stdout" | "Stderr" | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
}

/** Options for `logLines`. */
export interface LogLinesOptions extends LogOptions {
  /** Maximum length of a line in bytes. A longer line is split. Default 1 MiB. */
  readonly maxLineBytes?: number | undefined;
}

/**
 * Streams a container's log as bytes. The result is single-use, and `break` closes the request. Rejects with a
 * `StatusError` if the pod or its log doesn't exist. For text, use `logLines`.
 *
 * @example
 * ```ts
 * import { writeFile } from "node:fs/promises";
 * import { connect } from "kubestream/node";
 * import { logs } from "kubestream/streams";
 *
 * const client = await connect();
 * await writeFile("web-0.log", await logs(client, { namespace: "web", name: "web-0" }, { previous: true }));
 * await client.close();
 * ```
 */
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
    throw new TypeError("sinceSeconds and sinceTime cannot be combined");
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

/**
 * Streams a container's log line by line, without line endings. The result is single-use, and `break` closes the
 * request. Rejects with a `StatusError` if the pod or its log doesn't exist.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 * import { logLines } from "kubestream/streams";
 *
 * const client = await connect();
 * const pod = { namespace: "web", name: "web-0" };
 * for await (const line of await logLines(client, pod, { follow: true, tailLines: 10 })) console.log(line);
 * await client.close();
 * ```
 */
export async function logLines(
  client: Pick<Client, "request">,
  pod: PodTarget,
  options: LogLinesOptions = {},
): Promise<AsyncIterableIterator<string>> {
  const body = await logs(client, pod, options);
  return linesOf(body, options.maxLineBytes ?? 1024 * 1024);
}

/** Splits a body into lines. Not a generator: its `return()` would wait for the next chunk of a silent log. */
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
