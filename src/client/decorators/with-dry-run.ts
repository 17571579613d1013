import type { Client, Decorated } from "../client.js";

/** A client whose writes go through every step of the server and store nothing. */
export function withDryRun<C extends Client>(client: C): Decorated<C> {
  return client.derive({ dryRun: "All" }) as Decorated<C>;
}
