import { expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { Endpoints, Namespace, Secret, Service } from "../../../../src/kinds/core/v1.js";

const secret = (name: string): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name, namespace: "default" },
});

it("whenStored calls back at once for a kind that has objects", async () => {
  await using server = createApiServer();
  let calls = 0;
  server.whenStored([Endpoints, Service, Namespace], () => calls++);
  expect(calls).toBe(1);
});

it("whenStored calls back once, with the first object of any of its kinds", async () => {
  await using server = createApiServer();
  const calls: string[] = [];
  server.whenStored([Endpoints, Secret], () => calls.push("either"));
  server.whenStored([Endpoints], () => calls.push("endpoints"));
  await server.load([secret("a")]);
  await server.load([secret("b"), { ...secret("a"), kind: "Endpoints" }]);
  expect(calls).toEqual(["either", "endpoints"]);
});

it("whenStored doesn't call back after its wait was ended", async () => {
  await using server = createApiServer();
  let calls = 0;
  const first = server.whenStored([Secret], () => calls++);
  first();
  server.whenStored([Secret], () => second());
  const second = server.whenStored([Secret], () => calls++);
  await server.load([secret("a")]);
  expect(calls).toBe(0);
});

it("whenStored calls back when a snapshot brings the first object, not for objects that are gone", async () => {
  await using server = createApiServer();
  const empty = server.snapshot();
  await server.load([secret("a")]);
  const filled = server.snapshot();
  server.restore(empty);
  let calls = 0;
  server.whenStored([Secret], () => calls++);
  expect(calls).toBe(0);
  server.restore(filled);
  expect(calls).toBe(1);
});
