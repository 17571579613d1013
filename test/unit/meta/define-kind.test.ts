import { describe, expect, it } from "vitest";
import { compareVersions } from "../../../src/meta/compare-versions.js";
import { defineKind } from "../../../src/meta/define-kind.js";
import { defineKindFromCrd } from "../../../src/meta/define-kind-from-crd.js";

const names = {
  group: "example.com",
  version: "v1",
  kind: "CronTab",
  plural: "crontabs",
  scope: "Namespaced",
} as const;

describe("defineKind", () => {
  it("returns a kind descriptor for the names", () => {
    expect(defineKind<{ cron: string }>()(names)).toEqual({ ...names, custom: true });
  });

  it("keeps the schema", () => {
    const schema = {
      "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value: value as { spec: string } }) },
    } as const;
    expect(defineKind({ ...names, schema })).toEqual({ ...names, custom: true, schema });
  });

  it.each([
    [{ group: "Example.com" }, `define kind "CronTab": group "Example.com" is not a lower-case domain name`],
    [{ group: "" }, `group "" is not`],
    [{ group: "a/../b" }, `group "a/../b" is not`],
    [{ version: "v1/x" }, `version "v1/x" is not`],
    [{ kind: "a b" }, `kind "a b" is not`],
    [{ plural: "CronTabs" }, `plural "CronTabs" is not`],
    [{ plural: ".." }, `plural ".." is not`],
  ])("rejects %o", (wrong, message) => {
    expect(() => defineKind<object>()({ ...names, ...wrong })).toThrow(TypeError);
    expect(() => defineKind<object>()({ ...names, ...wrong })).toThrow(message);
  });
});

it("compareVersions sorts versions like the server", () => {
  const ordered = ["v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"];
  expect([...ordered].reverse().sort(compareVersions)).toEqual(ordered);
});

describe("defineKindFromCrd", () => {
  const crd = {
    spec: {
      group: "example.com",
      names: { kind: "CronTab", plural: "crontabs" },
      scope: "Cluster",
      versions: [{ name: "v1" }],
    },
  } as const;

  it("takes its names from the manifest", () => {
    expect(defineKindFromCrd(crd, "v1")).toEqual({
      group: "example.com",
      version: "v1",
      kind: "CronTab",
      plural: "crontabs",
      scope: "Cluster",
      custom: true,
    });
  });

  it("rejects an unknown version", () => {
    expect(() => defineKindFromCrd(crd, "v2" as "v1")).toThrow(
      'define kind "CronTab": unknown version "v2"; available: v1',
    );
  });
});
