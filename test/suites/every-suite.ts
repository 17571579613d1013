import { clientKindsSuite } from "./client-kinds.js";
import { clientManifestsSuite } from "./client-manifests.js";
import { clientOperationsSuite } from "./client-operations.js";
import { clientSubresourcesSuite } from "./client-subresources.js";
import { clientVerbsSuite } from "./client-verbs.js";
import { connectionsSuite } from "./connections.js";
import { controllersSuite } from "./controllers.js";
import { liveCacheSuite } from "./live-cache.js";
import { objectsSuite } from "./objects.js";
import { pagingSuite } from "./paging.js";
import { schemaKindsSuite } from "./schema-kinds.js";
import type { Target } from "./target.js";
import { watchingSuite } from "./watching.js";
import { webhooksSuite } from "./webhooks.js";

/** Registers all suites that pass on any API server. `seeds` is the number of random rounds of the live cache suite. */
export function everySuite(target: Target, seeds: number): void {
  objectsSuite(target);
  clientVerbsSuite(target);
  clientSubresourcesSuite(target);
  clientKindsSuite(target);
  clientManifestsSuite(target);
  clientOperationsSuite(target);
  pagingSuite(target);
  watchingSuite(target);
  connectionsSuite(target);
  liveCacheSuite(target, seeds);
  controllersSuite(target);
  webhooksSuite(target);
  schemaKindsSuite(target);
}
