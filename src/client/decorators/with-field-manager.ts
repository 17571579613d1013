import type { Client } from "../client.js";
import { checkFieldManager } from "../resource/field-manager.js";

/** A client whose writes are owned by a field manager unless a call names another. Throws a `TypeError` for a name the API refuses. */
export function withFieldManager(client: Client, fieldManager: string): Client<string> {
  checkFieldManager(fieldManager);
  return client.derive({ fieldManager });
}
