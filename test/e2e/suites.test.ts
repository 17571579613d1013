import { describe, inject } from "vitest";
import { clientKindsSuite } from "../suites/client-kinds.js";
import { clientVerbsSuite } from "../suites/client-verbs.js";
import { connectionsSuite } from "../suites/connections.js";
import { controllersSuite } from "../suites/controllers.js";
import { liveCacheSuite } from "../suites/live-cache.js";
import { objectsSuite } from "../suites/objects.js";
import { pagingSuite } from "../suites/paging.js";
import type { Target } from "../suites/target.js";
import { watchingSuite } from "../suites/watching.js";
import { describeServer } from "./real-apiserver.js";

const { kubeconfig, missing } = inject("real");

describe.skipIf(kubeconfig === undefined)(`against a real kube-apiserver${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  const target: Target = {
    kubeconfig: () => kubeconfig!,
    compact: () => describeServer(kubeconfig!).compact(),
  };
  objectsSuite(target);
  clientVerbsSuite(target);
  clientKindsSuite(target);
  pagingSuite(target);
  watchingSuite(target);
  connectionsSuite(target);
  liveCacheSuite(target, 6);
  controllersSuite(target);
});
