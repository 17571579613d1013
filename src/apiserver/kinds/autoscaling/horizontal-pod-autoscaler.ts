import type { HorizontalPodAutoscaler as AutoscalerV1 } from "../../../kinds/autoscaling/v1.js";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "../../../kinds/autoscaling/v2.js";
import type { ApiObject } from "../../objects/api-object.js";
import * as check from "../shared/checks.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import {
  autoscalerFromStorage,
  autoscalerToStorage,
  copyRoundTrip,
  fieldAnnotations,
  withoutRoundTrip,
} from "./autoscaler-conversion.js";
import { validateAutoscaler, validateAutoscalerUpdate } from "./autoscaler-errors.js";
import { autoscalerPrinter, autoscalerV1Printer } from "./autoscaler-printer.js";

function setDefaultsV1(object: AutoscalerV1): void {
  if (object.spec !== undefined) object.spec.minReplicas ??= 1;
  // The default metric depends on the annotations, so convert the object to v2 first.
  autoscalerToStorage(object as unknown as ApiObject);
  setBehaviorDefaults(object.spec);
  autoscalerFromStorage(object as unknown as ApiObject);
}

function setDefaults(object: HorizontalPodAutoscaler): void {
  // v2 has fields for what v1 keeps in annotations.
  withoutRoundTrip(object);
  const { spec } = object;
  if (spec === undefined) return;
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0)
    spec.metrics = [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
    ];
  setBehaviorDefaults(spec);
}

function setBehaviorDefaults({ behavior }: Partial<NonNullable<HorizontalPodAutoscaler["spec"]>> = {}): void {
  if (behavior === undefined) return;
  behavior.scaleUp = {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ],
    ...presentFields(behavior.scaleUp),
  };
  behavior.scaleDown = {
    selectPolicy: "Max",
    policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
    ...presentFields(behavior.scaleDown),
  };
}

function presentFields(rules: HPAScalingRules | undefined): HPAScalingRules {
  return Object.fromEntries(Object.entries(rules ?? {}).filter(([, value]) => value !== undefined && value !== null));
}

export const horizontalPodAutoscaler: KindDefinition = defineBuiltin<HorizontalPodAutoscaler>({
  resource: "autoscaling/horizontalpodautoscalers",
  metadata: { internalAnnotations: fieldAnnotations },
  defaults: {
    "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler": setDefaultsV1,
    "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler": setDefaults,
  },
  prepare: {
    create(object) {
      delete object.status;
      copyRoundTrip("status", object, undefined);
    },
    update: (object, old) => copyRoundTrip("status", object, old),
    status: (object, old) => copyRoundTrip("spec", object, old),
  },
  validate: {
    create: validateAutoscaler,
    update: validateAutoscalerUpdate,
    status: ({ status }) => check.nonNegativeFields(status, "status", ["currentReplicas", "desiredReplicas"]),
  },
  printer: (version) => (version === "v1" ? autoscalerV1Printer : autoscalerPrinter),
});
