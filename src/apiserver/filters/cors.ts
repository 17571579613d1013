import { ConfigError } from "../../errors/errors.js";
import { headerBytes } from "../../internal/header-text.js";
import { pushAll } from "../../internal/push-all.js";
import { compileGoRegExp } from "../internal/re2.js";
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

/**
 * Adds CORS headers for origins that match one of the patterns (Go regular expressions). Preflight requests are
 * answered before authentication. Throws a `ConfigError` for a pattern that is invalid or isn't anchored at both ends
 * of the host.
 */
export function cors(allowedOrigins: readonly string[]): Filter {
  const allows = originMatcher(allowedOrigins);
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

/** Returns a function that is true for origins that match one of the patterns. Throws like `cors`. */
export function originMatcher(allowedOrigins: readonly string[]): (origin: string) => boolean {
  const patterns = allowedOrigins.map(compileOrigin);
  return (origin) => patterns.some((pattern) => pattern.test(origin));
}

function compileOrigin(pattern: string): ReturnType<typeof compileGoRegExp> {
  if (pattern === "") throw new ConfigError("corsAllowedOrigins: a pattern is empty");
  try {
    const compiled = compileGoRegExp(pattern);
    const pinned =
      (pattern.includes("^") || pattern.includes("//")) && (pattern.includes("$") || pattern.includes(":"));
    if (pinned) return compiled;
  } catch (error) {
    throw new ConfigError(
      `corsAllowedOrigins: invalid pattern ${JSON.stringify(pattern)}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  throw new ConfigError(
    `corsAllowedOrigins: pattern ${JSON.stringify(pattern)} must be anchored at both ends of the host: start with "^" or "//", end with "$" or ":"`,
  );
}
