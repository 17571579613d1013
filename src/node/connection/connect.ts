import type { Client, ClientOptions } from "../../client/client.js";
import { createClient } from "../../client/client.js";
import type { Codec, CodecTarget } from "../../codec/codec.js";
import { defined } from "../../internal/defined.js";
import type { OpenTransportOptions } from "./open-transport.js";
import { openTransport } from "./open-transport.js";

/** Options for `connect`: the cluster, the user, the connection pool, and everything `createClient` takes. */
export interface ConnectOptions extends OpenTransportOptions, Omit<ClientOptions, "transport" | "clock"> {}

/** Client that knows its server and its default namespace. */
export interface ConnectedClient<FieldManager extends string | undefined = string | undefined>
  extends Client<FieldManager> {
  /** Namespace of the context, or of the pod this process runs in. `"default"` if neither names one. */
  readonly namespace: string;
  /** URL of the server. */
  readonly server: string;
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
export async function connect(options: ConnectOptions = {}): Promise<ConnectedClient> {
  const { transport, namespace, server } = await openTransport(options);
  const bulkCodec = options.codecs === undefined ? loadBulkCodec : undefined;
  return { ...createClient({ bulkCodec, ...defined(options), transport }), namespace, server };
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
