import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/client.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { applyPlan } from "../../../src/manifests/apply-plan.js";
import type { ManifestPlan } from "../../../src/manifests/plan.js";
import { handlerTransport } from "../../../src/transport/handler.js";
import { apply, map, object, options, plan } from "./make-plan.js";
import type { TestClient } from "./manifest-server.js";
import { withServer } from "./manifest-server.js";

describe("applyPlan", () => {
  it("applies a plan that another process stored as JSON", () =>
    withServer(async (client) => {
      await apply(client, [map("a")]);
      const manifests = [map("a", { a: "2" }), map("b")];
      const stored = JSON.parse(JSON.stringify(await plan(client, manifests))) as ManifestPlan;
      await expect(applyPlan(client, stored, options)).rejects.toThrow("applyPlan: options.manifests is required");
      const outcomes = await applyPlan(client, stored, { ...options, manifests: manifests as never[] });
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(["applied", "created"]);
    }));

  it.each<[string, (client: TestClient) => Promise<unknown>, string[]]>([
    ["the planned field was changed", (client) => apply(client, [map("a", { a: "3" })]), ["ConfigMap web/a"]],
    ["an object was deleted", (client) => client.resource(ConfigMap).namespace("web").delete("a"), ["ConfigMap web/a"]],
    ["an object to create exists", (client) => apply(client, [map("b")]), ["ConfigMap web/b"]],
    [
      "a Secret was changed",
      (client) => apply(client, [object("Secret", "s", { data: { a: "Yw==" } })]),
      ["Secret web/s"],
    ],
  ])("writes nothing and rejects with a StalePlanError if %s", (_title, change, objects) =>
    withServer(async (client, api) => {
      await apply(client, [map("a"), object("Secret", "s", { data: { a: "YQ==" } })]);
      const planned = await plan(client, [
        map("a", { a: "2" }),
        map("b"),
        object("Secret", "s", { data: { a: "Yg==" } }),
      ]);
      await change(client);
      const before = api.dump();
      await expect(applyPlan(client, planned, { fieldManager: "deployer" })).rejects.toMatchObject({
        name: "StalePlanError",
        objects,
      });
      expect(api.dump()).toEqual(before);
    }),
  );

  it("applies a plan although an unrelated field has changed, also between its check and the write", () =>
    withServer(async (client, api) => {
      await apply(client, [map("a")]);
      const planned = await plan(client, [map("a", { a: "2" })]);
      const touch = (value: string) =>
        client
          .resource(ConfigMap)
          .namespace("web")
          .patch("a", { type: "merge", patch: { data: { other: value } } });
      await touch("1");
      let writes = 0;
      const racing = createClient({
        transport: handlerTransport(async (request) => {
          if (request.method === "PATCH" && !request.url.includes("dryRun") && writes++ === 0) await touch("2");
          return api.handle(request);
        }),
      });
      const outcomes = await applyPlan(racing, planned, { fieldManager: "deployer" });
      expect(outcomes).toMatchObject([{ outcome: "applied", object: { data: { a: "2", other: "2" } } }]);
      expect(writes).toBe(2);
      await racing.close();
    }));

  it("rejects a plan with refused objects", () =>
    withServer(async (client) => {
      const planned = await plan(client, [map("a"), object("Service", "s", { spec: { ports: [{ port: 0 }] } })]);
      await expect(applyPlan(client, planned, { fieldManager: "deployer" })).rejects.toThrow(
        /^applyPlan: the server refuses Service web\/s: /,
      );
      expect(await client.resource(ConfigMap).namespace("web").getOptional("a")).toBeUndefined();
    }));
});
