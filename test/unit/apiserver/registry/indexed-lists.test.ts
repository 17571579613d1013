// The pages of a kube-apiserver 1.36.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

const cached = createApiServer({ controllers: false });
const uncached = createApiServer({ controllers: false, watchCache: false });
const pods = "/api/v1/namespaces/default/pods";
const spec = { containers: [{ name: "c", image: "i" }] };

beforeAll(async () => {
  for (const server of [cached, uncached])
    for (const [index, name] of ["a", "b", "c", "d", "e", "f"].entries())
      await sendJson(server, {
        method: "POST",
        path: pods,
        body: { metadata: { name }, spec: { ...spec, nodeName: index % 2 === 0 ? "n" : "o" } },
      });
});
afterAll(async () => {
  await cached.close();
  await uncached.close();
});

/** Returns the names on each page of a list. */
async function pagesOf(server: typeof cached, query: string): Promise<string[]> {
  interface List {
    readonly metadata: { readonly continue?: string };
    readonly items: readonly { readonly metadata: { readonly name: string } }[];
  }
  const pages: string[] = [];
  let next: string | undefined;
  do {
    const path = `${pods}?${pages.length === 0 ? query : query.replace(/&resourceVersion.*/, "")}`;
    const token = next === undefined ? "" : `&continue=${encodeURIComponent(next)}`;
    const { body } = await sendJson<List>(server, { method: "GET", path: `${path}${token}` });
    pages.push(body.items.map(({ metadata }) => metadata.name).join(""));
    next = body.metadata.continue;
  } while (next !== undefined);
  return pages;
}

const node = "fieldSelector=spec.nodeName%3Dn";
it.each([
  [`limit=3&${node}`, ["ace"], ["ace", ""]],
  [`limit=2&${node}`, ["ac", "e"], ["ac", "e"]],
  [`limit=1&${node}`, ["a", "c", "e", ""], ["a", "c", "e", ""]],
  [`limit=2&${node},metadata.name!%3Da`, ["ce"], ["ce", ""]],
  [`limit=1&${node},metadata.name!%3De,metadata.name!%3Dc`, ["a", ""], ["a", ""]],
  [`limit=3&${node}&resourceVersionMatch=NotOlderThan&resourceVersion=1`, ["ace"], ["ace", ""]],
  ["limit=3&fieldSelector=spec.nodeName!%3Do", ["ace", ""], ["ace", ""]],
  ["limit=3&fieldSelector=status.phase%3DPending", ["abc", "def"], ["abc", "def"]],
])("the list %s has the pages %j, and %j without the watch cache's index", async (query, indexed, scanned) => {
  expect(await pagesOf(cached, query)).toEqual(indexed);
  expect(await pagesOf(uncached, query)).toEqual(scanned);
});
