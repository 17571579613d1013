import type { Client } from "../client.js";
import { checkFieldManager } from "../resource/field-manager.js";

/**
 * Returns a client with a default field manager for writes; a call can override it. Throws a `TypeError` for a name
 * that the API server would reject.
 *
 * @example
 * ```ts
 * import { withFieldManager } from "kubestream";
 * import { Namespace } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = withFieldManager(await connect(), "tenant-operator");
 * const metadata = { name: "team-a", labels: { tenant: "a" } };
 * await client.resource(Namespace).apply({ apiVersion: "v1", kind: "Namespace", metadata });
 * ```
 */
export function withFieldManager(client: Client, fieldManager: string): Client<string> {
  checkFieldManager(fieldManager);
  return client.derive({ fieldManager });
}
