import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";

it("server with all controllers causes no warning of Node", async () => {
  const warnings: string[] = [];
  const note = (warning: Error): void => void warnings.push(warning.message);
  process.on("warning", note);
  const server = createApiServer();
  await server.settled();
  await setImmediate();
  process.off("warning", note);
  await server.close();
  expect(warnings).toEqual([]);
});
