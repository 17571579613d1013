// Errors of kube-apiserver 1.36 for new objects: volume kinds replaced by CSI drivers, and null lists.
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { causeSet } from "../../../support/outcome.js";

const recorded = JSON.parse(readFileSync(new URL("refused-creates.json", import.meta.url), "utf8")) as [
  path: string,
  object: { spec: { volumes?: unknown[] } },
  causes: string[],
][];
const server = createApiServer({ controllers: false });
afterAll(() => server.close());

describe("rejected creates", () => {
  it.each(
    recorded.map(
      ([path, object, causes]) =>
        [JSON.stringify(object.spec.volumes?.[0] ?? object.spec), path, object, causes] as const,
    ),
  )("%s", async (_name, path, object, causes) => {
    const response = await server.handle(
      new Request(`http://server${path}?dryRun=All`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(object),
      }),
    );
    const { details } = (await response.json()) as { details?: { causes?: { field: string; message: string }[] } };
    expect(response.status).toBe(422);
    expect(causeSet((details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`))).toEqual(
      causeSet(causes),
    );
  });
});
