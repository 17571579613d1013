import type { buildConnector, Client } from "undici";

/** The parts of undici that carry requests. */
export interface UndiciParts {
  /** One connection. */
  readonly Client: typeof Client;
  /** Makes connections. */
  readonly buildConnector: typeof buildConnector;
}

const clientFile = "undici/lib/dispatcher/client.js";
const connectFile = "undici/lib/core/connect.js";

/**
 * Loads undici, and of it only what carries requests: that takes a third of the time of
 * the whole, most of which is `fetch`. Where those files cannot be found, as in a bundle, the whole is loaded.
 */
export async function loadUndici(): Promise<UndiciParts> {
  try {
    const [client, connect] = (await Promise.all([import(clientFile), import(connectFile)])) as [
      { default: typeof Client },
      { default: typeof buildConnector },
    ];
    if (typeof client.default === "function" && typeof connect.default === "function")
      return { Client: client.default, buildConnector: connect.default };
  } catch {
    // Another layout of the package: its entry has both as well.
  }
  return import("undici");
}
