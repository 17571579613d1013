import { afterEach, beforeEach, expect, it } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

let server: ApiServer;
beforeEach(() => {
  server = createApiServer({ controllers: false });
});
afterEach(() => server.close());

interface Answer {
  status: number;
  body: { message?: string; spec: { clusterIP: string; ports: { nodePort?: number }[] } };
}

const send = (method: string, path: string, body?: unknown): Promise<Answer> =>
  sendJson(server, { method, path: `/api/v1/namespaces/default/services${path}`, body });

const service = (name: string, spec: Record<string, unknown> = {}): unknown => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});

it("each Service gets its own address and node ports and frees them when deleted", async () => {
  const made: Answer[] = [];
  for (let index = 0; index < 200; index += 1)
    made.push(await send("POST", "", service(`s${String(index)}`, { type: "NodePort" })));
  expect(new Set(made.map(({ body }) => body.spec.clusterIP)).size).toBe(200);
  expect(new Set(made.map(({ body }) => body.spec.ports[0]!.nodePort)).size).toBe(200);
  // The first addresses come from 10.0.0.0/24, which recordings of servers with such a range expect.
  expect(made[0]!.body.spec.clusterIP).toMatch(/^10\.0\.0\.\d+$/);
  // The lowest ports stay free for requests with a fixed number.
  expect(
    made.filter(
      ({ body }) => /^10\.0\.0\.(\d|1[0-6])$/.test(body.spec.clusterIP) || body.spec.ports[0]!.nodePort! < 30086,
    ),
  ).toEqual([]);
  const { clusterIP, ports } = made[7]!.body.spec;
  const other = { type: "NodePort", ports: [{ port: 80, nodePort: ports[0]!.nodePort }] };
  const copy = service("copy", { ...other, clusterIP });
  expect(await send("POST", "", copy)).toMatchObject({
    status: 422,
    body: {
      message: `Service "copy" is invalid: spec.clusterIPs: Invalid value: ["${clusterIP}"]: failed to allocate IP ${clusterIP}: provided IP is already allocated`,
    },
  });
  expect(await send("POST", "", service("other", other))).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining("provided port is already allocated") as string },
  });
  expect((await send("DELETE", "/s7")).status).toBe(200);
  expect((await send("POST", "", copy)).status).toBe(201);
});

it("allocations follow a restored snapshot", async () => {
  const snapshot = server.snapshot();
  const first = await send("POST", "", service("a"));
  server.restore(snapshot);
  expect((await send("POST", "", service("b", { clusterIP: first.body.spec.clusterIP }))).status).toBe(201);
  expect((await send("POST", "", service("c", { clusterIP: first.body.spec.clusterIP }))).status).toBe(422);
});

it("deleting a Service deletes its Endpoints, unless a finalizer holds them", async () => {
  const endpoints = (method: string, path: string, body?: unknown): Promise<Answer> =>
    send(method, `/../endpoints${path}`, body);
  for (const name of ["a", "b", "c"]) await send("POST", "", service(name));
  await endpoints("POST", "", { metadata: { name: "a" } });
  await endpoints("POST", "", { metadata: { name: "b", finalizers: ["example.com/hold"] } });
  for (const name of ["a", "b", "c"]) expect((await send("DELETE", `/${name}`)).status).toBe(200);
  expect((await endpoints("GET", "/a")).status).toBe(404);
  expect((await endpoints("GET", "/b")).status).toBe(200);
});
