import type { Client, ClientOptions } from "../../client/client.js";
import { createClient } from "../../client/client.js";
import type { Codec, CodecTarget } from "../../codec/codec.js";
import { ConfigError } from "../../errors/errors.js";
import { defined } from "../../internal/defined.js";
import type { Transport } from "../../transport/transport.js";
import type { ClientWorker } from "../worker/client-worker.js";
import type { DecodingWorkerStatus } from "../worker/worker-link.js";
import type { OpenTransportOptions } from "./open-transport.js";
import { openTransportWith } from "./open-transport.js";

/** Options for `connect`: the cluster, the user, the connection pool, and everything `createClient` takes. */
export interface ConnectOptions extends OpenTransportOptions, Omit<ClientOptions, "transport" | "clock"> {
  /**
   * True to receive large lists and busy watches of informers in a worker thread, which also does most of their decoding.
   * Handlers get the same objects, up to 10 ms later while a watch is busy. The worker starts when an informer switches to
   * the bulk codec (`bulkEncoding`), and takes about 50 MB and its own connections. A URL is the file of the worker, for
   * programs that are bundled: a copy of `dist/node/decoding-worker.js`. Can't be combined with `codecs`,
   * `bulkCodec` or `dispatcher`. Default false.
   */
  readonly decodeInWorker?: boolean | URL | undefined;
}

/** Client that knows its server and its default namespace. */
export interface ConnectedClient<FieldManager extends string | undefined = string | undefined>
  extends Client<FieldManager> {
  /** Namespace of the context, or of the pod this process runs in. `"default"` if neither names one. */
  readonly namespace: string;
  /** URL of the server. */
  readonly server: string;
  /** State of the worker, with the option `decodeInWorker`. */
  readonly decodingWorker?: DecodingWorkerStatus | undefined;
}

/**
 * Connects to a cluster, found the way kubectl finds it: the files in `KUBECONFIG`, else `~/.kube/config`, else the
 * service account of the pod this process runs in. Supports every credential that kubectl supports, including exec
 * plugins and OIDC.
 *
 * The first call on the client sends the first request. Rejects with a `ConfigError` that names the file and the field
 * if the configuration is missing or invalid.
 *
 * @example
 * ```ts
 * import { connect } from "kubestream/node";
 * import { Pod } from "kubestream/kinds/core/v1";
 *
 * const client = await connect({ context: "staging" });
 * const { items } = await client.resource(Pod).namespace(client.namespace).list();
 * console.log(items.map((pod) => pod.metadata?.name));
 * await client.close();
 * ```
 *
 * @example
 * Connects without a kubeconfig, for example to `kubectl proxy`:
 * ```ts
 * import { connect } from "kubestream/node";
 *
 * const client = await connect({ server: "http://127.0.0.1:8001", namespace: "web" });
 * console.log(client.server, client.namespace);
 * await client.close();
 * ```
 */
export function connect(options: ConnectOptions & { readonly fieldManager: string }): Promise<ConnectedClient<string>>;
export function connect(options?: ConnectOptions): Promise<ConnectedClient>;
export async function connect({ decodeInWorker, ...options }: ConnectOptions = {}): Promise<ConnectedClient> {
  const worker =
    decodeInWorker === undefined || decodeInWorker === false ? undefined : await openWorker(decodeInWorker, options);
  const { transport, namespace, server } = await openTransportWith(options, worker?.createPool);
  const load = worker?.bulkCodec(loadBulkCodec) ?? loadBulkCodec;
  const bulkCodec = options.codecs === undefined ? load : undefined;
  const client = createClient({ bulkCodec, ...defined(options), transport: endWith(transport, worker) });
  return {
    ...client,
    namespace,
    server,
    get decodingWorker() {
      return worker?.status;
    },
  };
}

/** Returns a transport that also ends the worker when it's closed. */
function endWith(transport: Transport, worker: ClientWorker | undefined): Transport {
  if (worker === undefined) return transport;
  return {
    ...transport,
    async close() {
      await transport.close();
      await worker.close();
    },
  };
}

async function openWorker(file: URL | true, options: ConnectOptions): Promise<ClientWorker> {
  const conflict = (["codecs", "bulkCodec", "dispatcher"] as const).find((name) => options[name] !== undefined);
  if (conflict !== undefined)
    throw new ConfigError(`options.${conflict}: cannot be combined with options.decodeInWorker`);
  const { createClientWorker } = await import("../worker/client-worker.js");
  return createClientWorker({ file, clock: options.clock });
}

/** Loads the codec for large collections: of built-in kinds, or of custom resources. */
async function loadBulkCodec({ custom }: CodecTarget): Promise<Codec> {
  if (custom === true) {
    const { sharedJson } = await import("../../codec/json/shared-json.js");
    return sharedJson();
  }
  const { protobuf } = await import("../../codec/protobuf/protobuf.js");
  return protobuf();
}
