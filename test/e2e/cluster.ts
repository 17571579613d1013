import { inject } from "vitest";
import type { Client, ClientOptions } from "../../src/client/client.js";
import { clientOf } from "../suites/clients.js";

export { freshNamespace } from "../suites/clients.js";

/** Reason to skip the tests, if any. */
export const missing: string | undefined = inject("real").missing;

/** Connects a client to the real server. */
export function realClient(options: Partial<ClientOptions> & { context?: string } = {}): Promise<Client> {
  return clientOf({ kubeconfig: () => inject("real").kubeconfig!, compact: () => Promise.resolve() }, options);
}
