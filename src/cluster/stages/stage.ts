/**
 * A declared step in the life of objects, in the form of kwok's `Stage`: objects of a kind that match a selector are
 * changed after a delay.
 *
 * @example
 * ```ts
 * import { createCluster, type Stage } from "kubestream/cluster";
 *
 * const fail: Stage = {
 *   metadata: { name: "fail" },
 *   spec: {
 *     resourceRef: { kind: "Pod" },
 *     selector: { matchLabels: { fails: "true" } },
 *     delay: { durationMilliseconds: 30_000 },
 *     next: { statusTemplate: "phase: Failed\nreason: Broken" },
 *   },
 * };
 * await using cluster = await createCluster({ stages: [fail] });
 * ```
 */
export interface Stage {
  /** `kwok.x-k8s.io/v1alpha1`. Default: the same. */
  readonly apiVersion?: string | undefined;
  /** `Stage`. Default: the same. */
  readonly kind?: string | undefined;
  /** Metadata; errors show the name. */
  readonly metadata: { readonly name: string };
  /** Objects, delay and change. */
  readonly spec: StageSpec;
}

/** Specification of a stage. */
export interface StageSpec {
  /** Kind of the objects. `apiGroup` is a group and version such as `apps/v1`, default `v1`. */
  readonly resourceRef: { readonly apiGroup?: string | undefined; readonly kind: string };
  /** Objects that the stage applies to. Without a selector, it applies to none. */
  readonly selector?: StageSelector | undefined;
  /** Weight for the choice by chance among the stages that match an object. Default 0: chosen if no other has one. */
  readonly weight?: number | undefined;
  /** Expression for the weight, which overrides `weight` if it has a value. */
  readonly weightFrom?: StageExpression | undefined;
  /** Time that passes first. */
  readonly delay?: StageDelay | undefined;
  /** Change of the object. */
  readonly next?: StageNext | undefined;
  /** Accepted and ignored: the next stage always follows at once. */
  readonly immediateNextStage?: boolean | undefined;
}

/** Conditions on objects, which must all hold. */
export interface StageSelector {
  /** Labels with their values. */
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  /** Annotations with their values. */
  readonly matchAnnotations?: Readonly<Record<string, string>> | undefined;
  /** Conditions on the values that an expression selects. `key` is a jq path, such as `.status.phase`. */
  readonly matchExpressions?:
    | readonly {
        readonly key: string;
        readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
        readonly values?: readonly string[] | undefined;
      }[]
    | undefined;
}

/** A jq path that selects a value of the object, such as `.metadata.annotations["delay"]`. */
export interface StageExpression {
  /** The path. */
  readonly expressionFrom: string;
}

/** Delay of a stage. */
export interface StageDelay {
  /** Duration in milliseconds. Default 0. */
  readonly durationMilliseconds?: number | undefined;
  /** Expression for the duration: a text such as `10s`, or a time. Overrides `durationMilliseconds`. */
  readonly durationFrom?: StageExpression | undefined;
  /** Longest duration in milliseconds: the delay is chosen by chance between the two. */
  readonly jitterDurationMilliseconds?: number | undefined;
  /** Expression for the longest duration. Overrides `jitterDurationMilliseconds`. */
  readonly jitterDurationFrom?: StageExpression | undefined;
}

/** Change of an object. */
export interface StageNext {
  /** Event to record. */
  readonly event?:
    | {
        readonly type?: string | undefined;
        readonly reason?: string | undefined;
        readonly message?: string | undefined;
      }
    | undefined;
  /** Finalizers to add and to remove. */
  readonly finalizers?:
    | {
        readonly add?: readonly { readonly value: string }[] | undefined;
        readonly remove?: readonly { readonly value: string }[] | undefined;
        readonly empty?: boolean | undefined;
      }
    | undefined;
  /** True to delete the object. */
  readonly delete?: boolean | undefined;
  /** Template in Go's language that renders to YAML, which is merged into the status. */
  readonly statusTemplate?: string | undefined;
  /** Subresource of `statusTemplate`. Default `status`. */
  readonly statusSubresource?: string | undefined;
}
