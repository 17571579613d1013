import { ConfigError } from "../errors/errors.js";

/** The token without white space around it. Throws a `ConfigError`, without the token in it, unless it is one that a header can carry. */
export function requireToken(token: string, where: string): string {
  const trimmed = token.trim();
  if (trimmed === "" || /[^\x21-\x7e]/.test(trimmed))
    throw new ConfigError(`${where}: is no token: it is empty, or has spaces or characters that no token has`);
  return trimmed;
}
