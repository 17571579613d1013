import { applyManifests } from "../../../src/manifests/manifests.js";
import { type PlanManifestsOptions, planManifests } from "../../../src/manifests/plan-manifests.js";
import type { TestClient } from "./manifest-server.js";

/** Options of plans and applies. */
export const options = { namespace: "web", fieldManager: "deployer" };
/** Returns a manifest. */
export const object = (kind: string, name: string, more: object = {}, apiVersion = "v1") => ({
  apiVersion,
  kind,
  metadata: { name },
  ...more,
});
/** Returns a manifest of a ConfigMap. */
export const map = (name: string, data: object = { a: "1" }) => object("ConfigMap", name, { data });
/** Returns a manifest of the Deployment `shop`. */
export const deployment = (image: string, replicas?: number) =>
  object(
    "Deployment",
    "shop",
    {
      spec: {
        ...(replicas !== undefined && { replicas }),
        selector: { matchLabels: { app: "shop" } },
        template: { metadata: { labels: { app: "shop" } }, spec: { containers: [{ name: "web", image }] } },
      },
    },
    "apps/v1",
  );

/** Plans the apply of manifests. */
export const plan = (client: TestClient, manifests: object[], more: Partial<PlanManifestsOptions> = {}) =>
  planManifests(client, manifests as never[], { ...options, ...more });
/** Applies manifests. */
export const apply = (client: TestClient, manifests: object[], more: object = {}) =>
  applyManifests(client, manifests as never[], { ...options, ...more });
