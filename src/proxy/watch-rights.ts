import { readBody } from "../client/call/read-body.js";
import { requestInfo } from "../interceptors/request-info.js";
import { utf8Decode, utf8Encode } from "../internal/bytes.js";
import type { Clock } from "../internal/clock.js";
import type { Transport, TransportRequest } from "../transport/transport.js";

/** Milliseconds for which an answer counts. */
const lifetimeMs = 10_000;
/** Answers that are kept. */
const mostAnswers = 1_000;

/**
 * Creates a function that asks a cluster if the user of a watch has the right to it, and keeps the answers for a short
 * time. A request that impersonates no user has the rights of the proxy, like the watch that it would join.
 */
export function createWatchRights(transport: Transport, clock: Clock): (request: TransportRequest) => Promise<boolean> {
  const answers = new Map<string, { readonly allowed: Promise<boolean>; readonly until: number }>();

  return (request) => {
    if (request.headers["impersonate-user"] === undefined) return Promise.resolve(true);
    const identity = identityOf(request);
    const { group, version, resource, namespace } = requestInfo("GET", request.path);
    const attributes = { verb: "watch", group, version, resource, namespace };
    const key = JSON.stringify([identity, attributes]);
    const known = answers.get(key);
    if (known !== undefined && clock.monotonic() < known.until) return known.allowed;
    const allowed = review(transport, { ...identity, signal: request.signal }, attributes).catch(() => false);
    answers.delete(key);
    answers.set(key, { allowed, until: clock.monotonic() + lifetimeMs });
    if (answers.size > mostAnswers) answers.delete(answers.keys().next().value!);
    // Only a yes is worth keeping: after a no, the cluster is asked by the watch itself.
    void allowed.then((yes) => {
      if (!yes && answers.get(key)?.allowed === allowed) answers.delete(key);
    });
    return allowed;
  };
}

/** Returns the headers that name the user of a request. */
export function identityOf({ headers, multiHeaders = {} }: TransportRequest): {
  readonly headers: Readonly<Record<string, string>>;
  readonly multiHeaders: Readonly<Record<string, readonly string[]>>;
} {
  const pick = <T>(given: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(given).filter(([name]) => name.startsWith("impersonate-")));
  return { headers: pick(headers), multiHeaders: pick(multiHeaders) };
}

async function review(
  transport: Transport,
  { headers, ...rest }: Pick<TransportRequest, "headers" | "multiHeaders" | "signal">,
  resourceAttributes: object,
): Promise<boolean> {
  const apiVersion = "authorization.k8s.io/v1";
  const { status, body } = await transport.send({
    method: "POST",
    path: `/apis/${apiVersion}/selfsubjectaccessreviews`,
    headers: { ...headers, accept: "application/json", "content-type": "application/json" },
    body: utf8Encode(JSON.stringify({ apiVersion, kind: "SelfSubjectAccessReview", spec: { resourceAttributes } })),
    ...rest,
  });
  const answer = JSON.parse(utf8Decode(await readBody(body))) as { readonly status?: { readonly allowed?: unknown } };
  return status < 300 && answer.status?.allowed === true;
}
