import { whenReady } from "../../../internal/when-ready.js";
import type { AdmissionAttributes, RegistryContext } from "../services.js";
import { startsAgain } from "./reinvocation.js";

/** Runs the mutating admission plugins, twice if one of them requests reinvocation. */
export function admit(context: RegistryContext, attributes: AdmissionAttributes): void | Promise<void> {
  return whenReady(runPhase("admit", context, attributes), () =>
    startsAgain(attributes) ? runPhase("admit", context, attributes) : undefined,
  );
}

/** Returns the options that admission sees: for a patch, those of the create or update that it amounts to. */
export function admissionOptions(
  raw: AdmissionAttributes["options"],
  kind: "CreateOptions" | "UpdateOptions",
): AdmissionAttributes["options"] {
  if (raw === undefined) return undefined;
  const { force: _force, ...kept } = raw;
  return { ...kept, kind };
}

/** Runs the validating admission plugins. */
export function validateAdmission(context: RegistryContext, attributes: AdmissionAttributes): void | Promise<void> {
  return runPhase("validate", context, attributes);
}

/** Runs a phase of the plugins in order, synchronously until one of them has to wait. */
function runPhase(
  phase: "admit" | "validate",
  context: RegistryContext,
  attributes: AdmissionAttributes,
  first = 0,
): void | Promise<void> {
  const { admission } = context.services;
  for (let at = first; at < admission.length; at += 1) {
    const pending = admission[at]![phase]?.(attributes, context);
    if (pending !== undefined) return pending.then(() => runPhase(phase, context, attributes, at + 1));
  }
  return undefined;
}
