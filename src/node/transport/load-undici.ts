import type { buildConnector, Client } from "undici";
import { loadPackage } from "./load-package.js";

/** The parts of undici that send requests. */
export interface UndiciParts {
  /** Class of a single connection. */
  readonly Client: typeof Client;
  /** Creates a function that opens connections. */
  readonly buildConnector: typeof buildConnector;
}

/**
 * Loads only the parts of undici that send requests, which takes a third of the time: most of the package is `fetch`.
 * The specifiers are literals, so that bundlers find the files. Rejects with a `ConfigError` if they can't be loaded.
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
