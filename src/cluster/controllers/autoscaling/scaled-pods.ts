import type { Informer } from "../../../cache/informer/informer.js";
import type { Scale } from "../../../kinds/autoscaling/v1.js";
import type { HorizontalPodAutoscaler } from "../../../kinds/autoscaling/v2.js";
import type { Pod } from "../../../kinds/core/v1.js";
import type { DeepReadonly } from "../../../meta/object.js";
import { matchesLabels, parseLabelSelector } from "../../../meta/selectors.js";

/** The selectors of the targets of all autoscalers. */
export interface ScaledPods {
  /**
   * Notes the selector of an autoscaler's target. Returns the autoscalers, such as `default/web`, that scale one of its
   * pods, if there are others.
   */
  note(autoscaler: DeepReadonly<HorizontalPodAutoscaler>, target: Scale): readonly string[];
  /** Forgets an autoscaler. */
  forget(key: string): void;
}

/** Creates an empty collection of selectors. */
export function createScaledPods(pods: Informer<Pod>): ScaledPods {
  const known = new Map<string, ReturnType<typeof parseLabelSelector>>();
  return {
    note({ metadata }, target) {
      const { namespace = "", name = "" } = metadata ?? {};
      const own = parseLabelSelector(target.status?.selector ?? "");
      known.set(`${namespace}/${name}`, own);
      const others = [...known].filter(([key]) => key.startsWith(`${namespace}/`));
      if (others.length === 1) return [];
      const selected = pods.store.list({ namespace }).filter((pod) => matchesLabels(own, pod.metadata?.labels));
      const scaling = others.filter(([, selector]) =>
        selected.some((pod) => matchesLabels(selector, pod.metadata?.labels)),
      );
      return scaling.length > 1 ? scaling.map(([key]) => key).sort() : [];
    },
    forget: (key) => known.delete(key),
  };
}
