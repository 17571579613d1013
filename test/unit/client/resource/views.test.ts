import { describe, expect, it } from "vitest";
import { pod, setup } from "./resource-setup.js";

describe("views", () => {
  it("metadataOnly requests metadata and strips whole objects", async () => {
    const s = setup(
      {
        body: {
          kind: "PodList",
          apiVersion: "v1",
          metadata: { resourceVersion: "9" },
          items: [{ metadata: { name: "a" }, spec: {} }],
        },
      },
      { body: pod },
      { body: `${JSON.stringify({ type: "ADDED", object: pod })}\n` },
    );
    const view = s.pods.metadataOnly();
    expect(await view.list()).toMatchObject({
      kind: "PartialObjectMetadataList",
      items: [{ kind: "PartialObjectMetadata", metadata: { name: "a" } }],
    });
    expect(await view.get("a")).toEqual({
      apiVersion: "meta.k8s.io/v1",
      kind: "PartialObjectMetadata",
      metadata: pod.metadata,
    });
    const watch = view.watch();
    expect((await watch.next()).value).toMatchObject({ object: { kind: "PartialObjectMetadata" } });
    await watch.return();
    expect(s.transport.requests.map((r) => r.headers["accept"])).toEqual([
      "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json;q=0.9",
      "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json;q=0.9",
      "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json;q=0.9",
    ]);
  });

  const columnDefinitions = [{ name: "Name", type: "string", format: "name", description: "", priority: 0 }];
  const table = (name: string, columns: unknown = columnDefinitions): object => ({
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: { resourceVersion: "3", continue: "" },
    columnDefinitions: columns,
    rows: [{ cells: [name], object: { kind: "PartialObjectMetadata", metadata: { name, resourceVersion: "2" } } }],
  });

  it("asTable reads tables and converts plain objects", async () => {
    const s = setup(
      { body: table("a") },
      { body: { ...table("a"), rows: null } },
      { body: { kind: "PodList", metadata: {}, items: [pod] } },
    );
    const view = s.pods.asTable({ includeObject: "Object" });
    const list = await view.list();
    expect(list.items[0]).toMatchObject({ cells: ["a"], metadata: { name: "a" }, columns: columnDefinitions });
    expect((await view.get("a")).rows).toEqual([]);
    expect((await view.list()).items[0]).toMatchObject({ cells: ["a", null], metadata: { name: "a" } });
    expect(s.transport.requests[0]!.path).toBe("/api/v1/namespaces/apps/pods?includeObject=Object");
    expect(s.transport.requests[0]!.headers["accept"]).toMatch(/as=Table;v=v1;g=meta.k8s.io/);
  });

  it("asTable gives every watched row the columns of the first event", async () => {
    const lines = [
      { type: "ADDED", object: table("a") },
      { type: "MODIFIED", object: table("b", null) },
      { type: "BOOKMARK", object: table("", null) },
    ]
      .map((e) => `${JSON.stringify(e)}\n`)
      .join("");
    const s = setup({ body: lines });
    const events: unknown[] = [];
    for await (const e of s.pods.asTable({ includeObject: "Object" }).watch()) events.push(e);
    expect(s.transport.requests[0]!.path).toBe("/api/v1/namespaces/apps/pods?watch=1&includeObject=Object");
    expect(events).toMatchObject([
      { object: { cells: ["a"], columns: columnDefinitions } },
      { object: { cells: ["b"], columns: columnDefinitions, metadata: { name: "b" } } },
      { type: "BOOKMARK", object: { metadata: { resourceVersion: "2" } } },
    ]);
  });
});
