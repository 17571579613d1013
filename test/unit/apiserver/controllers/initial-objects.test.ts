import { describe, expect, it } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/index.js";
import { createApiServer } from "../../../../src/apiserver/index.js";
import type { ApiObject } from "../../../../src/apiserver/objects/api-object.js";
import { sendJson } from "../../../support/send-json.js";

/** Returns the stored objects without the fields that differ from object to object. */
function contentsOf(server: ApiServer, namespace: string): ApiObject[] {
  return server.dump({ namespace, kinds: ["ConfigMap", "ServiceAccount"] }).map(({ metadata, ...object }) => {
    const { uid: _uid, resourceVersion: _version, creationTimestamp: _created, namespace: _home, ...own } = metadata!;
    return {
      metadata: { ...own, managedFields: own.managedFields?.map((entry) => ({ ...entry, time: "" })) },
      ...object,
    };
  });
}

describe("objects of a new server", () => {
  it.each([
    ["all controllers", {}],
    ["no controllers", { controllers: false }],
    ["a certificate authority", { rootCa: "{uid} {date}" }],
    ["no beta versions", { runtimeConfig: { "api/beta": false, "api/alpha": false } }],
  ] as const)("leave the controllers of a server nothing to do, with %s", async (_title, options) => {
    await using server = createApiServer(options);
    const before = server.snapshot().revision;
    server.restore(server.snapshot());
    await server.settled();
    // Restoring a snapshot takes one revision.
    expect(server.snapshot().revision).toBe(before + 1);
  });

  it("leaves a new server's namespaces with the contents that controllers give to later ones", async () => {
    await using server = createApiServer({ rootCa: "{uid} {date}" });
    const initial = contentsOf(server, "kube-public");
    const response = await sendJson(server, {
      method: "POST",
      path: "/api/v1/namespaces",
      body: { metadata: { name: "later" } },
    });
    expect(response.status).toBe(201);
    await server.settled();
    expect(contentsOf(server, "later")).toEqual(initial);
    expect(initial.map(({ kind }) => kind)).toEqual(["ConfigMap", "ServiceAccount"]);
  });

  it("stores the address of the Service `kubernetes` like that of a later Service", async () => {
    await using server = createApiServer();
    await sendJson(server, {
      method: "POST",
      path: "/api/v1/namespaces/default/services",
      body: {
        metadata: { name: "later" },
        spec: { clusterIP: "10.0.0.9", ports: [{ port: 80 }] },
      },
    });
    await server.settled();
    const [first, second] = server.dump({ kinds: ["IPAddress"] });
    const comparable = ({ metadata, ...object }: ApiObject): unknown => ({
      labels: metadata!.labels,
      managedFields: metadata!.managedFields?.map((entry) => ({ ...entry, time: "" })),
      order: Object.keys(metadata!),
      ...object,
      spec: JSON.parse(JSON.stringify(object["spec"]).replace('"later"', '"kubernetes"')) as unknown,
    });
    expect(first!.metadata!.name).toBe("10.0.0.1");
    expect(comparable(second!)).toEqual(comparable(first!));
  });
});
