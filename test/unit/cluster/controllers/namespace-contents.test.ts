import { expect, it } from "vitest";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { ConfigMap } from "../../../../src/kinds/core/v1.js";

it("kube-root-ca.crt has the authority and a description, which come back after a change", async () => {
  await using cluster = await createCluster({
    nodes: 0,
    time: "virtual",
    seed: 1,
    controllers: ["root-ca-certificate-publisher"],
    server: { rootCa: "PEM" },
  });
  const maps = cluster.client.resource(ConfigMap).namespace("default");
  const read = async () => {
    await cluster.settled();
    const { metadata, data } = await maps.get("kube-root-ca.crt");
    return { annotations: metadata?.annotations, data };
  };
  const original = await read();
  expect(original.data).toEqual({ "ca.crt": "PEM" });
  expect(original.annotations?.["kubernetes.io/description"]).toContain("CA bundle");
  const annotations = { "kubernetes.io/description": null, own: "text" };
  await maps.patch("kube-root-ca.crt", { type: "merge", patch: { metadata: { annotations }, data: { more: "x" } } });
  expect(await read()).toEqual({ ...original, annotations: { ...original.annotations, own: "text" } });
});
