import type { Client } from "../client.js";

/**
 * Returns a client whose writes are dry runs: the server validates and processes them in full but stores nothing.
 *
 * @example
 * ```ts
 * import { withDryRun } from "kubestream";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = withDryRun(await connect());
 * const preview = await client.resource(ConfigMap).namespace("web").create({ metadata: { name: "app" } });
 * console.log(preview.metadata?.uid);
 * ```
 */
export function withDryRun<FieldManager extends string | undefined>(
  client: Client<FieldManager>,
): Client<FieldManager> {
  return client.derive({ dryRun: "All" });
}
