import { afterEach, expect } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";

export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
export const widgets = "/apis/cf.dev/v1/namespaces/default/widgets";

/** A response, its body as JSON if it's an object. */
export interface Answer {
  status: number;
  body: any;
  warnings: string[];
}

/** Returns the definition of Widgets with a schema of their spec, and with more fields of the version. */
export function definition(schema: object, version: object = {}): object {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.cf.dev" },
    spec: {
      group: "cf.dev",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget", shortNames: ["w"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: schema } } },
          ...version,
        },
      ],
    },
  };
}

/** Returns a Widget with a spec. */
export const widget = (spec: unknown, name = "a"): object => ({
  apiVersion: "cf.dev/v1",
  kind: "Widget",
  metadata: { name },
  spec,
});

/** Gives the tests of a file servers with a definition of Widgets, and closes the last one after each test. */
export function openWidgets() {
  let server: ApiServer;
  afterEach(() => server.close());

  /** Opens a server without a definition. */
  function open(): ApiServer {
    server = createApiServer({
      tokens: new Map([["t", { name: "admin", uid: "", groups: ["system:masters"], extra: {} }]]),
    });
    return server;
  }

  async function call(method: string, path: string, body?: unknown, type = "application/json"): Promise<Answer> {
    const response = await server.handle(
      new Request(`http://server${path}`, {
        method,
        headers: { authorization: "Bearer t", ...(body === undefined ? {} : { "content-type": type }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = await response.text();
    const warnings = [...(response.headers.get("warning") ?? "").matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map((match) =>
      match[1]!.replaceAll("\\", ""),
    );
    return { status: response.status, body: text.startsWith("{") ? (JSON.parse(text) as unknown) : text, warnings };
  }

  /** Opens a server with the definition. */
  async function define(schema: object, version?: object): Promise<void> {
    open();
    expect((await call("POST", definitions, definition(schema, version))).status).toBe(201);
    await server.settled();
  }

  return {
    open,
    call,
    define,
    handle: (request: Request): Promise<Response> => server.handle(request),
    settled: (): Promise<void> => server.settled(),
  };
}
