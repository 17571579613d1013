import type { ServiceAccount } from "../../../kinds/core/v1.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { ageOnly } from "../shared/kind-printer.js";

const mountableAnnotation = "kubernetes.io/enforce-mountable-secrets";

/** Keeps only the names in the references to secrets. */
function cleanSecrets({ secrets }: ServiceAccount): void {
  secrets?.forEach(({ name }, index) => {
    secrets[index] = name === undefined ? {} : { name };
  });
}

export const serviceAccount: KindDefinition = defineBuiltin<ServiceAccount>({
  resource: "/serviceaccounts",
  metadata: { checksOnUpdate: 2 },
  deletion: { returnsObject: true },
  prepare: { create: cleanSecrets, update: cleanSecrets },
  warnings: ({ metadata }, old) =>
    metadata?.annotations?.[mountableAnnotation] === undefined ||
    old?.metadata?.annotations?.[mountableAnnotation] !== undefined
      ? []
      : [`metadata.annotations[${mountableAnnotation}]: deprecated in v1.32+; use separate namespaces instead`],
  printer: ageOnly,
});
