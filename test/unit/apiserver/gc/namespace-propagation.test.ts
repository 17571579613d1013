import { expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

interface Namespace {
  readonly metadata: { readonly finalizers?: readonly string[] };
  readonly status: { readonly phase: string };
}

it.each([
  ["", undefined],
  ["?propagationPolicy=Background", undefined],
  ["?propagationPolicy=Orphan", ["orphan"]],
  ["?propagationPolicy=Foreground", ["foregroundDeletion"]],
  ["?orphanDependents=true", ["orphan"]],
])('namespace deleted with query "%s" waits for the garbage collector and is removed', async (query, finalizers) => {
  for (const controllers of [false, {}] as const) {
    const server = createApiServer({ controllers });
    const ask = (method: string, path: string, body?: object) => sendJson<Namespace>(server, { method, path, body });
    await ask("POST", "/api/v1/namespaces", { metadata: { name: "n" } });
    await ask("POST", "/api/v1/namespaces/n/configmaps", { metadata: { name: "c" } });
    const { body: deleted } = await ask("DELETE", `/api/v1/namespaces/n${query}`);
    expect([deleted.metadata.finalizers, deleted.status.phase]).toEqual([finalizers, "Terminating"]);
    await server.settled();
    expect((await ask("GET", "/api/v1/namespaces/n")).status).toBe(controllers === false ? 200 : 404);
    await server.close();
  }
});
