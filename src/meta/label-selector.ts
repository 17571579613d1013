/**
 * Selects objects by their labels; all its parts must match, and an empty selector matches everything.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export interface LabelSelector {
  /** Labels that must have these values. */
  matchLabels?: Record<string, string>;
  /** Requirements that must hold. */
  matchExpressions?: LabelSelectorRequirement[];
}

/** One requirement on a label. */
export interface LabelSelectorRequirement {
  /** The label's key. */
  key: string;
  /** How the values are meant; `Exists` and `DoesNotExist` take none. */
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | (string & {});
  /** The values. */
  values?: string[];
}

/** One requirement on a field, in the authorization API. */
export interface FieldSelectorRequirement {
  /** The field's path. */
  key: string;
  /** How the values are meant. */
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist" | (string & {});
  /** The values. */
  values?: string[];
}
