import { describe, expect, it } from "vitest";
import { formatPlan } from "../../../src/manifests/format-plan.js";
import { apply, deployment, map, object, plan } from "./make-plan.js";
import { withServer } from "./manifest-server.js";

describe("formatPlan", () => {
  it("prints a line for each object, the changed fields and a summary", () =>
    withServer(async (client) => {
      await apply(client, [map("a"), map("same")]);
      await apply(client, [deployment("shop:1", 2)], { fieldManager: "autoscaler" });
      const text = formatPlan(
        await plan(client, [
          map("a", { b: "2" }),
          map("b"),
          map("same"),
          deployment("shop:1", 5),
          object("Site", "home", {}, "example.com/v1"),
        ]),
      );
      expect(text.split("\n")).toEqual([
        "~ ConfigMap web/a",
        `  - .data.a: "1"  (owned by deployer)`,
        `  + .data.b: "2"`,
        "+ ConfigMap web/b",
        `! Deployment web/shop (conflict): Apply failed with 1 conflict: conflict with "autoscaler": .spec.replicas`,
        "  - .spec.replicas: 2  (conflict, owned by autoscaler)",
        "  + .spec.replicas: 5",
        "! Site home (missingKind): the server doesn't serve kind Site in example.com/v1",
        "1 to create, 1 to change, 1 unchanged, 2 refused",
      ]);
    }));
});
