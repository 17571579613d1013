/** A moment as most fields of the API hold it: `2024-05-01T12:00:00Z`, whole seconds. Throws a `RangeError` for an invalid date. */
export function formatTime(moment: Date | number): string {
  return iso(moment).replace(/\.\d+Z$/, "Z");
}

/**
 * A moment as fields of type MicroTime hold it, those of Leases and Events: `2024-05-01T12:00:00.000000Z`. Servers refuse
 * such a field with fewer digits, as `toISOString` writes. Throws a `RangeError` for an invalid date.
 */
export function formatMicroTime(moment: Date | number): string {
  return iso(moment).replace("Z", "000Z");
}

/** The moment that a field of the API holds; `undefined` for one that is absent, `null` or empty. Throws a `TypeError` for what is no RFC 3339 time. */
export function parseTime(text: string | null | undefined): Date | undefined {
  if (text === undefined || text === null || text === "") return undefined;
  const date = new Date(/^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.test(text) ? text : NaN);
  if (Number.isNaN(date.getTime())) throw new TypeError(`${JSON.stringify(text.slice(0, 100))} is no RFC 3339 time`);
  return date;
}

function iso(moment: Date | number): string {
  return (typeof moment === "number" ? new Date(moment) : moment).toISOString();
}
