type Json = Record<string, unknown>;

/** Of an answer what tells of states: code, message, generation, status, and whom an address belongs to. `ns`: name that the run made up. */
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
  // Of the time it is told whether it is the present one.
  const text = JSON.stringify(short)
    .replaceAll(ns, "ns")
    .replace(/20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (time) => (time.startsWith("2020") ? time : "<now>"))
    .replace(/10\.0\.\d+\.\d+/g, (address) => (address === "10.0.0.1" ? address : "<address>"));
  return JSON.parse(text) as Json;
}
