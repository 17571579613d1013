import { describe, expect, it } from "vitest";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import { findImageNameProblem } from "../../../../src/cluster/nodes/containers/image-name.js";
import { Event, Pod } from "../../../../src/kinds/core/v1.js";

const digest = `sha256:${"0123456789abcdef".repeat(4)}`;

describe("name of an image", () => {
  it.each([
    "web",
    "web:1",
    "team/web_app:V1.2-rc.1",
    "a__b/c--d",
    "localhost/web",
    "localhost:5000/web:1",
    "Registry/web",
    "registry.k8s.io/pause:3.10",
    `web@${digest}`,
    `ghcr.io/team/web:1@${digest}`,
  ])("%j is valid", (image) => expect(findImageNameProblem(image)).toBeUndefined());

  it.each([
    ["Web:1", "invalid reference format: repository name (library/Web) must be lowercase"],
    ["team/Web", "invalid reference format: repository name (team/Web) must be lowercase"],
    ["web app", "invalid reference format"],
    ["web:", "invalid reference format"],
    ["web:1:2", "invalid reference format"],
    ["a..b", "invalid reference format"],
    ["web@sha256:12", "invalid reference format"],
    ["https://registry.test/web", "invalid reference format"],
  ])("%j is refused", (image, problem) => expect(findImageNameProblem(image)).toBe(problem));

  it("stops a container as on a kubelet until it's corrected", async () => {
    await using cluster = await createCluster({ time: "virtual", seed: 1, controllers: [] });
    const pods = cluster.client.resource(Pod).namespace("default");
    await pods.create({ metadata: { name: "web" }, spec: { containers: [{ name: "main", image: "Web" }] } });
    await cluster.settled();
    const message =
      'Failed to apply default image tag "Web": couldn\'t parse image name "Web": invalid reference format: ' +
      "repository name (library/Web) must be lowercase";
    expect((await pods.get("web")).status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: "InvalidImageName",
      message,
    });
    const { items } = await cluster.client.resource(Event).namespace("default").list();
    expect(items.map(({ type, reason, message }) => [type, reason, message])).toContainEqual([
      "Warning",
      "InspectFailed",
      message,
    ]);
    await pods.update("web", (pod) => {
      pod.spec!.containers[0]!.image = "web";
    });
    await cluster.advance("10s");
    expect((await pods.get("web")).status?.phase).toBe("Running");
  });
});
