import type { ApiServerOptions } from "../../../src/apiserver/options.js";
import { createApiServer } from "../../../src/apiserver/server.js";
import { createClient } from "../../../src/client/client.js";
import { Namespace } from "../../../src/kinds/core/v1.js";
import { applyManifests } from "../../../src/manifests/manifests.js";
import { type PlanManifestsOptions, planManifests } from "../../../src/manifests/plan-manifests.js";
import { handlerTransport } from "../../../src/transport/handler.js";

type Server = ReturnType<typeof createApiServer>;
export type TestClient = ReturnType<typeof createClient>;

const admin = { name: "admin", uid: "", groups: ["system:masters"], extra: {} };

/** Calls `act` with the client of an admin, and a server that has the namespace `web`. */
export async function withServer(
  act: (client: TestClient, api: Server) => Promise<void>,
  options: ApiServerOptions = {},
): Promise<void> {
  const api = createApiServer(options);
  const transport = handlerTransport((request) => api.handle(request, { user: admin }));
  const client = createClient({ transport, onWarning: () => undefined });
  try {
    await client.resource(Namespace).create({ metadata: { name: "web" } });
    await act(client, api);
  } finally {
    await client.close();
    await api.close();
  }
}

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
