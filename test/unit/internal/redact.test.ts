import { describe, expect, it } from "vitest";
import { createSecretTexts } from "../../../src/internal/secrets/redact.js";

const token = 'Zk4-t0k_en/Wq+9="x&y\\7é%2F.q8RvL2nT5sJ1hB6m';

function redact(text: string, ...secrets: string[]): string {
  const texts = createSecretTexts();
  for (const secret of secrets) texts.add(secret);
  return texts.redact(text);
}

const bytes = (text: string): number[] => [...Buffer.from(text)];
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const hex = (text: string): string => Buffer.from(text).toString("hex");
const percentAll = (text: string): string =>
  bytes(text)
    .map((byte) => `%${byte.toString(16).padStart(2, "0")}`)
    .join("");
const unicodeAll = (text: string): string =>
  [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

const forms: readonly (readonly [string, (secret: string) => string])[] = [
  ["itself", (text) => text],
  ["upper case", (text) => text.toUpperCase().replace("É", "é")],
  ["percent-encoding", encodeURIComponent],
  ["percent-encoding in lower case", (text) => encodeURIComponent(text).replace(/%../g, (each) => each.toLowerCase())],
  ["percent-encoding of every byte", percentAll],
  ["percent-encoding, twice", (text) => encodeURIComponent(encodeURIComponent(text))],
  ["a form", (text) => new URLSearchParams({ a: text }).toString()],
  ["base64", base64],
  ["base64 without padding", (text) => base64(text).replace(/=+$/, "")],
  ["URL-safe base64", (text) => Buffer.from(text).toString("base64url")],
  ["base64 after one byte", (text) => base64(`:${text}`)],
  ["base64 after two bytes", (text) => base64(`u:${text}!`)],
  ["base64 of a header", (text) => base64(`Authorization: Bearer ${text}\r\n`)],
  ["base64 in lines", (text) => base64(text).replace(/.{20}/g, "$&\r\n")],
  ["base64 in JSON that escapes slashes", (text) => base64(text).replaceAll("/", "\\/")],
  ["hexadecimal", hex],
  ["hexadecimal in upper case", (text) => hex(text).toUpperCase()],
  ["JSON", (text) => JSON.stringify(text)],
  ["JSON within JSON", (text) => JSON.stringify(JSON.stringify(text))],
  ["\\u escapes", unicodeAll],
  [
    "\\x escapes",
    (text) =>
      bytes(text)
        .map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`)
        .join(""),
  ],
  ["JSON within a URL", (text) => encodeURIComponent(JSON.stringify(text))],
  [
    "HTML",
    (text) =>
      text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("/", "&#x2F;").replaceAll("+", "&#43;"),
  ],
  ["HTML entities", (text) => [...text].map((each) => `&#${String(each.charCodeAt(0))};`).join("")],
  ["lines", (text) => text.replace(/.{5}/gu, "$&\n  ")],
  ["its first half", (text) => text.slice(0, 24)],
  ["its second half", (text) => text.slice(-24)],
  ["half of its base64", (text) => base64(text).slice(10, 40)],
];

/** Longest part of the secret that a text shows, in bytes of any of its plain forms. */
function longestPart(text: string): number {
  let longest = 0;
  for (const form of [token, base64(token), encodeURIComponent(token), hex(token)])
    for (let at = 0; at < form.length; at++)
      for (let length = longest + 1; at + length <= form.length && text.includes(form.slice(at, at + length)); length++)
        longest = length;
  return longest;
}

describe("redaction finds a secret written as", () => {
  it.each(forms)("%s", (_name, form) => {
    const clean = redact(`before <${form(token)}> after`, token);
    expect(clean).toMatch(/^before <.{0,36}\[redacted\].{0,8}> after$/s);
    expect(longestPart(clean)).toBeLessThan(7);
  });
});

describe("redaction", () => {
  it.each([
    [
      "a text without secrets",
      "pods is forbidden: 100% \\of &users; %zz &#x; \\",
      "pods is forbidden: 100% \\of &users; %zz &#x; \\",
    ],
    ["several secrets in one text", "a s3cret-one b s3cret-two c", "a [redacted] b [redacted] c"],
    ["adjacent secrets", "s3cret-ones3cret-two", "[redacted]"],
    ["characters outside the basic plane around it", "😀s3cret-one😀", "😀[redacted]😀"],
    ["an empty text", "", ""],
  ])("keeps the rest of %s", (_name, text, expected) => {
    expect(redact(text, "s3cret-one", "s3cret-two")).toBe(expected);
  });

  it("ignores secrets of fewer than eight characters", () => {
    expect(redact("the admin is admin", "admin")).toBe("the admin is admin");
  });

  it("finds a password with spaces and characters outside the basic plane", () => {
    const password = "pass 😀 wörd phrase";
    const escaped = JSON.stringify(password).replace("😀", "\\ud83d\\ude00");
    for (const form of [password, encodeURIComponent(password), escaped, base64(`u:${password}`)])
      expect(redact(form, password)).toMatch(/^.{0,4}\[redacted\].{0,2}$/);
    expect(redact(new URLSearchParams({ p: password }).toString(), password)).toBe("p=[redacted]");
  });

  it("remembers the 16 secrets that were added last", () => {
    const texts = createSecretTexts();
    const secret = (n: number): string => `s3cret-number-${String(n).padStart(2, "0")}`;
    for (let n = 0; n < 16; n++) texts.add(secret(n));
    texts.add(secret(0));
    texts.add(secret(16));
    expect([0, 1, 2, 16].map((n) => texts.redact(secret(n)))).toEqual([
      "[redacted]",
      secret(1),
      "[redacted]",
      "[redacted]",
    ]);
  });

  it.each([
    ["the secret's beginning", token.slice(0, 15)],
    ["percent signs", "%"],
    ["backslashes", "\\"],
    ["ampersands", "&"],
    ["entities", "&#38;"],
    ["the secret", token],
  ])("takes time linear in a text that repeats %s", (_name, unit) => {
    const texts = createSecretTexts();
    texts.add(token);
    /** CPU time in milliseconds, which other processes don't change. */
    const time = (length: number): number => {
      const text = unit.repeat(length / unit.length);
      const before = process.cpuUsage();
      texts.redact(text);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000;
    };
    time(40_000);
    const short = Math.min(time(40_000), time(40_000), time(40_000));
    const long = Math.min(time(640_000), time(640_000));
    // 16 times the text may take up to 100 times as long; quadratic work takes 256 times as long.
    expect(long).toBeLessThan(100 * Math.max(short, 10));
  });
});
