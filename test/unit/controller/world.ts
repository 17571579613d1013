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

/** Waits until a condition holds, by turns of the event loop and without elapsed time. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 5_000; turn++) {
    if (await condition()) return;
    await settle();
  }
  throw new Error(`never: ${what}`);
}
