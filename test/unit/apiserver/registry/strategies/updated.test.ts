import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiServer } from "../../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../../src/apiserver/server.js";
import { updates } from "../../../../golden/strategies/updates.js";
import { statusOutcome } from "../../../../support/outcome.js";

const golden = JSON.parse(
  readFileSync(new URL("../../../../golden/strategies/updated.json", import.meta.url), "utf8"),
) as Record<string, unknown>;

/** Removes values that differ between runs. */
function strip(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => strip(each));
  if (typeof value === "string") {
    if (key === "creationTimestamp" || key === "lastPhaseTransitionTime") return "<time>";
    if (/^(clusterIP|nodePort)$/.test(key)) return "<given>";
    return value.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<uid>");
  }
  if (typeof value !== "object" || value === null) return key === "nodePort" ? "<given>" : value;
  const { kind } = value as { kind?: string };
  if (kind === "Status") return statusOutcome(value as Record<string, unknown>);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== "managedFields" && name !== "resourceVersion")
      .map(([name, child]) => [name, name === "clusterIPs" ? "<given>" : strip(child, name)]),
  );
}

describe("updates are applied or rejected as by kube-apiserver", () => {
  let server: ApiServer;
  const send = async (method: string, path: string, body: object): Promise<unknown> => {
    const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
    const response = await server.handle(
      new Request(`http://server${path}`, { method, headers, body: JSON.stringify(body) }),
    );
    return response.json();
  };

  beforeAll(async () => {
    server = createApiServer({ controllers: false });
    await send("POST", "/api/v1/namespaces", { metadata: { name: "changes" } });
  });

  afterAll(async () => {
    await server.close();
  });

  it.each(updates.map((update) => [update.name, update] as const))(
    "%s",
    async (name, { path, body, patch, subresource }) => {
      await send("POST", path, body);
      const object = `${path}/${(body["metadata"] as { name: string }).name}`;
      const answer = await send("PATCH", subresource === undefined ? object : `${object}/${subresource}`, patch);
      expect(strip(answer)).toEqual(strip(golden[name]));
    },
  );
});
