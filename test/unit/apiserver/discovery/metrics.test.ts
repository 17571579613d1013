import { expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

const seatsOf = async (server: ApiServer): Promise<Record<string, string>> => {
  const text = await (await server.handle(new Request("http://server/metrics"))).text();
  return Object.fromEntries(
    [...text.matchAll(/^apiserver_flowcontrol_nominal_limit_seats\{priority_level="([^"]+)"\} (\d+)$/gm)].map(
      ([, name, seats]) => [name!, seats!],
    ),
  );
};

it("/metrics reports the seats of all priority levels, including new ones", async () => {
  // Closed with the test: a change of a level starts the server's timer that restores suggested objects.
  await using server = createApiServer({ controllers: false });
  const before = await seatsOf(server);
  expect(before).toMatchObject({ exempt: "0", system: "74" });
  const spec = { type: "Limited", limited: { nominalConcurrencyShares: 245, limitResponse: { type: "Reject" } } };
  const path = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";
  const made = await sendJson(server, { method: "POST", path, body: { metadata: { name: "mine" }, spec } });
  expect(made.status).toBe(201);
  const after = await seatsOf(server);
  expect(after["mine"]).toBe("300");
  expect(Number(after["system"])).toBeLessThan(Number(before["system"]));
});
