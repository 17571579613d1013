import { expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";

it("/metrics/slis tells how often which check of health was made, and for whom", async () => {
  await using server = createApiServer({ controllers: false });
  const get = async (path: string): Promise<Response> => server.handle(new Request(`http://server${path}`));
  const start = await get("/metrics/slis");
  expect([start.status, start.headers.get("content-type")]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8; escaping=underscores",
  ]);
  expect(await start.text()).toMatch(
    /^# HELP process_start_time_seconds .*\n# TYPE process_start_time_seconds gauge\nprocess_start_time_seconds \d+(\.\d+)?\n$/,
  );
  for (const path of ["/readyz", "/readyz?exclude=ping", "/livez", "/healthz/ping"])
    expect((await get(path)).status).toBe(200);
  const lines = (await (await get("/metrics/slis")).text())
    .split("\n")
    .filter((line) => /name="(ping|shutdown)"/.test(line));
  expect(lines).toEqual([
    'kubernetes_healthcheck{name="ping",type="livez"} 1',
    'kubernetes_healthcheck{name="ping",type="readyz"} 1',
    'kubernetes_healthcheck{name="shutdown",type="readyz"} 1',
    'kubernetes_healthchecks_total{name="ping",status="success",type="livez"} 1',
    'kubernetes_healthchecks_total{name="ping",status="success",type="readyz"} 1',
    'kubernetes_healthchecks_total{name="shutdown",status="success",type="readyz"} 2',
  ]);
});
