import { base64UrlDecode } from "../internal/base64.js";
import { utf8Decode } from "../internal/bytes.js";
import type { SecretTexts } from "../internal/redact.js";
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

/** Adds the credentials in request headers. */
export function addSecretHeaders(secrets: SecretTexts, headers: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || !secretName.test(name)) continue;
    if (/authorization$/i.test(name)) addAuthorization(secrets, value);
    else if (/^cookie$/i.test(name))
      for (const part of value.split(";")) secrets.add(part.slice(part.indexOf("=") + 1));
    else secrets.add(value);
  }
}

/** Adds the credential of an `authorization` header: a token, or a password. */
export function addAuthorization(secrets: SecretTexts, value: string): void {
  const [, scheme = "", credential = ""] = /^\s*(\S+)\s+(.*?)\s*$/s.exec(value) ?? [];
  secrets.add(credential === "" ? value.trim() : credential);
  if (scheme.toLowerCase() !== "basic") return;
  const login = base64UrlDecode(credential.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, ""));
  if (login === undefined) return;
  const text = utf8Decode(login);
  secrets.add(text.slice(text.indexOf(":") + 1));
}
