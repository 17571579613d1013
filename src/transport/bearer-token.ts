import { systemClock } from "../internal/clock.js";
import { discardBody } from "../internal/read-start.js";
import { requireToken } from "./require-token.js";
import type { Interceptor } from "./transport.js";

/**
 * Sends a bearer token with every request, without the white space around it. `token` is asked each time, so it may refresh; after
 * a 401 it is asked once more with `refused` set to the token that was refused, and the request is sent again if another comes
 * back. Requests reject with a `ConfigError` for a token that no header can carry.
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
