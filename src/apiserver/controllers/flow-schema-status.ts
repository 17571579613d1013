import { danglingCondition } from "../flowcontrol/flow-schema.js";
import { internalContext } from "../registry/internal-context.js";
import { getStored, listStored } from "../registry/stored-objects.js";
import { applyStatus } from "./apply-status.js";
import type { Controller } from "./controller.js";
import type { ControllerServices } from "./services.js";
import { createWorkQueue } from "./work-queue.js";

const flowControlGroup = "flowcontrol.apiserver.k8s.io";
const fieldManager = "api-priority-and-fairness-config-consumer-v1";

/** Maintains the `Dangling` condition of FlowSchemas, as kube-apiserver does. */
export function createFlowSchemaStatusController(services: ControllerServices): Controller {
  const context = internalContext(services);
  const resource = services.resources.find(flowControlGroup, "v1", "flowschemas")!;

  const queue = createWorkQueue(services, "flowschema-status-controller", async (name) => {
    const schema = getStored(services, `${flowControlGroup}/flowschemas`, name);
    if (schema === undefined) return;
    const levels = new Set(
      listStored(services, `${flowControlGroup}/prioritylevelconfigurations`).map(
        (level) => level.metadata?.name ?? "",
      ),
    );
    const condition = danglingCondition(schema, levels, services.clock.now());
    if (condition === undefined) return;
    await applyStatus(context, resource, { name, status: { conditions: [condition] }, manager: fieldManager });
  });

  const all = (): void => {
    for (const schema of listStored(services, `${flowControlGroup}/flowschemas`))
      queue.add(schema.metadata?.name ?? "");
  };

  return {
    onCommit({ name }, { version, old }) {
      if (name === `${flowControlGroup}/flowschemas` && version.exists) queue.add(version.key);
      else if (name === `${flowControlGroup}/prioritylevelconfigurations` && (old === undefined || !version.exists))
        all();
    },
    rescan: all,
    idle: () => queue.idle(),
  };
}
