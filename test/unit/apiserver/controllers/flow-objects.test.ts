import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { revisedBootstrapObject } from "../../../../src/apiserver/flowcontrol/bootstrap-revision.js";
import type { ApiObject } from "../../../../src/apiserver/objects/api-object.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.js";

const AUTO_UPDATE = "apf.kubernetes.io/autoupdate-spec";
const base = "/apis/flowcontrol.apiserver.k8s.io/v1";
let clock: VirtualClock;
let server: ApiServer;
beforeEach(() => {
  clock = createVirtualClock();
  server = createApiServer({ clock, controllers: false });
});
afterEach(() => server.close());

async function call(method: string, path: string, body?: object): Promise<{ code: number; object: ApiObject }> {
  const response = await sendJson<ApiObject>(server, { method, path: `${base}/${path}`, body });
  return { code: response.status, object: response.body };
}
const minute = async (): Promise<void> => {
  await clock.advance(60_000);
  await server.settled();
};

describe("the objects of API Priority and Fairness", () => {
  it.each(["flowschemas/catch-all", "flowschemas/service-accounts", "prioritylevelconfigurations/workload-low"])(
    "come back within a minute after they were deleted: %s",
    async (path) => {
      const before = (await call("GET", path)).object;
      expect((await call("DELETE", path)).code).toBe(200);
      expect((await call("GET", path)).code).toBe(404);
      await minute();
      const after = (await call("GET", path)).object;
      expect(after["spec"]).toEqual(before["spec"]);
      expect(after.metadata).toMatchObject({ generation: 1, annotations: { [AUTO_UPDATE]: "true" } });
      expect(after.metadata!.uid).not.toBe(before.metadata!.uid);
    },
  );

  it.each(["flowschemas/catch-all", "prioritylevelconfigurations/catch-all"])(
    "keep their metadata when their status is written: %s",
    async (path) => {
      const { uid } = (await call("GET", path)).object.metadata!;
      const metadata = {
        uid: "x",
        generateName: "x-",
        deletionGracePeriodSeconds: 3,
        selfLink: "x",
        labels: { a: "b" },
      };
      const { code, object } = await call("PATCH", `${path}/status`, { metadata });
      expect([code, object.metadata!.uid]).toEqual([200, uid]);
      for (const name of ["generateName", "deletionGracePeriodSeconds", "selfLink", "labels"])
        expect(object.metadata).not.toHaveProperty(name);
    },
  );

  it("restores the spec of a suggested object whose annotation is true, and keeps one that is false", async () => {
    const path = "flowschemas/global-default";
    const change = { spec: { matchingPrecedence: 9800 } };
    await call("PATCH", path, change);
    await minute();
    expect((await call("GET", path)).object["spec"]).toMatchObject({ matchingPrecedence: 9900 });
    await call("PATCH", path, { ...change, metadata: { annotations: { [AUTO_UPDATE]: "false" } } });
    await minute();
    expect((await call("GET", path)).object["spec"]).toMatchObject({ matchingPrecedence: 9800 });
  });

  it("sets a missing annotation by the generation", async () => {
    const remove = { metadata: { annotations: { [AUTO_UPDATE]: null } } };
    await call("PATCH", "flowschemas/service-accounts", remove);
    await call("PATCH", "flowschemas/probes", { ...remove, spec: { matchingPrecedence: 3 } });
    await minute();
    const annotation = async (path: string): Promise<unknown> =>
      (await call("GET", path)).object.metadata?.annotations?.[AUTO_UPDATE];
    expect(await annotation("flowschemas/service-accounts")).toBe("true");
    expect(await annotation("flowschemas/probes")).toBe("false");
  });

  it("are removed if they are annotated but not prescribed", async () => {
    const { spec } = (await call("GET", "flowschemas/global-default")).object;
    const create = (name: string, annotations: Record<string, string>): Promise<unknown> =>
      call("POST", "flowschemas", { metadata: { name, annotations }, spec });
    await create("old", { [AUTO_UPDATE]: "true" });
    await create("kept", { [AUTO_UPDATE]: "false" });
    await create("own", {});
    await minute();
    const codes = await Promise.all(["old", "kept", "own"].map((name) => call("GET", `flowschemas/${name}`)));
    expect(codes.map(({ code }) => code)).toEqual([404, 200, 200]);
  });

  it("refuse changes to a mandatory spec, except to the shares of the exempt level", async () => {
    expect((await call("PATCH", "flowschemas/catch-all", { spec: { matchingPrecedence: 9999 } })).code).toBe(422);
    const shares = { spec: { exempt: { nominalConcurrencyShares: 7 } } };
    expect((await call("PATCH", "prioritylevelconfigurations/exempt", shares)).code).toBe(200);
    await minute();
    const { object } = await call("GET", "prioritylevelconfigurations/exempt");
    expect(object["spec"]).toMatchObject(shares.spec);
  });
});

it("a table of FlowSchemas is ordered by precedence, a list by name", async () => {
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const read = async (headers: HeadersInit): Promise<unknown> =>
    await (await server.handle(new Request(`http://server${base}/flowschemas`, { headers }))).json();
  const table = (await read({ accept })) as { rows: { cells: [name: string, level: string, precedence: number] }[] };
  const precedences = table.rows.map(({ cells }) => cells[2]);
  expect(precedences).toEqual([...precedences].sort((a, b) => a - b));
  const names = ((await read({})) as { items: ApiObject[] }).items.map(({ metadata }) => metadata!.name!);
  expect(names).toEqual([...names].sort());
  expect(table.rows.map(({ cells }) => cells[0])).not.toEqual(names);
});

describe("revisedBootstrapObject", () => {
  const wanted = { metadata: { name: "x" }, spec: { matchingPrecedence: 1 } } as ApiObject;
  const stored = (annotation: string | undefined, generation: number, matchingPrecedence: number): ApiObject => ({
    metadata: {
      name: "x",
      generation,
      ...(annotation !== undefined && { annotations: { [AUTO_UPDATE]: annotation } }),
    },
    spec: { matchingPrecedence },
  });
  it.each([
    ["true", 5, 1, undefined],
    ["T", 5, 2, ["true", 1]],
    ["0", 1, 2, undefined],
    ["maybe", 1, 2, ["true", 1]],
    ["maybe", 2, 2, ["false", 2]],
    [undefined, 1, 1, ["true", 1]],
  ] as const)(
    "with annotation %s, generation %i and precedence %i gives %j",
    (annotation, generation, precedence, result) => {
      const revised = revisedBootstrapObject(stored(annotation, generation, precedence), wanted);
      const spec = revised?.["spec"] as { matchingPrecedence: number } | undefined;
      expect(spec && [revised?.metadata?.annotations?.[AUTO_UPDATE], spec.matchingPrecedence]).toEqual(result);
    },
  );
});
