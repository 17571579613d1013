/**
 * A quantity in text form, such as `500m`, `2` or `1Gi`.
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export type Quantity = string;

/** A number, or text such as `25%` or the name of a port. */
export type IntOrString = number | string;

/**
 * A time in RFC 3339 format, such as `2024-05-01T12:00:00Z`. Servers send `null` for a required field that isn't set.
 */
export type Time = string | null;

/** An object of unknown type. */
export type RawObject = Record<string, unknown>;
