type Json = Record<string, unknown>;

/** An answer as it is compared: of a Status its causes, of an object what policies and defaults work on. The run's namespace is called `ns`. */
export function shortAnswer({ status, warning, body }: { status: number; warning: string; body: Json }, ns: string): Json {
  const short = body["kind"] === "Status" ? ofStatus(body) : ofObject(body);
  return JSON.parse(JSON.stringify({ status, ...(warning === "" ? {} : { warning: warning.replaceAll("\n", ", ") }), ...short }).replaceAll(ns, "ns")) as Json;
}

function ofStatus({ message, reason, details }: Json): Json {
  const causes = (details as { causes?: { field?: string; message: string }[] } | undefined)?.causes ?? [];
  if (reason === "Invalid" && causes.some(({ field }) => field !== undefined)) return { causes: causes.map(({ field, message: text }) => `${field ?? ""}: ${text}`).sort() };
  return { message, reason, causes: causes.map(({ message: text }) => text) };
}

function ofObject({ metadata, data, spec }: Json): Json {
  const { labels, annotations } = (metadata ?? {}) as Json;
  const { case: _case, home: _home, ...others } = (labels ?? {}) as Json;
  return { ...(Object.keys(others).length === 0 ? {} : { labels: others }), ...(annotations === undefined ? {} : { annotations }), ...(data === undefined ? {} : { data }), ...(spec === undefined ? {} : { spec }) };
}
