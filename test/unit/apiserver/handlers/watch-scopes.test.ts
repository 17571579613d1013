import { expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/index.js";
import { sendJson } from "../../../support/send-json.js";

const watched = {
  "all pods": "/api/v1/pods",
  "pods of the namespace": "/api/v1/namespaces/default/pods",
  "pods of another namespace": "/api/v1/namespaces/kube-system/pods",
  "the pod by name": "/api/v1/pods?fieldSelector=metadata.name%3Dweb",
  "another pod": "/api/v1/namespaces/default/pods?fieldSelector=metadata.name%3Dother",
  "pods of its node": "/api/v1/pods?fieldSelector=spec.nodeName%3Done",
  "pods of another node": "/api/v1/pods?fieldSelector=spec.nodeName%3Dtwo",
  "pods without a node": "/api/v1/pods?fieldSelector=spec.nodeName%3D",
  "nodes by name": "/api/v1/nodes?fieldSelector=metadata.name%3Done",
};

it("watches see the writes in their namespace, with their name, and of the pods that come to and leave their node", async () => {
  await using server = createApiServer();
  const send = async (method: string, path: string, body?: object): Promise<void> => {
    const response = await sendJson(server, { method, path, body });
    expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  };
  const { resourceVersion } = (
    (await (await server.handle(new Request("http://server/api/v1/pods"))).json()) as {
      metadata: { resourceVersion: string };
    }
  ).metadata;
  const streams = await Promise.all(
    Object.entries(watched).map(async ([title, path]) => {
      const query = `${path.includes("?") ? "&" : "?"}watch=1&resourceVersion=${resourceVersion}`;
      return [title, (await server.handle(new Request(`http://server${path}${query}`))).text()] as const;
    }),
  );
  await send("POST", "/api/v1/nodes", { metadata: { name: "one" } });
  await send("POST", "/api/v1/namespaces/default/pods", {
    metadata: { name: "web" },
    spec: { containers: [{ name: "c", image: "i" }] },
  });
  await send("POST", "/api/v1/namespaces/default/pods/web/binding", {
    metadata: { name: "web" },
    target: { kind: "Node", name: "one" },
  });
  await send("DELETE", "/api/v1/namespaces/default/pods/web?gracePeriodSeconds=0");
  await server.close();
  const seen: Record<string, string[]> = {};
  for (const [title, text] of streams)
    seen[title] = (await text)
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => (JSON.parse(line) as { type: string }).type);
  // A deletion sets the time of the deletion first.
  expect(seen).toEqual({
    "all pods": ["ADDED", "MODIFIED", "MODIFIED", "DELETED"],
    "pods of the namespace": ["ADDED", "MODIFIED", "MODIFIED", "DELETED"],
    "pods of another namespace": [],
    "the pod by name": ["ADDED", "MODIFIED", "MODIFIED", "DELETED"],
    "another pod": [],
    "pods of its node": ["ADDED", "MODIFIED", "DELETED"],
    "pods of another node": [],
    "pods without a node": ["ADDED", "DELETED"],
    "nodes by name": ["ADDED"],
  });
});
