import { describe, expect, it } from "vitest";
import { matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector } from "../../../src/meta/selectors.js";

describe("label selectors", () => {
  it.each([
    ["", {}, true],
    ["app=web", { app: "web" }, true],
    ["app==web", { app: "web" }, true],
    ["app=web", {}, false],
    ["app!=web", { app: "web" }, false],
    ["app!=web", {}, true],
    ["app in (a, b)", { app: "b" }, true],
    ["app in (a,b)", {}, false],
    ["app notin (a,b)", {}, true],
    ["app notin (a,b)", { app: "a" }, false],
    ["app", { app: "" }, true],
    ["!app", { app: "" }, false],
    ["! app", {}, true],
    ["app=", { app: "" }, true],
    ["weight>3", { weight: "4" }, true],
    ["weight<3", { weight: "4" }, false],
    ["weight>3", { weight: "x" }, false],
    ["weight>3", {}, false],
    [" a = 1 , b!=2,c in (x) ", { a: "1", c: "x" }, true],
    ["example.com/app=web", { "example.com/app": "web" }, true],
    ["constructor", {}, false],
    ["!__proto__x", {}, true],
  ])("%j on labels %j is %s", (selector, labels, expected) => {
    const parse = (): boolean => matchesLabels(parseLabelSelector(selector), labels as Record<string, string>);
    if (selector.includes("__proto__")) expect(parse).toThrow(TypeError);
    else expect(parse()).toBe(expected);
  });
  it.each(["a=b=c", "a in b", "a in (b", ",", "a,,b", "=b", "a>x", "!a=b", "a b"])("parser rejects %j", (selector) =>
    expect(() => parseLabelSelector(selector)).toThrow(/label selector .*: invalid requirement/),
  );
});

describe("field selectors", () => {
  const pod = { metadata: { name: "a,b=c" }, status: { phase: "Running", restarts: 3 }, spec: {} };
  it.each([
    ["", true],
    ["status.phase=Running", true],
    ["status.phase==Running", true],
    ["status.phase!=Running", false],
    ["spec.nodeName=", true],
    ["spec.nodeName!=", false],
    ["metadata.name=a\\,b\\=c", true],
    ["status.restarts=3", true],
    ["spec=x", false],
    ["status.phase=Running,spec.nodeName=", true],
    ["constructor.name=", true],
  ])("%j on a running pod is %s", (selector, expected) =>
    expect(matchesFields(parseFieldSelector(selector), pod)).toBe(expected),
  );
  it.each(["status.phase", "=x", "a=b=c"])("parser rejects %j", (selector) =>
    expect(() => parseFieldSelector(selector)).toThrow(/field selector/),
  );
});
