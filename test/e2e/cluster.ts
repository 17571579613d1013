import { inject } from "vitest";
import type { Client, ClientOptions } from "../../src/client/client.js";
import { clientOf } from "../suites/clients.js";

export { freshNamespace } from "../suites/clients.js";

/** Reason to skip the tests, if any, and minor version of the real server. */
export const { missing, minor = 0 } = inject("real");

/** Connects a client to the real server. */
export function realClient(options: Partial<ClientOptions> & { context?: string } = {}): Promise<Client> {
  return clientOf({ kubeconfig: () => inject("real").kubeconfig! }, options);
}
