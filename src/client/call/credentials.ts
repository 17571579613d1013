import { isSecretHeader } from "../../transport/redacting.js";
import type { SecretHeaders } from "../../transport/secret-headers.js";
import type { Redact } from "./redact-error.js";

/** Credentials that were seen in request headers. */
export interface Credentials {
  /** Remembers the credentials in headers. If it returns a promise, wait for it before calling `redact`. */
  add(headers: Readonly<Record<string, string>>): Promise<void> | undefined;
  /** Replaces the credentials in a text, in any encoding. */
  readonly redact: Redact;
}

/**
 * Creates an empty set of credentials. A page behind a proxy has none, so the code that finds them in texts loads with
 * the first one.
 */
export function createCredentials(): Credentials {
  let secrets: SecretHeaders | undefined;
  return {
    add(headers) {
      if (!Object.keys(headers).some(isSecretHeader)) return undefined;
      secrets?.add(headers);
      return secrets === undefined ? load(headers) : undefined;
    },
    redact: (text) => secrets?.redact(text) ?? text,
  };

  async function load(headers: Readonly<Record<string, string>>): Promise<void> {
    const module = await import("../../transport/secret-headers.js");
    secrets ??= module.createSecretHeaders();
    secrets.add(headers);
  }
}
