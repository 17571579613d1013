import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { Listener } from "../../src/apiserver/node/listen.js";
import { listen } from "../../src/apiserver/node/listen.js";
import { nodeWebhookCaller } from "../../src/apiserver/node/webhooks.js";
import type { ApiServer } from "../../src/apiserver/server.js";
import { createApiServer } from "../../src/apiserver/server.js";
import type { Target } from "../suites/target.js";

/** Starts an embedded server over HTTP before the tests of the current group, and closes it after them. */
export function embeddedTarget(): Target {
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

  return {
    kubeconfig: () => kubeconfig,
    minor: 36,
    compact: () => {
      server.compact();
      return Promise.resolve();
    },
  };
}
