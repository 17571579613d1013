import type { FieldError } from "../../errors/field-error.js";
import { validatePod, validatePodUpdate } from "../core/pod/pod-errors.js";
import { validatePodTemplate } from "../core/pod/pod-spec-errors.js";
import { validatePodStatus } from "../core/pod/pod-status-errors.js";
import { statusCounts } from "../core/pod/workload-status.js";
import { validateReplicationController } from "../core/replication-controller.js";
import { validateService, validateServiceStatus, validateServiceUpdate } from "../core/service/service-errors.js";
import type { StrategyContext } from "../strategy.js";
import { validateEndpoints, validateEndpointsUpdate } from "./validate-endpoints.js";
import {
  validateNamespace,
  validateNamespaceStatus,
  validateNode,
  validateNodeStatus,
  validateNodeUpdate,
} from "./validate-nodes.js";
/** The rules of one kind; the parameters' types are the table's business. */
export interface Validation {
  /** Errors of a new object, and of a changed one unless `update` is given. */
  readonly create: (object: never, about?: StrategyContext) => FieldError[];
  /** Errors of a changed object. */
  readonly update?: (object: never, old: never) => FieldError[];
  /** Whether these rules name every text that must be one of a few; the schema is not asked for them then. */
  readonly enums?: true;
  /** Errors of a change through the status subresource. */
  readonly status?: (object: never, old: never, about?: StrategyContext) => FieldError[];
}

/** Hand-written rules by resource. */
export const validations: Readonly<Record<string, Validation>> = {
  "/pods": { create: validatePod, update: validatePodUpdate, status: validatePodStatus },
  "/podtemplates": { create: ({ template }: { template?: object }) => validatePodTemplate(template ?? {}, "template") },
  "/replicationcontrollers": {
    create: validateReplicationController,
    status: statusCounts({
      counts: ["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"],
      partsOfReplicas: ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
      readyBeforeAvailable: true,
    }),
  },
  "/services": { create: validateService, update: validateServiceUpdate, status: validateServiceStatus },
  "/endpoints": { create: validateEndpoints, update: validateEndpointsUpdate },
  "/nodes": { create: validateNode, update: validateNodeUpdate, status: validateNodeStatus, enums: true },
  "/namespaces": { create: validateNamespace, update: () => [], status: validateNamespaceStatus },
};
