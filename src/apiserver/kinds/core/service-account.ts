import type { ServiceAccount } from "../../../kinds/core/v1.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { ageOnly } from "../shared/kind-printer.js";

const MOUNTABLE = "kubernetes.io/enforce-mountable-secrets";

export const serviceAccount: KindDefinition = defineBuiltin<ServiceAccount>({
  resource: "/serviceaccounts",
  metadata: { checksOnUpdate: 2 },
  deletion: { returnsObject: true },
  warnings: ({ metadata }, old) =>
    metadata?.annotations?.[MOUNTABLE] === undefined || old?.metadata?.annotations?.[MOUNTABLE] !== undefined
      ? []
      : [`metadata.annotations[${MOUNTABLE}]: deprecated in v1.32+; use separate namespaces instead`],
  printer: ageOnly,
});
