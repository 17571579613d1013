import { expect, it } from "vitest";
import { createApiServer } from "../../../src/apiserver/server.js";
import { createRandom } from "../../../src/cluster/time/random.js";
import { sendJson } from "../../support/send-json.js";
import { createVirtualClock } from "../../support/virtual-clock.js";

async function created(seed: number): Promise<{ name: string; uid: string }> {
  const server = createApiServer({ clock: createVirtualClock(), random: createRandom(seed) });
  const path = "/api/v1/namespaces";
  const { body } = await sendJson<{ metadata: { name: string; uid: string } }>(server, {
    method: "POST",
    path,
    body: { metadata: { generateName: "team-" } },
  });
  await server.close();
  return body.metadata;
}

it("the embedded server generates the same names and UIDs from the same source of randomness", async () => {
  const [first, second, other] = await Promise.all([created(1), created(1), created(2)]);
  expect(second).toEqual(first);
  expect(other.uid).not.toBe(first!.uid);
  expect(first!.name).toMatch(/^team-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  expect(first!.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
