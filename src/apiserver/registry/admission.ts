import { roundsOf } from "./reinvocation.js";
import type { AdmissionAttributes, RegistryContext } from "./services.js";

/** Runs the mutating admission plugins, twice if one of them requests reinvocation. */
export async function admit(context: RegistryContext, attributes: AdmissionAttributes): Promise<void> {
  const rounds = roundsOf(attributes);
  do {
    rounds.again = rounds.wanted;
    for (const plugin of context.services.admission) {
      const pending = plugin.admit?.(attributes, context);
      if (pending !== undefined) await pending;
    }
  } while (rounds.wanted && !rounds.again);
}

/** Runs the validating admission plugins. */
export async function validateAdmission(context: RegistryContext, attributes: AdmissionAttributes): Promise<void> {
  for (const plugin of context.services.admission) {
    const pending = plugin.validate?.(attributes, context);
    if (pending !== undefined) await pending;
  }
}
