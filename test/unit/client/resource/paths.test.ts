import { describe, expect, it } from "vitest";
import { formatQuery } from "../../../../src/client/call/query.js";
import { collectionPath, objectPath } from "../../../../src/client/resource/paths.js";

const pods = { group: "", version: "v1", plural: "pods" };
const roles = { group: "rbac.authorization.k8s.io", version: "v1", plural: "clusterroles" };

describe("paths", () => {
  it.each([
    [pods, undefined, "/api/v1/pods"],
    [pods, "apps", "/api/v1/namespaces/apps/pods"],
    [roles, undefined, "/apis/rbac.authorization.k8s.io/v1/clusterroles"],
  ])("collectionPath of %o in namespace %s is %s", (kind, namespace, path) =>
    expect(collectionPath(kind, namespace)).toBe(path),
  );

  it.each([
    ["web-0", undefined, "/c/web-0"],
    ["system:node", undefined, "/c/system:node"],
    ["a b?c#d", "log", "/c/a%20b%3Fc%23d/log"],
    ["é😀\n", undefined, "/c/%C3%A9%F0%9F%98%80%0A"],
    ["...", undefined, "/c/..."],
  ])("objectPath escapes the name %s", (name, sub, path) => expect(objectPath("/c", name, sub)).toBe(path));

  it.each([
    ["", "must not be empty"],
    [".", 'must not be "."'],
    ["..", 'must not be ".."'],
    ["a/b", 'must not contain "/"'],
    ["a%2fb", 'must not contain "%"'],
    ["a\ud800", "not well-formed"],
  ])("reject the name %j", (name, message) => {
    expect(() => objectPath("/c", name)).toThrow(TypeError);
    expect(() => objectPath("/c", name)).toThrow(message);
    expect(() => collectionPath(pods, name)).toThrow(message);
    expect(() => collectionPath({ ...pods, plural: name })).toThrow(message);
    expect(() => collectionPath({ ...pods, version: name })).toThrow(message);
  });

  it.each([
    [undefined, "undefined"],
    [null, "null"],
    [7, "number"],
    [{}, "object"],
  ])("reject %j as a name", (name, type) => {
    expect(() => objectPath("/c", name as unknown as string)).toThrow(`name must be a string, not ${type}`);
  });
});

describe("formatQuery", () => {
  it.each([
    [{}, ""],
    [{ a: undefined, b: "" }, ""],
    [{ limit: 5, watch: true, labelSelector: "a=b,c!=d e" }, "?limit=5&watch=true&labelSelector=a%3Db%2Cc!%3Dd%20e"],
    [{ continue: "a&b=c#+" }, "?continue=a%26b%3Dc%23%2B"],
  ])("formats %j as %s", (query, text) => expect(formatQuery(query)).toBe(text));

  it("rejects text that isn't well-formed Unicode", () =>
    expect(() => formatQuery({ labelSelector: "\udfff" })).toThrow("labelSelector is not well-formed"));
});
