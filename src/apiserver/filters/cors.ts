import { ConfigError } from "../../errors/errors.js";
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
 * Lets pages of other origins use the API: those that one of the patterns, in Go's syntax, finds a match in. Preflight requests are answered
 * before anybody is authenticated. Throws a `ConfigError` for a pattern that is none, or that does not hold on to both ends of the host.
 */
export function cors(allowedOrigins: readonly string[]): Filter {
  const patterns = allowedOrigins.map(compileOrigin);
  return async (context, next) => {
    const origin = context.request.header("origin") ?? "";
    if (origin === "" || !patterns.some((pattern) => pattern.test(origin))) return next(context);
    context.headers.push(
      ["Access-Control-Allow-Origin", origin],
      ...fixed.map(([name, value]): [string, string] => [name, value]),
    );
    if (context.request.method === "OPTIONS") return { status: 204, headers: [], body: undefined };
    return next(context);
  };
}

function compileOrigin(pattern: string): ReturnType<typeof compileGoRegExp> {
  if (pattern === "") throw new ConfigError("allowed origin: the pattern is empty");
  try {
    const compiled = compileGoRegExp(pattern);
    const pinned =
      (pattern.includes("^") || pattern.includes("//")) && (pattern.includes("$") || pattern.includes(":"));
    if (pinned) return compiled;
  } catch (error) {
    throw new ConfigError(
      `allowed origin ${JSON.stringify(pattern)}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  throw new ConfigError(
    `allowed origin ${JSON.stringify(pattern)}: regular expression does not pin to start/end of host in the origin header`,
  );
}
