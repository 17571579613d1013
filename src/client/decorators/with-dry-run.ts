import type { Client } from "../client.js";

/** A client whose writes go through every step of the server and store nothing. */
export function withDryRun<FieldManager extends string | undefined>(
  client: Client<FieldManager>,
): Client<FieldManager> {
  return client.derive({ dryRun: "All" });
}
