import type { Client, ClientOptions } from "../../client/client.js";
import { createClient } from "../../client/client.js";
import type { OpenTransportOptions } from "./open-transport.js";
import { openTransport } from "./open-transport.js";

/** Options of `connect`: which cluster, as whom, how its connections are kept, and what `createClient` takes. */
export interface ConnectOptions extends OpenTransportOptions, Omit<ClientOptions, "transport" | "clock"> {}

/** A client that knows where it is connected. */
export interface ConnectedClient<FieldManager extends string | undefined = string | undefined>
  extends Client<FieldManager> {
  /** Namespace of the context, or of the pod that this runs in; `"default"` where none is said. */
  readonly namespace: string;
  /** URL of the server. */
  readonly server: string;
}

/**
 * Connects to a cluster, found as kubectl finds it: the files of `KUBECONFIG`, else `~/.kube/config`, else the cluster of
 * the pod that this runs in. No request is sent yet. Rejects with a `ConfigError` naming file and field.
 */
export function connect(options: ConnectOptions & { readonly fieldManager: string }): Promise<ConnectedClient<string>>;
export function connect(options?: ConnectOptions): Promise<ConnectedClient>;
export async function connect(options: ConnectOptions = {}): Promise<ConnectedClient> {
  const { transport, namespace, server } = await openTransport(options);
  return { ...createClient({ ...options, transport }), namespace, server };
}
