import { expect, it } from "vitest";
import { listen } from "../../../../src/apiserver/node/listen.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { parseOptions } from "../../../../src/cli/program/parse-options.js";
import { createControl } from "../../../../src/cli/server/control.js";

it("control endpoint requires its token, refuses foreign origins and limits the body", async () => {
  const server = createApiServer({ controllers: false });
  const control = createControl(server);
  const listener = await listen(server, { intercept: control.handle });
  const post = async (path: string, body: string, headers = {}): Promise<number> =>
    (await fetch(listener.url + path, { method: "POST", body, headers })).status;
  expect(await post(control.path, '{"action":"compact"}')).toBe(200);
  expect(await post("/__control", '{"action":"compact"}')).toBe(401);
  expect(await post(control.path, "x".repeat(16 * 1024 * 1024 + 1))).toBe(413);
  expect(await post(control.path, '{"action":"compact"}', { origin: "http://evil.test" })).toBe(403);
  await listener.close();
  await server.close();
});

it.each([
  ["--prot", "unknown option --prot; did you mean --port?"],
  ["--frobnicate", "unknown option --frobnicate"],
])("command line with %s is refused with a message", (word, message) => {
  const parse = (): unknown => parseOptions({ args: [word], options: { port: { type: "string" } } });
  expect(parse).toThrow(message);
});
