import type { Transport, TransportSocket } from "./transport.js";

/** Name of the method that removes the secrets of a transport or socket from a text. */
export const redactSecrets: unique symbol = Symbol("redactSecrets");

/** A transport or socket that knows the credentials of its requests. */
export interface Redacting {
  /** Replaces the credentials in a text, in any encoding. */
  [redactSecrets](text: string): string;
}

/** Returns the function that removes the secrets of a transport or socket from a text, if it has one. */
export function redactorOf(holder: Transport | TransportSocket): ((text: string) => string) | undefined {
  const redact = (holder as Partial<Redacting>)[redactSecrets];
  return redact === undefined ? undefined : (text) => redact.call(holder, text);
}

const secretName = /^(?:cookie|x-api-key|.*(?:authorization|token|secret|password).*)$/i;

/** Returns true if the value of a header with this name is a credential. */
export function isSecretHeader(name: string): boolean {
  return secretName.test(name);
}
