import { type Client, type ClientOptions, createClient } from "../../src/client/client.js";
import { Namespace } from "../../src/kinds/core/v1.js";
import { openTransport } from "../../src/node/connection/open-transport.js";
import type { Target } from "./target.js";

/** A client of a suite's server, of its administrator unless `context` names another. */
export async function clientOf(
  target: Target,
  options: Partial<ClientOptions> & { context?: string } = {},
): Promise<Client> {
  const { context, ...rest } = options;
  const { transport } = await openTransport({
    kubeconfig: target.kubeconfig(),
    ...(context !== undefined && { context }),
  });
  return createClient({ transport, userAgent: "e2e/1", onWarning: () => undefined, ...rest });
}

let count = 0;

/** A namespace of its own for a test. */
export async function freshNamespace(client: Client): Promise<string> {
  const name = `e2e-${Date.now().toString(36)}-${process.pid.toString(36)}-${++count}`;
  await client.resource(Namespace).create({ metadata: { name } });
  return name;
}
