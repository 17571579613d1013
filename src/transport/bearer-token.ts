import { systemClock } from "../internal/clock.js";
import { discardBody } from "../internal/streams/read-start.js";
import { requireToken } from "./require-token.js";
import type { Interceptor } from "./transport.js";

/**
 * Returns an interceptor that sends a bearer token with every request.
 *
 * A function is called for each request, so it can refresh the token. After a 401 it is called again with `refused` set
 * to the rejected token; if it returns a different one, the request is sent once more. White space around the token is
 * trimmed. A token that can't be sent in a header rejects the request with a `ConfigError`.
 *
 * @example
 * ```ts
 * import { createClient, fetchTransport } from "kubestream";
 * import { bearerToken } from "kubestream/interceptors";
 *
 * export const client = createClient({
 *   transport: fetchTransport({ url: "https://cluster.example.com" }),
 *   interceptors: [bearerToken(() => localStorage.getItem("token") ?? "")],
 * });
 * ```
 */
export function bearerToken(token: string | ((refused?: string) => string | Promise<string>)): Interceptor {
  const ask = async (refused?: string): Promise<string> =>
    requireToken(typeof token === "string" ? token : await token(refused), "bearerToken");
  return (next) => async (request) => {
    const first = await ask();
    const response = await next(withToken(request, first));
    if (response.status !== 401 || typeof token === "string") return response;
    const second = await ask(first);
    if (second === first) return response;
    await discardBody(response.body, systemClock);
    return next(withToken(request, second));
  };
}

function withToken<R extends { readonly headers: Readonly<Record<string, string>> }>(request: R, token: string): R {
  return { ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } };
}
