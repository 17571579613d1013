import type { FieldValidation } from "../../meta/options.js";
import type { Client } from "../client.js";

/**
 * Returns a client with a default for server-side field validation: `Strict` rejects unknown and duplicate fields,
 * `Warn` warns about them, `Ignore` drops them. A call can override it.
 *
 * @example
 * ```ts
 * import { withFieldValidation } from "kubestream";
 * import { ConfigMap } from "kubestream/kinds/core/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = withFieldValidation(await connect(), "Strict");
 * await client.resource(ConfigMap).namespace("web").create({ metadata: { name: "app" }, data: { mode: "fast" } });
 * ```
 */
export function withFieldValidation<FieldManager extends string | undefined>(
  client: Client<FieldManager>,
  fieldValidation: FieldValidation,
): Client<FieldManager> {
  return client.derive({ fieldValidation });
}
