type Json = Record<string, unknown>;

/**
 * Reduces a response to its state: code, message, generation, status, and the owner of an address. `ns`: namespace that
 * the run generated.
 */
export function shortState(code: number, { message, metadata, spec, status, details }: Json, ns: string): Json {
  const { causes = [] } = (details ?? {}) as { causes?: { field?: string; message: string }[] };
  const { generation, managedFields } = (metadata ?? {}) as Json;
  const { parentRef, taint } = (spec ?? {}) as Json;
  const short = {
    code,
    message:
      code < 300
        ? undefined
        : causes.length > 0
          ? causes.map(({ field, message: text }) => `${field ?? ""}: ${text}`).sort()
          : message,
    generation,
    parentRef,
    taint,
    status: code < 300 ? status : undefined,
    managers: ((managedFields ?? []) as Json[]).map(({ manager }) => manager).sort(),
  };
  // Replace the values that differ between runs; fixed timestamps are from 2020.
  const text = JSON.stringify(short)
    .replaceAll(ns, "ns")
    .replace(/20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (time) => (time.startsWith("2020") ? time : "<now>"))
    .replace(/10\.0\.\d+\.\d+/g, (address) => (address === "10.0.0.1" ? address : "<address>"));
  return JSON.parse(text) as Json;
}
