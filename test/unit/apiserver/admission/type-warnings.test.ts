import { afterAll, beforeAll, expect, it } from "vitest";
import { type ApiServer, createApiServer } from "../../../../src/apiserver/server.js";
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from "../../../../src/kinds/admissionregistration/v1.js";
import { sendJson } from "../../../support/send-json.js";

const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const properties = {
  size: { type: "integer" },
  any: { "x-kubernetes-preserve-unknown-fields": true },
  port: { "x-kubernetes-int-or-string": true },
  inner: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
};
const definition = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "widgets", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } },
      },
    ],
  },
};

let server: ApiServer;
let made = 0;
beforeAll(async () => {
  server = createApiServer();
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  expect((await sendJson(server, { method: "POST", path, body: definition })).status).toBe(201);
  await server.settled();
});
afterAll(() => server.close());

type Rule = readonly [groups: string, versions: string, resources: string];
const deployments: Rule = ["apps", "v1", "deployments"];
const pods: Rule = ["", "v1", "pods"];
const widgets: Rule = ["example.com", "v1", "widgets"];

/** Creates a policy and returns its status. Groups, versions and resources of rules are separated by spaces. */
async function statusOf(
  rules: readonly Rule[],
  spec: Partial<ValidatingAdmissionPolicySpec>,
): Promise<ValidatingAdmissionPolicy["status"]> {
  const name = `p${String((made += 1))}`;
  const resourceRules = rules.map(([groups, versions, resources]) => ({
    apiGroups: groups.split(" "),
    apiVersions: versions.split(" "),
    resources: resources.split(" "),
    operations: ["*"],
  }));
  const body = { metadata: { name }, spec: { matchConstraints: { resourceRules }, ...spec } };
  expect((await sendJson(server, { method: "POST", path: policies, body })).body).toMatchObject({
    kind: "ValidatingAdmissionPolicy",
  });
  await server.settled();
  const { body: stored } = await sendJson(server, { method: "GET", path: `${policies}/${name}` });
  return (stored as ValidatingAdmissionPolicy).status;
}

/** Returns the warnings about one expression, without the expression's name. */
async function warningsOf(
  rules: readonly Rule[],
  expression: string,
  spec: Partial<ValidatingAdmissionPolicySpec> = {},
): Promise<string[]> {
  const status = await statusOf(rules, { ...spec, validations: [{ expression }] });
  return (status?.typeChecking?.expressionWarnings ?? []).flatMap(({ warning = "" }) =>
    warning
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.replace(/ERROR: <input>:1:\d+: /, "")),
  );
}

it("the status of a policy names the expressions that don't fit the matched kinds", async () => {
  const validations = [
    { expression: "object.spec.replicas > 1" },
    { expression: "object.spec.replicas > '1'", messageExpression: "'replicas: ' + object.spec.replicas" },
  ];
  const wrong = (field: string, at: number, what: string): object => ({
    fieldRef: `spec.validations[1].${field}`,
    warning: `apps/v1, Kind=Deployment: ERROR: <input>:1:${String(at)}: found no matching overload for '${what}\n`,
  });
  expect(await statusOf([deployments], { validations })).toEqual({
    observedGeneration: 1,
    typeChecking: {
      expressionWarnings: [
        wrong("expression", 22, "_>_' applied to '(int, string)'"),
        wrong("messageExpression", 14, "_+_' applied to '(string, int)'"),
      ],
    },
  });
});

it("the status of a policy without type errors says that it was checked", async () => {
  const validations = [{ expression: "object.spec.replicas > 1" }];
  expect(await statusOf([deployments], { validations })).toEqual({ observedGeneration: 1, typeChecking: {} });
});

const overload = (operator: string, types: string): string =>
  `found no matching overload for '${operator}' applied to '(${types})'`;
const pod = "/v1, Kind=Pod: ";
const widget = "example.com/v1, Kind=Widget: ";

