/**
 * Selects objects by their labels. All requirements must hold; an empty selector matches everything.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export interface LabelSelector {
  /** Labels with their required values. */
  matchLabels?: Record<string, string> | undefined;
  /** Requirements that must hold. */
  matchExpressions?: LabelSelectorRequirement[] | undefined;
}

/** One requirement on a label. */
export interface LabelSelectorRequirement {
  /** Label key. */
  key: string;
  /** Operator. `Exists` and `DoesNotExist` take no values. */
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | (string & {});
  /** Values for the operator. */
  values?: string[] | undefined;
}

/** One requirement on a field, in the authorization API. */
export interface FieldSelectorRequirement {
  /** Path of the field. */
  key: string;
  /** Operator. `Exists` and `DoesNotExist` take no values. */
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | (string & {});
  /** Values for the operator. */
  values?: string[] | undefined;
}
