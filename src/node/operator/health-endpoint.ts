import type { HealthOptions, HealthReport } from "../../controller/manager/manager.js";

/** Response of an endpoint as text. */
export interface TextResponse {
  readonly status: number;
  readonly text: string;
}

/** A health endpoint with its checks, such as `/readyz`. */
export interface HealthEndpoint {
  /** Name in the response, such as `readyz`. */
  readonly name: string;
  /** Runs the checks. */
  readonly run: (options: HealthOptions) => Promise<HealthReport>;
  /** Time limit in milliseconds for each check. */
  readonly timeoutMs: number;
}

/**
 * Responds like kube-apiserver and controller-runtime: `ok`, or one line for each check after a failure and for
 * `?verbose`. `?exclude=name` leaves a check out. The reason of a failure is only shown at the path of the check, `check`.
 */
export async function respondHealth(
  { name, run, timeoutMs }: HealthEndpoint,
  check: string | undefined,
  query: URLSearchParams,
): Promise<TextResponse> {
  if (check !== undefined) return respondCheck(check, await run({ only: [check], timeoutMs }));
  const exclude = query.getAll("exclude");
  const { ok, checks } = await run({ exclude, timeoutMs });
  if (ok && !query.has("verbose")) return { status: 200, text: "ok" };
  const known = checks.length === 0 ? [{ name: "ping", ok: true }] : checks;
  const unknown = exclude.filter((each) => checks.every((found) => found.name !== each));
  const lines = [
    ...known.map((each) => `${each.ok ? "[+]" : "[-]"}${each.name} ${describe(each)}`).sort(byName),
    ...(unknown.length === 0
      ? []
      : [
          `warn: some health checks cannot be excluded: no matches for ${unknown.map((each) => JSON.stringify(each)).join()}`,
        ]),
    `${name} check ${ok ? "passed" : "failed"}`,
  ];
  return { status: ok ? 200 : 500, text: `${lines.join("\n")}\n` };
}

function respondCheck(name: string, { checks }: HealthReport): TextResponse {
  const [found] = checks;
  if (found === undefined) return { status: 404, text: `check ${JSON.stringify(name)} not found\n` };
  return found.ok
    ? { status: 200, text: "ok" }
    : { status: 500, text: `internal server error: ${found.message ?? "the check failed"}\n` };
}

function describe({ ok, excluded }: HealthReport["checks"][number]): string {
  if (excluded === true) return "excluded: ok";
  return ok ? "ok" : "failed: reason withheld";
}

function byName(a: string, b: string): number {
  return a.slice(3) < b.slice(3) ? -1 : 1;
}
