import { expect, it } from "vitest";
import { type Client, createClient } from "../../../src/client/client.js";
import { Deployment } from "../../../src/kinds/apps/v1.js";
import { scripted } from "./scripted-transport.js";

const object = (replicas: number) => ({
  apiVersion: "apps/v1" as const,
  kind: "Deployment" as const,
  metadata: { name: "web", creationTimestamp: null! },
  spec: { replicas, selector: {}, template: { spec: { containers: [{ name: "main" }] } } },
});
const web = (client: Client) => client.resource(Deployment).namespace("x");
const writes: readonly (readonly [string, (client: Client, replicas: number) => Promise<unknown>, string])[] = [
  ["a create", (client, replicas) => web(client).create(object(replicas)), "spec.replicas"],
  ["an update", (client, replicas) => web(client).update({ ...object(replicas) }), "spec.replicas"],
  ["an apply", (client, replicas) => web(client).apply(object(replicas), { fieldManager: "test" }), "spec.replicas"],
  [
    "a merge patch",
    (client, replicas) => web(client).patch("web", { type: "merge", patch: { spec: { replicas } } }),
    "spec.replicas",
  ],
  [
    "a JSON patch",
    (client, replicas) =>
      web(client).patch("web", {
        type: "json",
        operations: [{ op: "replace", path: "/spec/replicas", value: replicas }],
      }),
    "0.value",
  ],
  [
    "a request of its own",
    (client, replicas) => client.request({ method: "PUT", path: "/apis/apps/v1/x", body: { replicas } }),
    "replicas",
  ],
];

// As null, a number would delete the field or stand for its default.
it.each(writes.flatMap((write) => [Number.NaN, Number.POSITIVE_INFINITY].map((number) => [...write, number] as const)))(
  "%s with a number that is not finite names the field and sends nothing (%#)",
  async (_, write, path, number) => {
    const transport = scripted({ body: object(1) });
    const client = createClient({ transport, retry: false });
    await expect(write(client, number)).rejects.toThrow(
      new RegExp(`^encode object as JSON: ${path.replaceAll(".", "\\.")}: a number that is not finite`),
    );
    expect(transport.requests).toHaveLength(0);
    await write(client, 2);
    expect(transport.requests).toHaveLength(1);
  },
);
