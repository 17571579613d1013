import { afterAll, expect, it } from "vitest";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { createCertificateRequest } from "../../../support/certificate-request.js";
import { sendJson } from "../../../support/send-json.js";

const start = Date.parse("2026-03-01T10:00:00Z");
let now = start;
const server = createApiServer({
  controllers: false,
  clock: { now: () => now, monotonic: () => now, setTimer: () => ({ cancel: () => undefined }) },
});
afterAll(() => server.close());

interface Request_ {
  metadata: { annotations?: Record<string, string> };
  spec: { signerName: string };
  status: { certificate?: string; conditions?: object[] };
}

async function send(method: string, path: string, body: unknown): Promise<Request_> {
  const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const answer = await sendJson<Request_>(server, { method, path: `${requests}${path}`, body });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
}

it("/approval changes conditions and metadata, and sets missing timestamps", async () => {
  await send("POST", "", {
    metadata: { name: "a" },
    spec: {
      request: btoa(createCertificateRequest("user").request),
      signerName: "example.com/s",
      usages: ["client auth"],
    },
  });
  const first = await send("PATCH", "/a/approval", {
    metadata: { annotations: { seen: "yes" } },
    spec: { signerName: "example.com/other" },
    status: { certificate: "LS0t", conditions: [{ type: "Approved", status: "True", reason: "r" }] },
  });
  expect(first.metadata.annotations).toEqual({ seen: "yes" });
  expect(first.spec.signerName).toBe("example.com/s");
  expect(first.status).toEqual({
    conditions: [
      {
        type: "Approved",
        status: "True",
        reason: "r",
        lastUpdateTime: "2026-03-01T10:00:00Z",
        lastTransitionTime: "2026-03-01T10:00:00Z",
      },
    ],
  });
  now += 60_000;
  const second = await send("PATCH", "/a/approval", {
    status: {
      conditions: [
        { type: "Approved", status: "True", reason: "again" },
        { type: "Other", status: "False" },
      ],
    },
  });
  expect(second.status.conditions).toEqual([
    {
      type: "Approved",
      status: "True",
      reason: "again",
      lastUpdateTime: "2026-03-01T10:01:00Z",
      lastTransitionTime: "2026-03-01T10:00:00Z",
    },
    {
      type: "Other",
      status: "False",
      lastUpdateTime: "2026-03-01T10:01:00Z",
      lastTransitionTime: "2026-03-01T10:01:00Z",
    },
  ]);
});
