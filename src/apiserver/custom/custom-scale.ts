import { ApiFailure, badRequest, internalError, rawError } from "../errors/status.js";
import { pathOf, valueAt } from "../objects/paths.js";
import type { ScaleRules } from "../registry/resources.js";
import { customPrinter } from "./columns.js";

/** Printer for Scales, which uses paths like those of custom resources. */
const customScalePrinter = customPrinter([
  { name: "Desired", type: "integer", jsonPath: ".spec.replicas", description: "Number of desired replicas" },
  { name: "Available", type: "integer", jsonPath: ".status.replicas", description: "Number of actual replicas" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
]);

/** Replicas of a custom resource without any in its Scale. */
const noReplicas = -2147483648;

/** Scale subresource as declared in a definition. */
export interface ScaleDeclaration {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
}

/** Creates the scale rules of a custom resource. The uid in a patched Scale is ignored. */
export function customScale(declared: ScaleDeclaration | undefined): ScaleRules {
  const replicas = pathOf(declared?.specReplicasPath ?? ".spec.replicas");
  const selectorPath = declared?.labelSelectorPath;
  const selector = selectorPath === undefined ? undefined : pathOf(selectorPath);
  return {
    replicas,
    current: pathOf(declared?.statusReplicasPath ?? ".status.replicas"),
    printer: customScalePrinter,
    missing: noReplicas,
    selector: (object) => (selector === undefined ? undefined : valueAt(object, selector)),
    checkRead(value) {
      if (typeof value !== "number")
        throw internalError(`the spec replicas field ${JSON.stringify(`.${replicas.join(".")}`)} does not exist`);
    },
    checkWrite: () => undefined,
    decodeFailure: (error) => (error instanceof ApiFailure ? badRequest("the body is not a Scale") : error),
    checkApply(live, config) {
      // kube-apiserver can't convert the managers before the first apply to the version of the custom resource.
      const isScale = config["apiVersion"] === "autoscaling/v1" && config["kind"] === "Scale";
      if (isScale && (live.metadata?.managedFields ?? []).length === 0)
        throw rawError("failed to create manager for existing fields");
    },
    checkApplied() {
      throw internalError("failed to convert new object");
    },
  };
}
