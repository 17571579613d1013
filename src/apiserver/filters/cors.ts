import { ConfigError } from "../../errors/errors.js";
import { headerBytes } from "../../internal/header-text.js";
import { lazyModule } from "../../internal/lazy-module.js";
import { pushAll } from "../../internal/push-all.js";
import type { GoRegExp } from "../internal/re2.js";
import type { BeforeRequests } from "../internal/start.js";
import type { Filter } from "./filter.js";

const fixed: readonly (readonly [string, string])[] = [
  ["Access-Control-Allow-Methods", "POST, GET, OPTIONS, PUT, DELETE, PATCH"],
  [
    "Access-Control-Allow-Headers",
    "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since",
  ],
  ["Access-Control-Expose-Headers", "Date"],
  ["Access-Control-Allow-Credentials", "true"],
];

const re2 = lazyModule(() => import("../internal/re2.js"));

/** Adds CORS headers for the allowed origins. Preflight requests are answered before authentication. */
export function cors(allows: (origin: string) => boolean): Filter {
  return async (context, next) => {
    const origin = context.request.header("origin") ?? "";
    if (origin === "" || !allows(origin)) return next(context);
    pushAll(
      context.headers,
      [["Access-Control-Allow-Origin", headerBytes(origin)]],
      fixed.map(([name, value]): [string, string] => [name, value]),
    );
    if (context.request.method === "OPTIONS") return { status: 204, headers: [], body: undefined };
    return next(context);
  };
}

/**
 * Returns a function that is true for origins that match one of the patterns (Go regular expressions), once `before` has
 * compiled them. Throws a `ConfigError` for a pattern that isn't anchored at both ends of the host; `before` fails with
 * one for other invalid patterns.
 */
export function originMatcher(allowedOrigins: readonly string[], before: BeforeRequests): (origin: string) => boolean {
  allowedOrigins.forEach(requireAnchors);
  let patterns: readonly GoRegExp[] = [];
  if (allowedOrigins.length > 0)
    before(
      (async () => {
        await re2.load();
        patterns = allowedOrigins.map(compileOrigin);
      })(),
    );
  return (origin) => patterns.some((pattern) => pattern.test(origin));
}

function requireAnchors(pattern: string): void {
  if (pattern === "") throw new ConfigError("corsAllowedOrigins: a pattern is empty");
  if (/\^|\/\//.test(pattern) && /[$:]/.test(pattern)) return;
  throw new ConfigError(
    `corsAllowedOrigins: pattern ${JSON.stringify(pattern)} must be anchored at both ends of the host: start with "^" or "//", end with "$" or ":"`,
  );
}

function compileOrigin(pattern: string): GoRegExp {
  try {
    return re2.get().compileGoRegExp(pattern);
  } catch (error) {
    throw new ConfigError(
      `corsAllowedOrigins: invalid pattern ${JSON.stringify(pattern)}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}
