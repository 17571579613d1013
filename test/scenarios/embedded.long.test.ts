import { describe } from "vitest";
import { installsSuite } from "../suites/installs.js";
import { plansSuite } from "../suites/plans.js";
import { embeddedTarget } from "./embedded-target.js";

// Runs the long suites of test/e2e against the embedded server over HTTP.
describe("embedded server:", () => {
  const target = embeddedTarget();
  plansSuite(target, { from: 1, count: 20 });
  installsSuite(target);
});
