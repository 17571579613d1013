import { afterAll, afterEach, beforeEach } from "vitest";
import { createLeakCheck } from "./leak-check.js";

const check = createLeakCheck();
beforeEach(() => {
  check.begin();
});
afterEach(async () => {
  const left = await check.end();
  if (left.length > 0) throw new Error(`left open after the test: ${left.join(", ")}`);
});
afterAll(check.stop);
