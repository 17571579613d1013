import { describe, inject } from "vitest";
import { everySuite } from "../suites/every-suite.js";
import { installsSuite } from "../suites/installs.js";
import { plansSuite } from "../suites/plans.js";
import type { Target } from "../suites/target.js";
import { webhookServerSuite } from "../suites/webhook-server.js";
import { describeServer } from "./real-apiserver.js";

const { kubeconfig, minor, missing } = inject("real");

describe.skipIf(kubeconfig === undefined)(
  `against a real kube-apiserver${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    const target: Target = {
      kubeconfig: () => kubeconfig!,
      minor: minor!,
      compact: () => describeServer(kubeconfig!).compact(),
    };
    everySuite(target, 6);
    installsSuite(target);
    webhookServerSuite(target, Number(process.env["KUBESTREAM_WEBHOOK_CALLS"] ?? 500));
    // The time limit of a test is two minutes.
    for (let from = 1; from <= 500; from += 100) plansSuite(target, { from, count: 100 });
  },
);
