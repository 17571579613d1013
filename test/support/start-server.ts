import type { ApiServerOptions } from "../../src/apiserver/options.js";
import { createApiServer } from "../../src/apiserver/server.js";

/** Creates and closes a server without controllers. Rejects with the error of its options, early or late. */
export async function startServer(options: ApiServerOptions): Promise<void> {
  const server = createApiServer({ controllers: false, ...options });
  try {
    await server.ready();
  } finally {
    await server.close();
  }
}
