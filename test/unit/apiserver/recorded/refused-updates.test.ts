// Errors of kube-apiserver 1.36 for changes of immutable fields.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { causeSet } from "../../../support/outcome.js";

type Json = Record<string, unknown>;

const recorded = JSON.parse(readFileSync(new URL("refused-updates.json", import.meta.url), "utf8")) as [
  path: string,
  object: Json & { metadata: { name: string } },
  patches: [patch: Json, answer: 200 | string[]][],
][];
let server: ApiServer;

async function send(
  method: string,
  path: string,
  body: unknown,
  type = "application/json",
): Promise<{ status: number; body: Json }> {
  const response = await server.handle(
    new Request(`http://server${path}`, { method, headers: { "content-type": type }, body: JSON.stringify(body) }),
  );
  return { status: response.status, body: (await response.json()) as Json };
}

beforeAll(async () => {
  server = createApiServer({ controllers: false });
  await send("POST", "/api/v1/namespaces", { metadata: { name: "ns" } });
});
afterAll(() => server.close());

describe.each(recorded)("rejected updates of %s", (path, object, patches) => {
  beforeAll(async () => {
    expect(await send("POST", path, object)).toMatchObject({ status: 201 });
  });
  afterAll(() => send("DELETE", `${path}/${object.metadata.name}?gracePeriodSeconds=0`, {}));

  it.each(patches)("%j", async (patch, answer) => {
    const { status, body } = await send(
      "PATCH",
      `${path}/${object.metadata.name}?dryRun=All`,
      patch,
      "application/merge-patch+json",
    );
    const causes = (body["details"] as { causes?: { field: string; message: string }[] } | undefined)?.causes;
    expect(
      status === 200 ? status : causeSet((causes ?? []).map(({ field, message }) => `${field}: ${message}`)),
    ).toEqual(answer === 200 ? answer : causeSet(answer));
  });
});
