import type { ValidatingAdmissionPolicy } from "../../kinds/admissionregistration/v1.js";
import { internalContext } from "../registry/internal-context.js";
import { getStored, listStored } from "../registry/stored-objects.js";
import { applyStatus } from "./apply-status.js";
import type { Controller } from "./controller.js";
import type { ControllerServices } from "./services.js";
import { createWorkQueue } from "./work-queue.js";

const group = "admissionregistration.k8s.io";
const bucket = `${group}/validatingadmissionpolicies`;
const fieldManager = "validatingadmissionpolicy-status";

/** Checks the types in the expressions of ValidatingAdmissionPolicies, as kube-controller-manager does. */
export function createPolicyStatusController(services: ControllerServices): Controller {
  const context = internalContext(services);
  const resource = services.resources.find(group, "v1", "validatingadmissionpolicies")!;

  const queue = createWorkQueue(services, fieldManager, async (name, pause) => {
    const { metadata, spec, status } = (getStored(services, bucket, name) ?? {}) as ValidatingAdmissionPolicy;
    const observedGeneration = metadata?.generation ?? 0;
    if (spec === undefined || observedGeneration <= (status?.observedGeneration ?? 0)) return;
    // Loaded when the first policy needs it, because most servers have none.
    const { typeWarnings } = await import("../admission/type-warnings.js");
    const expressionWarnings = await typeWarnings(spec, services, pause);
    const typeChecking = expressionWarnings.length === 0 ? {} : { expressionWarnings };
    const checked = { observedGeneration, typeChecking };
    await applyStatus(context, resource, { name, status: checked, manager: fieldManager });
  });

  return {
    onCommit({ name }, { version }) {
      if (name === bucket && version.exists) queue.add(version.key);
    },
    rescan() {
      for (const { metadata } of listStored(services, bucket)) queue.add(metadata?.name ?? "");
    },
    idle: () => queue.idle(),
  };
}
