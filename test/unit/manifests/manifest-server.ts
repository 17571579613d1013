import type { ApiServerOptions } from "../../../src/apiserver/options.js";
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js";
import { createClient } from "../../../src/client/client.js";
import { Namespace } from "../../../src/kinds/core/v1.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import type { Interceptor } from "../../../src/transport/transport.js";

/** Client of a server in the same process. */
export type TestClient = ReturnType<typeof createClient>;

const admin = { name: "admin", uid: "", groups: ["system:masters"], extra: {} };

/** Calls `act` with the client of an admin and a server that has the namespace `web`, and closes both. */
export async function withServer(
  act: (client: TestClient, api: ApiServer) => Promise<void>,
  options: ApiServerOptions = {},
  interceptors: Interceptor[] = [],
): Promise<void> {
  const api = createApiServer(options);
  const transport = handlerTransport((request) => api.handle(request, { user: admin }));
  const client = createClient({ transport, interceptors, onWarning: () => undefined });
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
