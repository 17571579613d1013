import type { Client } from "./client.js";

/** A client whose writes go through every step of the server and store nothing. */
export function withDryRun(client: Client): Client {
  return client.derive({ dryRun: "All" });
}
