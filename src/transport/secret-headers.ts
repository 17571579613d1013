import { base64UrlDecode } from "../internal/base64.js";
import { utf8Decode } from "../internal/bytes.js";
import { createSecretTexts, type SecretTexts } from "../internal/secrets/redact.js";
import { isSecretHeader } from "./redacting.js";

/** The credentials of request headers, and a function that removes them from texts. */
export interface SecretHeaders {
  /** Adds the credentials in request headers. */
  add(headers: Readonly<Record<string, string>>): void;
  /** Replaces the credentials in a text, in any encoding. */
  redact(text: string): string;
}

/** Creates an empty set of credentials. */
export function createSecretHeaders(): SecretHeaders {
  const secrets = createSecretTexts();
  return { add: (headers) => addSecretHeaders(secrets, headers), redact: (text) => secrets.redact(text) };
}

/** Adds the credentials in request headers. */
function addSecretHeaders(secrets: SecretTexts, headers: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || !isSecretHeader(name)) continue;
    if (/authorization$/i.test(name)) addAuthorization(secrets, value);
    else if (/^cookie$/i.test(name))
      for (const part of value.split(";")) secrets.add(part.slice(part.indexOf("=") + 1));
    else secrets.add(value);
  }
}

/** Adds the credential of an `authorization` header: a token, or a password. */
export function addAuthorization(secrets: SecretTexts, value: string): void {
  const [, scheme = "", credential = ""] = /^(\S+)\s+(\S.*)$/s.exec(value.trim()) ?? [];
  secrets.add(credential === "" ? value.trim() : credential);
  if (scheme.toLowerCase() !== "basic") return;
  const login = base64UrlDecode(
    credential
      .replace(/\+/g, "-")
      .replace(/\//g, "_")
      .replace(/={1,2}$/, ""),
  );
  if (login === undefined) return;
  const text = utf8Decode(login);
  secrets.add(text.slice(text.indexOf(":") + 1));
}
