import type { buildConnector, Client } from "undici";
import { loadPackage } from "./load-package.js";

/** The parts of undici that carry requests. */
export interface UndiciParts {
  /** One connection. */
  readonly Client: typeof Client;
  /** Makes connections. */
  readonly buildConnector: typeof buildConnector;
}

/**
 * Loads undici, and of it only what carries requests: that takes a third of the time of the whole, most of which is `fetch`. The
 * specifiers are literal, so that a bundler takes the same files of the same undici. Rejects with a `ConfigError` if they cannot be loaded.
 */
export function loadUndici(): Promise<UndiciParts> {
  return loadPackage("undici", async () => {
    const [client, connect] = (await Promise.all([
      // @ts-expect-error undici declares no types for its files
      import("undici/lib/dispatcher/client.js"),
      // @ts-expect-error undici declares no types for its files
      import("undici/lib/core/connect.js"),
    ])) as [{ default: typeof Client }, { default: typeof buildConnector }];
    return { Client: client.default, buildConnector: connect.default };
  });
}
