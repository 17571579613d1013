import { describe } from "vitest";
import { everySuite } from "../suites/every-suite.js";
import { webhookServerSuite } from "../suites/webhook-server.js";
import { embeddedTarget } from "./embedded-target.js";

// Runs suites of test/e2e, which also run against a real kube-apiserver, against the embedded server over HTTP.
describe("embedded server:", () => {
  const target = embeddedTarget();
  everySuite(target, 2);
  webhookServerSuite(target, 0);
});
