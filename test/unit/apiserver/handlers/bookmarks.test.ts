import { afterAll, describe, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";

const server = createApiServer({ controllers: false });
afterAll(() => server.close());

const template = { metadata: {}, spec: { containers: null } };

async function bookmark(path: string): Promise<string> {
  const response = await server.handle(
    new Request(
      `http://server${path}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
    ),
  );
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes('"BOOKMARK"')) text += (await reader.read()).value ?? "";
  await reader.cancel();
  const { object } = JSON.parse(
    text
      .trim()
      .split("\n")
      .find((line) => line.includes('"BOOKMARK"'))!,
  ) as { object: Record<string, unknown> };
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...rest } = object;
  return JSON.stringify({ ...(metadata as { annotations: object }).annotations, ...rest });
}

const end = { "k8s.io/initial-events-end": "true" };

// The object of a bookmark is empty, apart from fields that the internal form always has.
describe("bookmark", () => {
  it.each([
    ["deployments", { ...end, spec: { replicas: 0, selector: null, template, strategy: {} }, status: {} }],
    ["replicasets", { ...end, spec: { replicas: 0, selector: null, template }, status: { replicas: 0 } }],
    [
      "statefulsets",
      {
        ...end,
        spec: { replicas: 0, selector: null, template, serviceName: "", updateStrategy: {} },
        status: { replicas: 0, availableReplicas: 0 },
      },
    ],
    [
      "daemonsets",
      {
        "deprecated.daemonset.template.generation": "0",
        ...end,
        spec: { selector: null, template, updateStrategy: {} },
        status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
      },
    ],
  ])("of %s shows the fields of an empty object", async (resource, wanted) => {
    expect(await bookmark(`/apis/apps/v1/namespaces/default/${resource}`)).toBe(JSON.stringify(wanted));
  });
});

// The row of a bookmark in a Table is that of an empty object.
describe("bookmark in a Table", () => {
  it.each([
    ["/apis/rbac.authorization.k8s.io/v1/roles", ["", "0001-01-01T00:00:00Z"]],
    ["/api/v1/services", ["", "", "<none>", "<unknown>", "<none>", "<unknown>", "<none>"]],
  ])("of %s has the cells of an empty object", async (path, cells) => {
    const response = await server.handle(
      new Request(
        `http://server${path}?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1&labelSelector=none`,
        { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } },
      ),
    );
    const [first = ""] = (await response.text()).split("\n");
    expect((JSON.parse(first) as { object: { rows: { cells: unknown[] }[] } }).object.rows[0]?.cells).toEqual(cells);
  });
});
