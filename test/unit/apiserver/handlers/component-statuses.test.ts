// Representations and errors were recorded from kube-apiserver 1.36.
import { describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";

const path = "/api/v1/componentstatuses";

interface Answer extends Record<string, unknown> {
  items?: { metadata: { name: string }; conditions: { status: string; message: string }[] }[];
}

async function get(toggles: { rootCaConfigMap: boolean } | false | undefined, target: string): Promise<Answer> {
  await using server = createApiServer(toggles === undefined ? {} : { controllers: toggles });
  return (await (await server.handle(new Request(`http://server${target}`))).json()) as Answer;
}

const allOff = {
  namespaceLifecycle: false,
  garbageCollection: false,
  defaultServiceAccount: false,
  rootCaConfigMap: false,
  validatingAdmissionPolicyStatus: false,
};
const healthy = { type: "Healthy", status: "True", message: "ok" };

describe("GET of componentstatuses", () => {
  it.each([
    ["all controllers", undefined, "True"],
    ["one controller", { ...allOff, rootCaConfigMap: true }, "True"],
    ["no controllers", allOff, "False"],
    ["no controllers", false, "False"],
  ] as const)("shows which components run with %s", async (_title, toggles, controllers) => {
    const { kind, metadata, items } = await get(toggles, path);
    expect([kind, metadata]).toEqual(["ComponentStatusList", {}]);
    expect(items!.map((item) => [item.metadata, item.conditions[0]!.status])).toEqual([
      [{ name: "scheduler" }, "False"],
      [{ name: "controller-manager" }, controllers],
      [{ name: "etcd-0" }, "True"],
    ]);
  });

  it.each([
    ["/etcd-0", { kind: "ComponentStatus", apiVersion: "v1", metadata: { name: "etcd-0" }, conditions: [healthy] }],
    ["/x", { code: 404, message: 'componentstatus "x" not found', details: { name: "x", kind: "componentstatus" } }],
    ["?watch=1", { code: 405, message: 'watch is not supported on resources of kind "componentstatuses"' }],
    ["?fieldSelector=metadata.name%3Detcd-0", { items: [{ metadata: { name: "etcd-0" }, conditions: [healthy] }] }],
    ["?labelSelector=a%3Db", { items: [] }],
  ])("with path or query %j", async (rest, expected) => {
    expect(await get(false, path + rest)).toMatchObject(expected);
  });
});
