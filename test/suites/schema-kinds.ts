import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { waitFor } from "../../src/cache/informer/wait-for.js";
import { getCell } from "../../src/client/resource/table-view.js";
import { isInvalid } from "../../src/errors/predicates.js";
import { CustomResourceDefinition } from "../../src/kinds/apiextensions/v1.js";
import { defineKindFromSchema } from "../../src/objects/schema/define-kind-from-schema.js";
import { validateObject } from "../../src/objects/validate-object.js";
import { clientOf, freshNamespace } from "./clients.js";
import type { Target } from "./target.js";

const port = z.union([z.int(), z.string()]);
const Cache = defineKindFromSchema({
  group: `schemas-${process.pid.toString(36)}-${Date.now().toString(36)}.example.com`,
  version: "v1",
  kind: "Cache",
  plural: "caches",
  scope: "Namespaced",
  scale: true,
  scalePaths: { labelSelectorPath: ".status.selector" },
  shortNames: ["ch"],
  categories: ["all"],
  columns: [{ name: "Engine", type: "string", jsonPath: ".spec.engine" }],
  rules: {
    spec: [{ rule: "self.replicas <= 9 || self.engine != 'small'", message: "small caches have at most 9 replicas" }],
    "spec.zones[]": [{ rule: "self != 'nowhere'" }],
  },
  schema: z.object({
    spec: z
      .object({
        engine: z.enum(["small", "large"]).default("small"),
        replicas: z.int().min(0).default(1),
        memory: z.string().regex(/^\d+Mi$/),
        zones: z.array(z.string().max(20)).max(5).optional(),
        port: port.optional(),
        note: z.string().nullable().optional(),
        labels: z
          .record(
            z
              .string()
              .regex(/^[a-z]+$/)
              .max(10),
            z.string(),
          )
          .meta({ maxProperties: 8 })
          .optional(),
        contact: z.email().optional(),
        since: z.iso.datetime().optional(),
        weight: z.number().gt(0).optional(),
        raw: z.looseObject({}).optional(),
        anything: z.unknown().optional(),
        backend: z
          .discriminatedUnion("type", [
            z.object({ type: z.literal("disk"), path: z.string() }),
            z.object({ type: z.literal("bucket"), bucket: z.string(), region: z.string().optional() }),
          ])
          .optional(),
        owner: z.intersection(z.object({ team: z.string() }), z.object({ floor: z.int().optional() })).optional(),
        tags: z.array(z.string()).meta({ "x-kubernetes-list-type": "set" }).optional(),
      })
      .meta({ description: "Desired state.", "x-kubernetes-validations": [{ rule: "self.memory == oldSelf.memory" }] }),
    status: z.object({ replicas: z.int().optional(), selector: z.string().optional() }).optional(),
  }),
});

/** A kind whose definition was made from a validator. */
export function schemaKindsSuite(target: Target): void {
  describe("a kind from a validator", () => {
    it("is defined, served, defaulted and validated by the API server", { timeout: 120_000 }, async () => {
      const client = await clientOf(target);
      const namespace = await freshNamespace(client);
      const definitions = client.resource(CustomResourceDefinition);
      await definitions.create(Cache.definition);
      try {
        const isServed = (object: unknown): boolean =>
          (object as CustomResourceDefinition | undefined)?.status?.conditions?.some(
            ({ type, status }) => type === "Established" && status === "True",
          ) ?? false;
        const { metadata, status } = (await waitFor(definitions, Cache.definition.metadata!.name!, isServed, {
          timeoutMs: 60_000,
        }))!;
        // The schema is structural if nothing is listed as a violation.
        expect(status?.conditions?.map(({ type }) => type)).not.toContain("NonStructuralSchema");
        expect(metadata?.name).toBe(`caches.${Cache.group}`);
        const caches = client.resource(Cache).namespace(namespace);
        const spec = {
          memory: "64Mi",
          port: "http",
          note: null,
          labels: { tier: "web" },
          contact: "a@example.com",
          since: "2026-01-02T03:04:05Z",
          weight: 0.5,
          raw: { x: { y: [1] } },
          anything: [true],
          backend: { type: "disk" as const, path: "/data" },
          owner: { team: "web", floor: 3 },
          tags: ["a", "b"],
        };
        await vi.waitFor(() => caches.create({ metadata: { name: "a" }, spec }), { timeout: 30_000 });
        const stored = await caches.get("a");
        expect(stored.spec).toEqual({ ...spec, engine: "small", replicas: 1 });
        expect((await validateObject(Cache, stored)).spec.replicas).toBe(1);

        const refused: readonly [object, string][] = [
          [{ memory: "64" }, "spec.memory"],
          [{ replicas: 10 }, "small caches have at most 9 replicas"],
          [{ engine: "huge" }, "spec.engine"],
          [{ zones: ["nowhere"] }, "self != 'nowhere'"],
          [{ labels: { UPPER: "x" } }, "a key is not valid"],
          [{ contact: "nobody" }, "spec.contact"],
          [{ weight: 0 }, "spec.weight"],
          [{ backend: { type: "disk" } }, "spec.backend"],
          [{ backend: { type: "tape" } }, "spec.backend"],
          [{ owner: { floor: 1 } }, "spec.owner.team"],
          [{ tags: ["a", "a"] }, "spec.tags"],
          [{ port: true }, "spec.port"],
        ];
        for (const [change, problem] of refused) {
          const error = await caches
            .create({ metadata: { name: "b" }, spec: { ...spec, ...change } })
            .catch((thrown: unknown) => thrown);
          expect(isInvalid(error), `${problem}: ${String(error)}`).toBe(true);
          expect((error as Error).message).toContain(problem);
        }
        await expect(caches.patch("a", { type: "merge", patch: { spec: { memory: "1Mi" } } })).rejects.toThrow(
          "self.memory == oldSelf.memory",
        );

        await caches.subresource("scale").patch("a", { type: "merge", patch: { spec: { replicas: 4 } } });
        await caches.subresource("status").patch("a", { type: "merge", patch: { status: { replicas: 2 } } });
        expect(await caches.get("a")).toMatchObject({ spec: { replicas: 4 }, status: { replicas: 2 } });
        const { items } = await caches.asTable().list();
        expect(items.map((item) => getCell(item, "Engine"))).toEqual(["small"]);
      } finally {
        await definitions.delete(Cache.definition.metadata!.name!);
        await client.close();
      }
    });
  });
}
