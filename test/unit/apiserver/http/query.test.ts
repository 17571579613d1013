import { describe, expect, it } from "vitest";
import { encodeQuery, escapePath, parseQuery } from "../../../../src/apiserver/http/query.js";

// As a kube-apiserver passes requests on; the differential test of aggregation sends the same ones.
describe("the path and query of a request that is passed on", () => {
  it.each([
    ["/a/b", "/a/b"],
    ["/A (x)!*'~;,:@&=+$é", "/A%20%28x%29%21%2A%27~;,:@&=+$%C3%A9"],
    ["/what?#%", "/what%3F%23%25"],
  ])("the decoded path %s is encoded as %s", (path, encoded) => {
    expect(escapePath(path)).toBe(encoded);
  });

  it.each([
    ["", ""],
    ["b=1&a=%2F&a=(x)+y~*&b=0&c&=d", "=d&a=%2F&a=%28x%29+y~%2A&b=1&b=0&c="],
    ["a=1;b=2&c=%zz&d=%C3%A9", "d=%C3%A9"],
  ])("the query %s is encoded as %s", (query, encoded) => {
    expect(encodeQuery(parseQuery(query))).toBe(encoded);
  });
});
