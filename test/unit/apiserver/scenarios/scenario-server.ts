// Objects and requests of scenarios whose responses kube-apiserver 1.36 has given.
import { afterAll, beforeAll } from "vitest";
import type { UserInfo } from "../../../../src/apiserver/http/user-info.js";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";

const users: readonly (readonly [string, UserInfo])[] = [
  ["admin", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }],
  ["alice", { name: "alice", uid: "", groups: [], extra: {} }],
];

export const base = "/api/v1/namespaces/default";
export const maps = `${base}/configmaps`;
export const pods = `${base}/pods`;
export const items = "/apis/scen.example.com/v1/namespaces/default/items";
export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const merge = "application/merge-patch+json";

/** A response, with the number of its warnings; the events of a watch are its items. */
export interface Answer {
  readonly status: number;
  readonly warnings: number;
  readonly body: {
    metadata?: Record<string, unknown>;
    items?: unknown[];
    message?: string;
    rows?: { cells: unknown[] }[];
    spec?: unknown;
    kind?: string;
  };
}

/** Sends a request of the admin, unless the headers name another user. */
type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Answer>;

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        n: { type: "integer", minimum: 0, maximum: 10 },
        host: { type: "string", format: "hostname" },
        span: { type: "string", format: "duration" },
        text: { type: "string", pattern: "^[a-z]+$", minLength: 2 },
        map: { type: "object", additionalProperties: { type: "integer" } },
        raw: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { known: { type: "object", properties: { a: { type: "string" } } } },
        },
        pod: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      },
    },
  },
};
/** Returns a definition of `items` or another kind, with more fields of its version and spec. */
export const definition = (
  name: string,
  more: Record<string, unknown> = {},
  spec: Record<string, unknown> = {},
): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${name}s.scen.example.com` },
  spec: {
    group: "scen.example.com",
    scope: "Namespaced",
    names: { plural: `${name}s`, kind: name === "item" ? "Item" : "Other" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...more }],
    ...spec,
  },
});
/** Returns an item with a spec. */
export const item = (spec: unknown): object => ({
  apiVersion: "scen.example.com/v1",
  kind: "Item",
  metadata: { name: "i" },
  spec,
});

/** Opens a server for the tests of a file, with a Deployment and a custom resource, and closes it after them. */
export function openScenarios(): { readonly server: ApiServer; readonly send: Send } {
  const server = createApiServer({ tokens: new Map(users), authorizationMode: "RBAC", controllers: false });
  const send: Send = async (method, path, body, headers = {}) => {
    const content = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    const response = await server.handle(
      new Request(`http://server${path}`, {
        method,
        headers: {
          authorization: "Bearer admin",
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...content,
      }),
    );
    const text = await response.text();
    return {
      status: response.status,
      warnings: (response.headers.get("warning") ?? "").split("299 - ").length - 1,
      body: text.startsWith('{"type"')
        ? {
            items: text
              .trim()
              .split("\n")
              .map((line) => JSON.parse(line) as unknown),
          }
        : (JSON.parse(text) as Answer["body"]),
    };
  };

  beforeAll(async () => {
    await send("POST", "/apis/apps/v1/namespaces/default/deployments", {
      metadata: { name: "counted" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    await send(
      "POST",
      definitions,
      definition("item", {
        subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
        additionalPrinterColumns: [{ name: "M", type: "string", jsonPath: ".spec.map" }],
      }),
    );
    await server.settled();
  });
  afterAll(() => server.close());
  return { server, send };
}
