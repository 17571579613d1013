// Handling of AppArmor annotations in kube-apiserver 1.36.
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ApiServer } from "../../../../src/apiserver/server.js";
import { createApiServer } from "../../../../src/apiserver/server.js";
import { sendJson } from "../../../support/send-json.js";

let server: ApiServer;
beforeEach(() => {
  server = createApiServer({ controllers: false });
});
afterEach(() => server.close());

const KEY = "container.apparmor.security.beta.kubernetes.io/c";
const old = (at: string): string =>
  `299 - ${JSON.stringify(`${at}metadata.annotations[${KEY}]: deprecated since v1.30; use the "appArmorProfile" field instead`)}`;
const mismatch = (what: "type" | "localhostProfile"): string =>
  `spec.containers[0].securityContext.appArmorProfile.${what}: Forbidden: apparmor ${what === "type" ? "type" : "profile"} in annotation and field must match`;

const runtime = { type: "RuntimeDefault" };
const local = (name: string): object => ({ type: "Localhost", localhostProfile: name });

interface Case {
  readonly annotation: string;
  readonly own?: object;
  readonly whole?: object;
  readonly os?: object;
}

interface AppArmorPod {
  message?: string;
  spec: { containers: { securityContext?: { appArmorProfile?: object } }[] };
}

async function post(
  path: string,
  body: object,
): Promise<{
  warning: string | null;
  body: AppArmorPod;
}> {
  const answer = await sendJson<AppArmorPod>(server, { method: "POST", path: `${path}?dryRun=All`, body });
  return { warning: answer.headers.get("warning"), body: answer.body };
}

function template({ annotation, own, whole, os }: Case): { metadata: object; spec: object } {
  const container = {
    name: "c",
    image: "i",
    ...(own === undefined ? {} : { securityContext: { appArmorProfile: own } }),
  };
  return {
    metadata: { name: "p", labels: { a: "b" }, annotations: { [KEY]: annotation } },
    spec: {
      containers: [container],
      ...(whole === undefined ? {} : { securityContext: { appArmorProfile: whole } }),
      ...(os === undefined ? {} : { os }),
    },
  };
}

it.each<[given: Case, profile: object | undefined, warns: boolean]>([
  [{ annotation: "localhost/foo" }, local("foo"), true],
  [{ annotation: "runtime/default" }, runtime, true],
  [{ annotation: "runtime/default", whole: runtime }, undefined, false],
  [{ annotation: "runtime/default", own: runtime }, runtime, false],
  [{ annotation: "unconfined", whole: runtime }, { type: "Unconfined" }, true],
  [{ annotation: "" }, undefined, true],
  [{ annotation: "localhost/" }, undefined, true],
  [{ annotation: "localhost/ x" }, undefined, true],
  [{ annotation: "unconfined", os: { name: "windows" } }, undefined, false],
])("pod with AppArmor %j gets the container profile %j", async (given, profile, warns) => {
  const { warning, body } = await post("/api/v1/namespaces/default/pods", template(given));
  expect([body.spec.containers[0]!.securityContext?.appArmorProfile, warning]).toEqual([
    profile,
    warns ? old("") : null,
  ]);
});

it.each<[given: Case, problem: string]>([
  [{ annotation: "unconfined", own: runtime }, mismatch("type")],
  [{ annotation: "runtime/default", own: local("x") }, mismatch("type")],
  [{ annotation: "localhost/y", own: local("x") }, mismatch("localhostProfile")],
])("template with AppArmor %j is rejected", async (given, problem) => {
  expect((await post("/api/v1/namespaces/default/pods", template(given))).body.message).toBe(
    `Pod "p" is invalid: ${problem}`,
  );
});

it.each<[given: Case, warns: boolean]>([
  [{ annotation: "unconfined" }, true],
  [{ annotation: "runtime/default", whole: runtime }, false],
  [{ annotation: "runtime/default", own: runtime }, false],
])("template with AppArmor %j warns: %j", async (given, warns) => {
  const { warning } = await post("/apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "d" },
    spec: { selector: { matchLabels: { a: "b" } }, template: template(given) },
  });
  expect(warning).toBe(warns ? old("spec.template.") : null);
});
