/**
 * A quantity in its text form, as `500m`, `2` or `1Gi`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export type Quantity = string;

/** A number, or a text such as `25%` or the name of a port. */
export type IntOrString = number | string;

/** A moment in RFC 3339, as `2024-05-01T12:00:00Z`. Servers write `null` for one that is not set in a required field. */
export type Time = string | null;

/** An object whose type is not known here. */
export type RawObject = Record<string, unknown>;
