import type { HorizontalPodAutoscaler as AutoscalerV1 } from "../../../../kinds/autoscaling/v1.js";
import type { HPAScalingRules, HorizontalPodAutoscaler } from "../../../../kinds/autoscaling/v2.js";
import type { StructHooks } from "./walk-structs.js";

/** Defaults of the group autoscaling. */
export const autoscalingDefaults: StructHooks = {
  "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler": ({ spec }: AutoscalerV1) => {
    if (spec === undefined) return;
    spec.minReplicas ??= 1;
    spec.targetCPUUtilizationPercentage ??= 80;
  },
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler": ({ spec }: HorizontalPodAutoscaler) => {
    if (spec === undefined) return;
    spec.minReplicas ??= 1;
    if ((spec.metrics ?? []).length === 0) spec.metrics = [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }];
    if (spec.behavior === undefined) return;
    spec.behavior.scaleUp = {
      stabilizationWindowSeconds: 0, selectPolicy: "Max", policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, { type: "Percent", value: 100, periodSeconds: 15 }],
      ...given(spec.behavior.scaleUp),
    };
    spec.behavior.scaleDown = { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }], ...given(spec.behavior.scaleDown) };
  },
};

function given(rules: HPAScalingRules | undefined): HPAScalingRules {
  return Object.fromEntries(Object.entries(rules ?? {}).filter(([, value]) => value !== undefined && value !== null));
}
