import { describe, expect, it } from "vitest";
import type { AuditEvent, AuditLevel } from "../../../../src/apiserver/audit/event.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

const patch = (operations: unknown): object => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: btoa(typeof operations === "string" ? operations : JSON.stringify(operations)),
});
const answers: Readonly<Record<string, object>> = {
  labels: {
    ...patch([{ value: { "a.b": "x & y" }, path: "/metadata/annotations", op: "add" }]),
    auditAnnotations: { note: "noted", "bad key": "dropped", "a/b": "dropped" },
  },
  garbled: patch("no patch"),
  denies: { allowed: false, status: { message: "no" } },
};
const registered = (name: string): object => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingWebhookConfiguration",
  metadata: { name },
  webhooks: [
    {
      name: `${name}.hooks.test`,
      clientConfig: { url: `https://hooks.test/${name}` },
      rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
      failurePolicy: name === "garbled" ? "Ignore" : "Fail",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    },
  ],
});

async function annotationsOf(level: AuditLevel, names: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const events: AuditEvent[] = [];
  const server = createApiServer({
    controllers: false,
    audit: {
      policy: { omitStages: ["RequestReceived"], rules: [{ level }] },
      sink: (event) => void events.push(event),
    },
    webhooks: ({ url, body }) =>
      Promise.resolve({
        kind: "AdmissionReview",
        apiVersion: "admission.k8s.io/v1",
        response: {
          uid: (body as { request: { uid: string } }).request.uid,
          ...answers[new URL(url).pathname.slice(1)],
        },
      }),
  });
  await server.load(names.map(registered));
  const path = "/api/v1/namespaces/default/configmaps";
  await sendJson(server, { method: "POST", path, body: { metadata: { name: "a" } } });
  await server.close();
  return Object.fromEntries(
    Object.entries(events[0]!.annotations ?? {}).filter(([key]) => !key.startsWith("authorization.k8s.io/")),
  );
}

const mutation = (place: string, name: string, mutated: boolean): Readonly<Record<string, string>> => ({
  [`mutation.webhook.admission.k8s.io/${place}`]: `{"configuration":"${name}","webhook":"${name}.hooks.test","mutated":${mutated}}`,
});
const patched = {
  "patch.webhook.admission.k8s.io/round_0_index_0":
    '{"configuration":"labels","webhook":"labels.hooks.test","patch":[{"op":"add","path":"/metadata/annotations","value":{"a.b":"x \\u0026 y"}}],"patchType":"JSONPatch"}',
};
const note = { "labels.hooks.test/note": "noted" };

describe("audit annotations of mutating webhooks", () => {
  it.each([
    ["Metadata", ["labels"], { ...mutation("round_0_index_0", "labels", true), ...note }],
    ["Request", ["labels"], { ...mutation("round_0_index_0", "labels", true), ...note, ...patched }],
    ["RequestResponse", ["labels"], { ...mutation("round_0_index_0", "labels", true), ...note, ...patched }],
    [
      "Request",
      ["garbled"],
      {
        ...mutation("round_0_index_0", "garbled", false),
        "failed-open.mutation.webhook.admission.k8s.io/round_0_index_0": "garbled.hooks.test",
      },
    ],
    ["Request", ["denies"], mutation("round_0_index_0", "denies", false)],
  ] as const)("at level %s for webhook %s", async (level, names, annotations) => {
    expect(await annotationsOf(level, names)).toEqual(annotations);
  });
});
