import { createApiServer } from "../../../src/apiserver/server.js";
import { type Client, createClient } from "../../../src/client/client.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import { settle } from "../../support/virtual-clock.js";

/** An embedded API server with a client, in the same process. */
export interface TestWorld extends AsyncDisposable {
  readonly client: Client;
  readonly server: ReturnType<typeof createApiServer>;
}

/** Starts a server without built-in controllers; set `controllers` for the garbage collector and others. */
export function openWorld(options: Parameters<typeof createApiServer>[0] = {}): TestWorld {
  const server = createApiServer({ controllers: false, ...options });
  const client = createClient({ transport: handlerTransport(server.handle), onWarning: () => undefined, retry: false });
  return {
    client,
    server,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
    },
  };
}

/**
 * Waits until a condition holds, by turns of the event loop. The limit ends what hangs; it is real time, as the server
 * may be loading a module.
 */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    if (await condition()) return;
    await settle();
  }
  throw new Error(`never: ${what}`);
}
