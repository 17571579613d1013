import { expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import { ConfigError } from "../../../src/errors/errors.js";

const invalid = { corsAllowedOrigins: ["//(a$"] };

it("each request to a server with an invalid expression in its options rejects with the error of ready", async () => {
  const server = createApiServer({ controllers: false, ...invalid });
  const request = (): Promise<Response> => server.handle(new Request("http://server/version"));
  const results = await Promise.allSettled([request(), server.ready(), request()]);
  await expect(request()).rejects.toThrow(ConfigError);
  for (const result of results)
    expect(result).toMatchObject({ reason: { message: expect.stringMatching(/^corsAllowedOrigins: /) as string } });
  await server.close();
});

it("the first request waits until the expressions in options are compiled", async () => {
  const server = createApiServer({ controllers: false, corsAllowedOrigins: ["^https://a\\.example(:|$)"] });
  const headers = { origin: "https://a.example" };
  const response = await server.handle(new Request("http://server/version", { headers }));
  expect(response.headers.get("access-control-allow-origin")).toBe("https://a.example");
  await server.ready();
  await server.close();
});
