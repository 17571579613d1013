import { expect, it } from "vitest";
import { type FormField, getFormFields } from "../../../src/discovery/form-fields.js";
import { createOpenApi } from "../../../src/discovery/open-api.js";
import { Deployment } from "../../../src/kinds/apps/v1.js";
import { openWorld } from "../controller/world.js";

const at = (field: FormField | undefined, ...path: string[]): FormField | undefined =>
  path.reduce<FormField | undefined>(
    (parent, name) => (name === "[]" ? parent?.item() : parent?.fields().find((each) => each.name === name)),
    field,
  );

it("a form of a built-in kind has the labels, controls and defaults of its schema", async () => {
  await using world = openWorld();
  const document = await createOpenApi(world.client).document("apps/v1");
  const form = getFormFields(document!, Deployment);
  const container = at(form, "spec", "template", "spec", "containers", "[]");
  const seen = (field: FormField | undefined) => field && [field.label, field.type, field.isRequired];
  expect(seen(at(form, "spec", "replicas"))).toEqual(["Replicas", "integer", false]);
  expect(seen(at(form, "spec", "selector"))).toEqual(["Selector", "group", true]);
  expect(seen(at(form, "spec", "template", "spec", "hostPID"))).toEqual(["Host PID", "checkbox", false]);
  expect(seen(at(form, "metadata", "labels"))).toEqual(["Labels", "map", false]);
  expect(at(form, "metadata", "labels", "[]")?.type).toBe("text");
  expect(seen(at(form, "metadata", "creationTimestamp"))).toEqual(["Creation timestamp", "dateTime", false]);
  expect(at(form, "spec", "template", "spec", "containers")?.listKeys).toEqual(["name"]);
  expect(seen(at(container, "name"))).toEqual(["Name", "text", true]);
  expect(at(container, "resources", "limits", "[]")?.type).toBe("quantity");
  expect(at(container, "livenessProbe", "httpGet", "port")?.type).toBe("intOrString");
  expect(at(container, "ports", "[]", "protocol")?.defaultValue).toBe("TCP");
  expect(getFormFields(document!, { group: "apps", version: "v1", kind: "Absent" })).toBeUndefined();
});

it("a form of a custom kind has its choices, limits and rules", () => {
  const gvk = { group: "example.com", version: "v1", kind: "Backup" };
  const form = getFormFields(
    {
      components: {
        schemas: {
          Backup: {
            type: "object",
            "x-kubernetes-group-version-kind": [gvk],
            required: ["mode"],
            properties: {
              mode: { type: "string", enum: ["Full", "Diff"], default: "Full", description: "How much to copy." },
              keep: { type: "integer", minimum: 1, maximum: 30 },
              schedule: { type: "string", pattern: "^\\S+$", minLength: 1, nullable: true },
              share: { "x-kubernetes-int-or-string": true },
              free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              parent: { allOf: [{ $ref: "#/components/schemas/Backup" }], description: "Another one." },
              loop: { $ref: "#/components/schemas/Loop" },
            },
            "x-kubernetes-validations": [{ rule: "self.keep > 1", message: "keep more" }, { rule: "true" }],
          },
          Loop: { $ref: "#/components/schemas/Loop" },
        },
      },
    },
    gvk,
  );
  expect(form?.rules).toEqual(["keep more", "true"]);
  expect(at(form, "mode")).toMatchObject({
    type: "choice",
    choices: ["Full", "Diff"],
    defaultValue: "Full",
    isRequired: true,
    description: "How much to copy.",
  });
  expect(at(form, "keep")?.limits).toMatchObject({ minimum: 1, maximum: 30 });
  expect(at(form, "schedule")).toMatchObject({ isNullable: true, limits: { pattern: "^\\S+$", minLength: 1 } });
  expect(["share", "free", "loop"].map((name) => at(form, name)?.type)).toEqual(["intOrString", "any", "any"]);
  expect(at(form, "parent", "parent", "parent", "keep")?.type).toBe("integer");
  expect(at(form, "parent")?.description).toBe("Another one.");
});
