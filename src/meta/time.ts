/**
 * Formats a time for most API fields, in whole seconds: `2024-05-01T12:00:00Z`. Throws a `RangeError` for an invalid
 * date.
 */
export function formatTime(moment: Date | number): string {
  return iso(moment).replace(/\.\d+Z$/, "Z");
}

/**
 * Formats a time for MicroTime fields, which Leases and Events use: `2024-05-01T12:00:00.000000Z`. Servers reject such
 * a field with fewer digits, so `toISOString` doesn't work here. Throws a `RangeError` for an invalid date.
 *
 * @example
 * ```ts
 * import { Lease } from "kubestream/kinds/coordination/v1";
 * import { connect } from "kubestream/node";
 * import { formatMicroTime } from "kubestream/objects";
 *
 * const client = await connect();
 * const leases = client.resource(Lease).namespace("web");
 * await leases.patch("leader", { type: "merge", patch: { spec: { renewTime: formatMicroTime(Date.now()) } } });
 * ```
 */
export function formatMicroTime(moment: Date | number): string {
  return iso(moment).replace("Z", "000Z");
}

/**
 * Parses a time from an API field. Returns `undefined` if it is absent, `null` or empty. Throws a `TypeError` if it
 * isn't an RFC 3339 time.
 */
export function parseTime(text: string | null | undefined): Date | undefined {
  if (text === undefined || text === null || text === "") return undefined;
  const date = new Date(/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text) ? text : NaN);
  if (Number.isNaN(date.getTime())) throw new TypeError(`invalid RFC 3339 time ${JSON.stringify(text.slice(0, 100))}`);
  return date;
}

function iso(moment: Date | number): string {
  return (typeof moment === "number" ? new Date(moment) : moment).toISOString();
}
