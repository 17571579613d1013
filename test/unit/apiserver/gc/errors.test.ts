import { afterEach, expect, it } from "vitest";
import { ApiServerControllerError } from "../../../../src/apiserver/controllers/controller-error.js";
import type { ApiServerOptions } from "../../../../src/apiserver/options.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";

let server: ApiServer;
afterEach(() => server.close());

/** Creates a namespace, which gets a ServiceAccount from a controller. */
async function createNamespace(): Promise<void> {
  const response = await sendJson(server, {
    method: "POST",
    path: "/api/v1/namespaces",
    body: { metadata: { name: "team" } },
  });
  expect(response.status).toBe(201);
}

function start(onError: (error: unknown) => void, refuse: () => boolean, options: ApiServerOptions = {}): void {
  server = createApiServer({
    onError,
    admission: [
      {
        name: "Refusal",
        validate({ resource, name }) {
          if (resource.resource === "serviceaccounts" && name === "default" && refuse()) throw new Error("not now");
        },
      },
    ],
    ...options,
  });
}

it("onError gets every failure of a controller, which retries until it succeeds", async () => {
  const clock = createVirtualClock();
  const told: unknown[] = [];
  let left = 9;
  start(
    (error) => told.push(error),
    () => (left -= 1) > 0,
    { clock },
  );
  await createNamespace();
  await clock.advance(10_000);
  await server.settled();
  const errors = told.filter((error) => error instanceof ApiServerControllerError);
  expect(errors).toHaveLength(told.length);
  expect(errors.length).toBe(8);
  expect(errors[0]).toMatchObject({
    controller: "serviceaccount-controller",
    retryAfterMs: 5,
    cause: { message: "not now" },
  });
  expect(errors[0]!.message).toMatch(/^serviceaccount-controller: [a-z-]+: not now$/);
  expect(
    (await server.handle(new Request("http://server/api/v1/namespaces/team/serviceaccounts/default"))).status,
  ).toBe(200);
});

it("controllers continue if onError throws", async () => {
  const clock = createVirtualClock();
  let left = 2;
  start(
    () => {
      throw new Error("listener");
    },
    () => (left -= 1) > 0,
    { clock },
  );
  await createNamespace();
  await clock.advance(1000);
  await server.settled();
  expect(
    (await server.handle(new Request("http://server/api/v1/namespaces/team/serviceaccounts/default"))).status,
  ).toBe(200);
});
