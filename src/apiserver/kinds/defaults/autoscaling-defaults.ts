import type { HorizontalPodAutoscaler as AutoscalerV1 } from "../../../kinds/autoscaling/v1.js";
import type { HorizontalPodAutoscaler, HPAScalingRules } from "../../../kinds/autoscaling/v2.js";
import type { ApiObject } from "../../objects/api-object.js";
import { autoscalerFromStorage, autoscalerToStorage, withoutRoundTrip } from "../convert-autoscalers.js";
import type { StructHooks } from "../shared/walk-structs.js";

/** Defaults of the group autoscaling. */
export const autoscalingDefaults: StructHooks = {
  "io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler": (object: AutoscalerV1) => {
    if (object.spec !== undefined) object.spec.minReplicas ??= 1;
    // What is wanted if nothing is depends on the annotations: so it becomes what it is in the stored version, and back.
    autoscalerToStorage(object as unknown as ApiObject);
    behaviorDefaults(object.spec);
    autoscalerFromStorage(object as unknown as ApiObject);
  },
  "io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler": (object: HorizontalPodAutoscaler) => {
    // What older versions keep in annotations has fields here.
    withoutRoundTrip(object as unknown as ApiObject);
    const { spec } = object;
    if (spec === undefined) return;
    spec.minReplicas ??= 1;
    if ((spec.metrics ?? []).length === 0)
      spec.metrics = [
        { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
      ];
    behaviorDefaults(spec);
  },
};

function behaviorDefaults({ behavior }: NonNullable<HorizontalPodAutoscaler["spec"]> = {} as never): void {
  if (behavior === undefined) return;
  behavior.scaleUp = {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ],
    ...given(behavior.scaleUp),
  };
  behavior.scaleDown = {
    selectPolicy: "Max",
    policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
    ...given(behavior.scaleDown),
  };
}

function given(rules: HPAScalingRules | undefined): HPAScalingRules {
  return Object.fromEntries(Object.entries(rules ?? {}).filter(([, value]) => value !== undefined && value !== null));
}
