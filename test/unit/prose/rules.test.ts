import { describe, expect, it } from "vitest";
import { checkPage, checkSource } from "../../prose/prose.js";
import { checkDocComment, checkText } from "../../prose/rules.js";

describe("prose rules", () => {
  it.each([
    ["What became of an object."],
    ["Whether the cache is synced."],
    ["How the cache is filled."],
    ["Returns the rest. What is left goes."],
    ["Returns the URL; it is no URL without a host."],
    ["Is told of changes."],
    ["Fields beside the metadata."],
    ["Quantities, as `500m`."],
  ])("refuse the doc comment %j", (comment) => {
    expect(checkDocComment(comment)).not.toEqual([]);
  });

  it.each([
    ["Options for `createInformer`."],
    ["Returns the object, or `undefined` if the cache doesn't hold it."],
    ["How long a lease must go unrenewed before another candidate may take it, in ms."],
    ["True if the watch is no longer running."],
    ["Quantities, such as `500m`."],
    ['Message of the server, such as "is none of ours".'],
  ])("accept the doc comment %j", (comment) => {
    expect(checkDocComment(comment)).toEqual([]);
  });

  it("leave code spans alone", () => {
    expect(checkText("Calls `tell(nobody)`.")).toEqual([]);
  });
});

it("the prose check finds comments, thrown messages and test titles with their lines", () => {
  const source = [
    "/** What it holds. */",
    "export const held = 1;",
    "// Nobody",
    "// reads it.",
    "throw new TypeError(`${held} is no number`);",
    'it("tells of changes", () => {});',
  ].join("\n");
  expect(checkSource("a.ts", source).map(({ line, text }) => [line, text])).toEqual([
    [1, "What"],
    [3, "Nobody"],
    [5, "is no"],
    [6, "tells"],
  ]);
});

it("the prose check reads Markdown outside of code blocks", () => {
  const page = ["# Whoever reads", "", "```ts", "tell(nobody);", "```", "It is none."].join("\n");
  expect(checkPage("a.md", page).map(({ line }) => line)).toEqual([1, 1, 6]);
});
