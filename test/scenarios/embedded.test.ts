import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import type { Listener } from "../../src/apiserver/node/listen.js";
import { listen } from "../../src/apiserver/node/listen.js";
import { nodeWebhookCaller } from "../../src/apiserver/node/webhooks.js";
import type { ApiServer } from "../../src/apiserver/server.js";
import { createApiServer } from "../../src/apiserver/server.js";
import { everySuite } from "../suites/every-suite.js";
import { installsSuite } from "../suites/installs.js";
import { plansSuite } from "../suites/plans.js";
import type { Target } from "../suites/target.js";
import { webhookServerSuite } from "../suites/webhook-server.js";

// Runs the suites of test/e2e, which also run against a real kube-apiserver, against the embedded server over HTTP.
describe("embedded server:", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-embedded-"));
  const kubeconfig = join(folder, "kubeconfig");
  let server: ApiServer;
  let listener: Listener;

  beforeAll(async () => {
    const user = (name: string, groups: string[]) => ({
      name,
      uid: `${name}-uid`,
      groups: [...groups, "system:authenticated"],
      extra: {},
    });
    server = createApiServer({
      authorizationMode: "RBAC",
      webhooks: nodeWebhookCaller,
      tokens: new Map([
        ["admin-token", user("admin", ["system:masters"])],
        ["alice-token", user("alice", ["dev"])],
      ]),
    });
    listener = await listen(server);
    const contexts = ["admin", "alice"];
    writeFileSync(
      kubeconfig,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        clusters: [{ name: "local", cluster: { server: listener.url } }],
        users: contexts.map((name) => ({ name, user: { token: `${name}-token` } })),
        contexts: contexts.map((name) => ({ name, context: { cluster: "local", user: name } })),
        "current-context": "admin",
      }),
    );
  });
  afterAll(async () => {
    await listener.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const target: Target = {
    kubeconfig: () => kubeconfig,
    compact: () => {
      server.compact();
      return Promise.resolve();
    },
  };
  everySuite(target, 2);
  plansSuite(target, { from: 1, count: 20 });
  installsSuite(target);
  webhookServerSuite(target, 0);
});
