import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../../src/cluster/cluster.js";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import type { TokenReview } from "../../../../src/kinds/authentication/v1.js";
import { TokenReview as TokenReviewKind } from "../../../../src/kinds/authentication/v1.js";
import { Secret, ServiceAccount } from "../../../../src/kinds/core/v1.js";

const rootCa = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const start = (): Promise<Cluster> => createCluster({ nodes: 0, time: "virtual", seed: 1, server: { rootCa } });

async function createSecret(cluster: Cluster, annotations: Record<string, string>): Promise<void> {
  await cluster.client
    .resource(Secret)
    .namespace("default")
    .create({ metadata: { name: "robot-token", annotations }, type: "kubernetes.io/service-account-token" });
  await cluster.settled();
}
const read = (cluster: Cluster): Promise<Secret | undefined> =>
  cluster.client.resource(Secret).namespace("default").getOptional("robot-token");
const review = async (cluster: Cluster, token: string): Promise<TokenReview["status"]> =>
  (await cluster.client.resource(TokenReviewKind).create({ spec: { token } })).status;

describe("a Secret of the type service-account-token", () => {
  it("gets a token, the authority and its namespace, and goes with its ServiceAccount", async () => {
    await using cluster = await start();
    const accounts = cluster.client.resource(ServiceAccount).namespace("default");
    const { metadata } = await accounts.create({ metadata: { name: "robot" } });
    await createSecret(cluster, { "kubernetes.io/service-account.name": "robot" });
    const secret = await cluster.until(Secret, "default/robot-token", (each) => each?.data?.["token"] !== undefined);
    expect(secret?.metadata?.annotations?.["kubernetes.io/service-account.uid"]).toBe(metadata!.uid);
    expect(atob(secret!.data!["namespace"]!)).toBe("default");
    expect(atob(secret!.data!["ca.crt"]!)).toBe(rootCa);
    const token = atob(secret!.data!["token"]!);
    await cluster.advance("400d");
    expect(await review(cluster, token)).toMatchObject({
      authenticated: true,
      user: { username: "system:serviceaccount:default:robot" },
    });
    await accounts.delete("robot");
    await cluster.settled();
    expect(await read(cluster)).toBeUndefined();
    expect((await review(cluster, token))?.authenticated).not.toBe(true);
  });

  it("gets a token and a namespace instead of empty texts", async () => {
    await using cluster = await start();
    await cluster.client
      .resource(Secret)
      .namespace("default")
      .create({
        metadata: { name: "robot-token", annotations: { "kubernetes.io/service-account.name": "default" } },
        type: "kubernetes.io/service-account-token",
        data: { token: "", namespace: "" },
      });
    const secret = await cluster.until(Secret, "default/robot-token", (each) => (each?.data?.["token"] ?? "") !== "");
    expect(atob(secret!.data!["namespace"]!)).toBe("default");
  });

  it("goes if its ServiceAccount doesn't exist, or is another one of this name", async () => {
    await using cluster = await start();
    await createSecret(cluster, { "kubernetes.io/service-account.name": "robot" });
    expect(await read(cluster)).toBeUndefined();
    await createSecret(cluster, {
      "kubernetes.io/service-account.name": "default",
      "kubernetes.io/service-account.uid": "00000000-0000-4000-8000-000000000000",
    });
    expect(await read(cluster)).toBeUndefined();
  });

  it("keeps data of its own, and gets what is removed", async () => {
    await using cluster = await start();
    await createSecret(cluster, { "kubernetes.io/service-account.name": "default" });
    await cluster.until(Secret, "default/robot-token", (each) => each?.data?.["token"] !== undefined);
    await cluster.client
      .resource(Secret)
      .namespace("default")
      .patch("robot-token", { type: "merge", patch: { data: { extra: "YQ==", namespace: null, "ca.crt": "YQ==" } } });
    await cluster.settled();
    expect((await read(cluster))?.data).toMatchObject({
      extra: "YQ==",
      namespace: btoa("default"),
      "ca.crt": btoa(rootCa),
    });
  });
});
