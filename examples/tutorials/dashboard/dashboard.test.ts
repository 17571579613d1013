import type { AddressInfo } from "node:net";
import { createClient, handlerTransport } from "kubestream";
import { createApiServer } from "kubestream/apiserver";
import { Pod } from "kubestream/kinds/core/v1";
import { expect, it } from "vitest";
import { createDashboard, type Summary } from "./dashboard.js";

it("sends a summary at once and after each change", async () => {
  const server = createApiServer();
  const client = createClient({ transport: handlerTransport(server.handle) });
  const pods = client.resource(Pod).namespace("default");
  const spec = { containers: [{ name: "main", image: "web:1" }] };
  await pods.create({ metadata: { name: "web-0" }, spec });

  const dashboard = createDashboard(client.resource(Pod));
  await new Promise<void>((resolve) => dashboard.server.listen(0, resolve));
  const { port } = dashboard.server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/events`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const next = async (): Promise<Summary[]> => {
    const { value = "" } = await reader.read();
    return JSON.parse(value.slice("data: ".length)) as Summary[];
  };

  expect(await next()).toEqual([{ namespace: "default", phases: { Pending: 1 } }]);
  await pods.subresource("status").patch("web-0", { type: "merge", patch: { status: { phase: "Running" } } });
  expect(await next()).toEqual([{ namespace: "default", phases: { Running: 1 } }]);

  await reader.cancel();
  await dashboard.close();
  await client.close();
  await server.close();
});
