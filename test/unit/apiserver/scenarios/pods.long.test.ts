import { beforeAll, describe, expect, it } from "vitest";
import { openScenarios, pods } from "./scenario-server.js";

const { send } = openScenarios();

describe("pods", () => {
  const running = {
    metadata: { name: "r" },
    spec: {
      nodeName: "n",
      containers: [
        {
          name: "c",
          image: "i",
          resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "200m", memory: "64Mi" } },
        },
      ],
    },
  };
  const strategic = { "content-type": "application/strategic-merge-patch+json" };
  beforeAll(async () => {
    await send("POST", "/api/v1/nodes", {
      metadata: { name: "n" },
      status: { allocatable: { cpu: "1", memory: "1Gi" } },
    });
    await send("POST", pods, running);
  });

  it.each([
    [{ conditions: [{ type: "Ready", status: "True" }] }, 200],
    [{ conditions: [{ type: "not valid", status: "True" }] }, 422],
    [{ podIPs: [{ ip: "1.2.3.4" }], podIP: "1.2.3.4" }, 200],
    [{ podIPs: [{ ip: "x" }] }, 422],
    [{ podIPs: [{ ip: "1.2.3.4" }, { ip: "1.2.3.5" }] }, 422],
    [{ podIPs: [{ ip: "1.2.3.4" }, { ip: "fd00::1" }] }, 200],
    [{ hostIPs: [{ ip: "1.1.1.1" }] }, 422],
    [{ hostIP: "1.1.1.1", hostIPs: [{ ip: "1.1.1.1" }] }, 200],
    [{ nominatedNodeName: "m" }, 422],
    [{ observedGeneration: -1 }, 422],
    [{ qosClass: "Guaranteed" }, 422],
    [{ resourceClaimStatuses: [{ name: "none" }] }, 422],
    [
      {
        containerStatuses: [
          {
            name: "c",
            allocatedResourcesStatus: [{ name: "cpu", resources: [{ resourceID: "a", health: "Healthy" }] }],
          },
        ],
      },
      200,
    ],
    [{ containerStatuses: [{ name: "c", allocatedResourcesStatus: [{ name: "none" }] }] }, 422],
    [
      {
        containerStatuses: [
          { name: "c", allocatedResourcesStatus: [{ name: "cpu", resources: [{ resourceID: "a", health: "Fine" }] }] },
        ],
      },
      422,
    ],
    [{ containerStatuses: [{ name: "c", user: { linux: { uid: -1, gid: 0 } } }] }, 422],
    [{ ephemeralContainerStatuses: [{ name: "d", allocatedResourcesStatus: [{ name: "cpu" }] }] }, 422],
  ])("status %j is answered with %i", async (status, code) => {
    expect((await send("PUT", `${pods}/r/status?dryRun=All`, { ...running, status })).status).toBe(code);
  });

  it("terminated containers must not run again if the restart policy forbids it", async () => {
    const once = {
      metadata: { name: "once" },
      spec: { nodeName: "n", restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
    };
    await send("POST", pods, once);
    await send("PUT", `${pods}/once/status`, {
      ...once,
      status: { containerStatuses: [{ name: "c", state: { terminated: { exitCode: 0 } } }] },
    });
    expect(
      await send("PUT", `${pods}/once/status`, {
        ...once,
        status: { containerStatuses: [{ name: "c", state: { running: {} } }] },
      }),
    ).toMatchObject({
      status: 422,
      body: {
        message:
          'Pod "once" is invalid: status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state',
      },
    });
  });

  it.each([
    [{ requests: { cpu: "150m" } }, 200, ""],
    [
      { requests: { cpu: "300m" } },
      422,
      'spec.containers[0].resources.requests: Invalid value: "300m": must be less than or equal to cpu limit of 200m',
    ],
    [
      { requests: { cpu: "200m" } },
      422,
      'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
    ],
    [
      { requests: { "example.com/gpu": "1" }, limits: { "example.com/gpu": "1" } },
      422,
      "spec: Forbidden: only cpu and memory resources are mutable",
    ],
    [{ requests: { cpu: null } }, 422, ""],
  ])("resize to %j is answered with %i", async (resources, status, text) => {
    const answer = await send(
      "PATCH",
      `${pods}/r/resize?dryRun=All`,
      { spec: { containers: [{ name: "c", resources }] } },
      strategic,
    );
    expect(answer.status).toBe(status);
    if (text !== "") expect(answer.body.message).toBe(`Pod "r" is invalid: ${text}`);
  });

  it("existing ephemeral containers are immutable", async () => {
    const beside = (...ephemeralContainers: unknown[]): object => ({
      ...running,
      spec: { ...running.spec, ephemeralContainers },
    });
    const put = async (body: object): Promise<number> =>
      (await send("PUT", `${pods}/r/ephemeralcontainers`, body)).status;
    expect(await put(beside({ name: "d", image: "i" }))).toBe(200);
    expect(await put(beside())).toBe(422);
    expect(await put(beside({ name: "d", image: "j" }))).toBe(422);
    for (const bad of [
      { name: "c", image: "i" },
      { name: "e", image: "i", livenessProbe: {} },
      { name: "e", image: "i", resources: { limits: { cpu: "1" } } },
      { name: "e", image: "i", targetContainerName: "none" },
      { name: "e" },
    ])
      expect(await put(beside({ name: "d", image: "i" }, bad))).toBe(422);
    expect(await put(beside({ name: "d", image: "i" }, { name: "e", image: "i", targetContainerName: "c" }))).toBe(200);
  });
});
