// API versions and features of a server that was started without flags for them, compared with a kube-apiserver.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServerFolder } from "../control-plane.js";
import { missingReason } from "../real-apiserver.js";
import { type ServerPair, startPair } from "../server-pair.js";

const missing = missingReason();
const maps = "/api/v1/namespaces/default/configmaps";

let pair: ServerPair;

describe.skipIf(missing !== undefined)("the defaults of a cluster compared with a real server", () => {
  beforeAll(async () => {
    pair = await startPair(createServerFolder(), ["--authorization-mode=RBAC", "--anonymous-auth=false"]);
  });

  afterAll(() => pair?.stop());

  it("both serve the same groups, versions, resources and verbs", async () => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    for (const path of ["/api", "/apis"]) {
      const { real, own } = await pair.both({ path, headers: { accept } });
      expect(own.value).toEqual(real.value);
    }
    const { real, own } = await pair.both({ path: "/apis/apiregistration.k8s.io/v1/apiservices" });
    const names = ({ value }: typeof own): string[] =>
      (value as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
    expect(names(own)).toEqual(names(real));
  });

  it.each([
    ["a beta version", { path: "/apis/storage.k8s.io/v1beta1/storageclasses" }, 404],
    ["an alpha version", { path: "/apis/resource.k8s.io/v1alpha3" }, 404],
    ["CBOR", { path: maps, headers: { accept: "application/cbor" } }, 406],
    ["a shard of a list", { path: `${maps}?shardSelector=nonsense` }, 200],
    [
      "a list as a watch",
      { path: `${maps}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&timeoutSeconds=1` },
      422,
    ],
    ["a health check without credentials", { path: "/healthz", token: "" }, 401],
    ["a health check with credentials", { path: "/livez" }, 200],
  ])("%s gets the same status", async (_title, request, status) => {
    const { real, own } = await pair.both(request);
    expect([real.status, own.status]).toEqual([status, status]);
  });
});

if (missing !== undefined) console.log(`the defaults of a cluster compared: skipped: ${missing}`);
