import { createApiServer } from "../../../src/apiserver/server.js";
import { createClient } from "../../../src/client/client.js";
import { Namespace } from "../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import type { Interceptor } from "../../../src/transport/transport.js";

/** Calls `act` with a client of a server that has the namespace `web`, and closes both. */
export async function withServer(
  act: (client: ReturnType<typeof createClient>, api: ReturnType<typeof createApiServer>) => Promise<void>,
  interceptors: Interceptor[] = [],
): Promise<void> {
  const api = createApiServer();
  const client = createClient({
    transport: handlerTransport((request) => api.handle(request)),
    interceptors,
    onWarning: () => undefined,
  });
  try {
    await client.resource(Namespace).create({ metadata: { name: "web" } });
    await act(client, api);
  } finally {
    await client.close();
    await api.close();
  }
}

/** Returns a manifest of a ConfigMap. */
export const map = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { a: "1" },
  ...more,
});
