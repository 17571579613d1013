import { describe, expect, it } from "vitest";
import { createApiServer } from "../../../../../src/apiserver/server.js";
import type { Job } from "../../../../../src/kinds/batch/v1.js";
import { sendJson } from "../../../../support/send-json.js";

/** Creates a Job and returns the names of its labels, sorted. */
async function labelsOf(metadata: object): Promise<string[]> {
  await using server = createApiServer({ controllers: false });
  const template = {
    metadata: { labels: { app: "a" } },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
  };
  const { status, body } = await sendJson<Job>(server, {
    method: "POST",
    path: "/apis/batch/v1/namespaces/default/jobs",
    body: { apiVersion: "batch/v1", kind: "Job", metadata, spec: { template } },
  });
  expect(status).toBe(201);
  return Object.keys(body.metadata?.labels ?? {}).sort();
}

describe("Job's labels", () => {
  it.each([
    [
      "default to its template's, with the generated ones",
      { name: "a" },
      ["app", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name", "controller-uid", "job-name"],
    ],
    ["stay as given, even if the template has the same", { name: "a", labels: { app: "a" } }, ["app"]],
    ["default to its template's without the generated ones if the name is generated", { generateName: "a-" }, ["app"]],
  ])("%s", async (_, metadata, labels) => {
    expect(await labelsOf(metadata)).toEqual(labels);
  });
});
