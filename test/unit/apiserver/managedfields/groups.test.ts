import { afterAll, beforeAll, expect, it } from "vitest";
import type { ApiObject } from "../../../../src/apiserver/objects/api-object.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

let server: ApiServer;
beforeAll(() => {
  server = createApiServer({ controllers: false });
});
afterAll(() => server.close());

const paths = {
  v1: "/api/v1/namespaces/default/events",
  "events.k8s.io/v1": "/apis/events.k8s.io/v1/namespaces/default/events",
};

// Recorded from kube-apiserver 1.36: each API group tracks managers with its own types.
it.each([
  ["v1", "events.k8s.io/v1"],
  ["events.k8s.io/v1", "v1"],
] as const)("an Event that %s created and %s changes keeps the second manager only", async (first, second) => {
  const name = first.replace("/", "-");
  const details =
    first === "v1"
      ? { involvedObject: { namespace: "default" }, message: "m" }
      : {
          eventTime: "2026-01-01T00:00:00.000001Z",
          reportingController: "a.b/c",
          reportingInstance: "i",
          action: "a",
          reason: "r",
          type: "Normal",
          regarding: { namespace: "default" },
        };
  await sendJson(server, {
    method: "POST",
    path: `${paths[first]}?fieldManager=one`,
    body: { metadata: { name }, ...details },
  });
  const { body } = await sendJson<ApiObject>(server, {
    method: "PATCH",
    path: `${paths[second]}/${name}?fieldManager=two`,
    body: { metadata: { labels: { a: "b" } } },
  });
  expect(body.metadata?.managedFields?.map(({ manager, apiVersion }) => [manager, apiVersion])).toEqual([
    ["two", second],
  ]);
});
