import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiServer } from "../../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../../src/apiserver/server.js";
import type { Answer } from "../../../../golden/validation/causes.js";
import { causesOf } from "../../../../golden/validation/causes.js";
import { withoutPlaces } from "../../../../support/outcome.js";
import { sendJson } from "../../../../support/send-json.js";

/** A Job, the statuses to write in order, and kube-apiserver's causes for each. */
type Row = readonly [job: string, statuses: readonly object[], causes: readonly (readonly string[])[]];

const rows = JSON.parse(
  readFileSync(new URL("../../../../golden/validation/job-status.json", import.meta.url), "utf8"),
) as readonly Row[];
const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
const jobs: Readonly<Record<string, object>> = {
  plain: { template },
  indexed: { template, completions: 5, parallelism: 2, completionMode: "Indexed", backoffLimitPerIndex: 1 },
  suspended: { template, suspend: true },
  success: { template, completions: 3, completionMode: "Indexed", successPolicy: { rules: [{ succeededCount: 1 }] } },
};

let server: ApiServer;
beforeAll(() => {
  server = createApiServer({ controllers: false });
});
afterAll(() => server.close());

async function send(method: string, path: string, body?: unknown): Promise<Answer> {
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  const answer = await sendJson(server, { method, path: `${jobs}${path}`, body });
  return { status: answer.status, json: answer.body };
}

describe("invalid Job status is rejected with kube-apiserver's causes", () => {
  it.each(
    rows.map(
      ([job, statuses, causes], index) =>
        [`${job} ${JSON.stringify(statuses)}`, `job-${String(index)}`, job, statuses, causes] as const,
    ),
  )("%s", async (_, name, job, statuses, causes) => {
    expect((await send("POST", "", { metadata: { name }, spec: jobs[job] })).status).toBe(201);
    const found: (readonly string[])[] = [];
    for (const status of statuses) {
      const { json } = await send("GET", `/${name}/status`);
      const messages: string[] = [];
      const told = causesOf(await send("PUT", `/${name}/status`, { ...(json as object), status }), messages) ?? [];
      found.push(withoutPlaces(told));
    }
    expect(found).toEqual(
      causes.map((each) => withoutPlaces(each.map((cause) => cause.replace(/^(\S* \w+) .*$/s, "$1")))),
    );
  });
});