it.each<[text: string, rules: readonly Rule[], expression: string, warnings: string[]]>([
  [
    "an unknown field",
    [deployments],
    "object.spec.replica > 1",
    ["apps/v1, Kind=Deployment: undefined field 'replica'"],
  ],
  ["has() of an unknown field", [pods], "has(object.spec.nodes)", [`${pod}undefined field 'nodes'`]],
  ["a field of the old object", [pods], "oldObject == null || oldObject.a", [`${pod}undefined field 'a'`]],
  ["a label", [pods], "object.metadata.labels.a == 1", [pod + overload("_==_", "string, int")]],
  ["a time", [pods], "object.metadata.creationTimestamp == 'a'", [pod + overload("_==_", "timestamp, string")]],
  [
    "bytes",
    [["", "v1", "secrets"]],
    "object.data.a == 'b'",
    [`/v1, Kind=Secret: ${overload("_==_", "bytes, string")}`],
  ],
  ["a port by number or name", [["", "v1", "services"]], "object.spec.ports[0].targetPort.a == 'a'", []],
  [
    "quantities, which no schema types",
    [pods],
    "object.spec.overhead.cpu == 'a'",
    [`${pod}undefined field 'overhead'`],
  ],
  ["an item of a list", [pods], "object.spec.containers.all(c, c.imag == 'a')", [`${pod}undefined field 'imag'`]],
  [
    "a schema within a schema",
    [["apiextensions.k8s.io", "v1", "customresourcedefinitions"]],
    "object.spec.versions[0].schema.openAPIV3Schema.properties['a'].type == 'a'",
    ["apiextensions.k8s.io/v1, Kind=CustomResourceDefinition: undefined field 'type'"],
  ],
  ["a custom field", [widgets], "object.spec.size == 'a'", [widget + overload("_==_", "int, string")]],
  ["a custom field without a type", [widgets], "object.spec.any == 1", [`${widget}undefined field 'any'`]],
  ["a custom field of two types", [widgets], "object.spec.port == 1 || object.spec.port == 'a'", []],
  ["an embedded object", [widgets], "object.spec.inner.kind == 1", [widget + overload("_==_", "string, int")]],
  ["metadata of a custom kind", [widgets], "object.metadata.labels.a == 1", [widget + overload("_==_", "string, int")]],
  [
    "several kinds",
    [["apps", "v1", "statefulsets deployments daemonsets"], pods],
    "object.spec.replicas > 1",
    [`${pod}undefined field 'replicas'`, "apps/v1, Kind=DaemonSet: undefined field 'replicas'"],
  ],
  [
    "the core group, which stands for all groups",
    [["", "v1", "events"]],
    "object.a == 1",
    ["/v1, Kind=Event: undefined field 'a'", "events.k8s.io/v1, Kind=Event: undefined field 'a'"],
  ],
  ["all groups", [["*", "v1", "pods"]], "object.a == 1", []],
  ["all versions", [["", "*", "pods"]], "object.a == 1", []],
  ["all resources", [["", "v1", "*"]], "object.a == 1", []],
  ["a subresource", [["", "v1", "pods/status"]], "object.a == 1", []],
  ["a kind that isn't served", [["apps", "v1", "nothings"]], "object.a == 1", []],
])("a policy's check of types knows %s", async (_text, rules, expression, warnings) => {
  expect(await warningsOf(rules, expression)).toEqual(warnings);
});

it("a policy's check of types stops at ten kinds", async () => {
  const resources =
    "pods services nodes secrets configmaps jobs cronjobs deployments statefulsets daemonsets endpoints events";
  const kinds = (await warningsOf([["", "v1", resources]], "object.a == 1")).map(
    (line) => /Kind=(\w+)/.exec(line)?.[1],
  );
  expect(kinds).toEqual(
    ["ConfigMap", "Endpoints", "Event", "Node", "Pod"].concat(["DaemonSet", "Deployment", "CronJob", "Job", "Event"]),
  );
});

it.each<[text: string, expression: string, spec: Partial<ValidatingAdmissionPolicySpec>, warnings: string[]]>([
  ["a variable", "variables.a == 'x'", {}, [overload("_==_", "int, string")]],
  ["a variable that uses another one", "variables.b == 'x'", {}, [overload("_==_", "int, string")]],
  ["a variable that has a type error itself", "variables.c == 1", {}, []],
  [
    "parameters",
    "params.datas.a == ''",
    { paramKind: { apiVersion: "v1", kind: "ConfigMap" } },
    ["undefined field 'datas'"],
  ],
  ["parameters of an unknown kind", "params.a == ''", { paramKind: { apiVersion: "a.b/v1", kind: "C" } }, []],
])("a policy's check of types follows %s", async (_text, expression, spec, warnings) => {
  const variables = [
    { name: "a", expression: "object.spec.replicas" },
    { name: "b", expression: "variables.a" },
    { name: "c", expression: "object.spec.replica" },
  ];
  expect(await warningsOf([deployments], expression, { variables, ...spec })).toEqual(
    warnings.map((text) => `apps/v1, Kind=Deployment: ${text}`),
  );
});

it("a policy's warnings leave room for the policy in the object", async () => {
  const validations = Array.from({ length: 5_000 }, () => ({ expression: "object.metadata.unknown == 1" }));
  const kinds: Rule = ["", "v1", "pods services nodes secrets configmaps"];
  const status = await statusOf([kinds], { validations });
  const texts = (status?.typeChecking?.expressionWarnings ?? []).map(({ warning = "" }) => warning);
  expect(texts.length).toBeGreaterThan(100);
  expect(texts.join("").length).toBeLessThanOrEqual(256 * 1024);
});

it("a policy is checked again when its spec changes, and without the controller never", async () => {
  const path = `${policies}/p1`;
  const spec = { validations: [{ expression: "object.spec.replicas > 2" }] };
  await sendJson(server, { method: "PATCH", path, body: { spec } });
  await server.settled();
  expect((await sendJson(server, { method: "GET", path })).body).toMatchObject({
    status: { observedGeneration: 2, typeChecking: {} },
  });
  await using bare = createApiServer({ controllers: { validatingAdmissionPolicyStatus: false } });
  const body = {
    metadata: { name: "p" },
    spec: {
      ...spec,
      matchConstraints: {
        resourceRules: [{ apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments"], operations: ["*"] }],
      },
    },
  };
  expect((await sendJson(bare, { method: "POST", path: policies, body })).status).toBe(201);
  await bare.settled();
  const stored = await sendJson(bare, { method: "GET", path: `${policies}/p` });
  expect((stored.body as ValidatingAdmissionPolicy).status).not.toHaveProperty("typeChecking");
});
