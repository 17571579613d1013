import { ConfigError } from "../errors/errors.js";

/**
 * Returns the token without surrounding white space. Throws a `ConfigError`, which doesn't contain the token, if a
 * header can't carry it.
 */
export function requireToken(token: string, where: string): string {
  const trimmed = token.trim();
  if (trimmed === "" || /[^\x21-\x7e]/.test(trimmed))
    throw new ConfigError(`${where}: invalid token: it is empty or contains characters that are not allowed`);
  return trimmed;
}
