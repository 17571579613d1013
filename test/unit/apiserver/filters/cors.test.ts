import { afterEach, describe, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { startServer } from "../../../support/start-server.js";

let server: ApiServer | undefined;
afterEach(() => server?.close());

const headersOf = (response: Response): (string | null)[] =>
  ["origin", "methods", "headers", "credentials"].map((name) => response.headers.get(`access-control-allow-${name}`));
const allowed = [
  "POST, GET, OPTIONS, PUT, DELETE, PATCH",
  "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since",
  "true",
];

describe("CORS", () => {
  it.each([
    ["GET", "https://app.example.com", "/version", 200, true],
    ["GET", "https://app.example.com:8443", "/version", 200, true],
    ["GET", "https://app.example.com.evil.com", "/version", 200, false],
    ["GET", "http://app.example.com", "/version", 200, false],
    ["GET", "", "/version", 200, false],
    ["OPTIONS", "https://app.example.com", "/api/v1/pods", 204, true],
    ["OPTIONS", "https://other.com", "/api/v1/pods", 403, false],
    ["GET", "https://app.example.com", "/api/v1/pods", 403, true],
  ])("%s from %j to %s answers %i, allowed: %s", async (method, origin, path, status, fits) => {
    server = createApiServer({
      controllers: false,
      authorizationMode: "RBAC",
      corsAllowedOrigins: ["^https://app\\.example\\.com(:|$)"],
    });
    const response = await server.handle(
      new Request(`http://server${path}`, { method, headers: origin === "" ? {} : { origin } }),
    );
    expect(response.status).toBe(status);
    expect(headersOf(response)).toEqual(fits ? [origin, ...allowed] : [null, null, null, null]);
  });

  it("allows no origin by default", async () => {
    server = createApiServer({ controllers: false });
    expect(
      headersOf(await server.handle(new Request("http://server/version", { headers: { origin: "https://a.com" } }))),
    ).toEqual([null, null, null, null]);
  });
});

it.each([
  ["", "a pattern is empty"],
  ["example.com", "must be anchored at both ends"],
  ["^example", "must be anchored at both ends"],
  ["//(a$", "error parsing regexp"],
])("the origin pattern %j is rejected", async (pattern, why) => {
  await expect(startServer({ corsAllowedOrigins: [pattern] })).rejects.toThrow(why);
});
