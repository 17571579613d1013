import type { Probe, Step, Topic } from "../probe.js";

type Json = Record<string, unknown>;

/** Policy with its binding, and the requests to check with it. */
interface Case {
  readonly kind: "Validating" | "Mutating";
  readonly spec: Json;
  readonly binding?: Json;
  /** Object to create. Default: a ConfigMap, unless `resource` is set. */
  readonly object?: Json;
  readonly resource?: string;
  readonly resources?: readonly string[];
}

const apply = (expression: string): Json => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } });
const patch = (expression: string): Json => ({ patchType: "JSONPatch", jsonPatch: { expression } });
const mutations = (...list: readonly Json[]): Json => ({ reinvocationPolicy: "Never", mutations: list });
const validate = (expression: string, more: Json = {}): Json => ({ validations: [{ expression, ...more }] });
const params = { paramKind: { apiVersion: "v1", kind: "ConfigMap" } };
const ref = (name: string, more: Json = {}): Json => ({ paramRef: { name, parameterNotFoundAction: "Deny", ...more } });
const pod = { spec: { containers: [{ name: "main", image: "i:1", env: [{ name: "A", value: "1" }] }] } };

const cases: readonly Case[] = [
  { kind: "Mutating", spec: mutations(apply('Object{data: {"k": "v"}}')) },
  {
    kind: "Mutating",
    spec: mutations(apply('Object{metadata: Object.metadata{labels: {"x": object.metadata.name}}}')),
  },
  {
    kind: "Mutating",
    spec: mutations(apply('Object{metadata: Object.metadata{annotations: Object.metadata.annotations{a: "b"}}}')),
  },
  { kind: "Mutating", spec: mutations(apply('Object{metadata: Object.spec{labels: {"x": "y"}}}')) },
  { kind: "Mutating", spec: mutations(apply("Object{nope: 1}")) },
  { kind: "Mutating", spec: mutations(apply('Object{data: {"k": 1}}')) },
  { kind: "Mutating", spec: { ...mutations(apply("Object{nope: 1}")), failurePolicy: "Ignore" } },
  { kind: "Mutating", spec: mutations(apply('Object{data: {"k": object.data.missing}}')) },
  { kind: "Mutating", spec: mutations(patch('[JSONPatch{op: "add", path: "/data", value: {"a": "b"}}]')) },
  {
    kind: "Mutating",
    spec: mutations(
      patch(
        '[JSONPatch{op: "test", path: "/data", value: {"a": "b"}}, JSONPatch{op: "add", path: "/data", value: {"a": "b"}}]',
      ),
    ),
  },
  {
    kind: "Mutating",
    spec: mutations(
      patch('[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b~c"), value: "x"}]'),
    ),
  },
  {
    kind: "Mutating",
    spec: mutations(
      patch('[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a.b/c"), value: "x"}]'),
    ),
  },
  { kind: "Mutating", spec: mutations(patch('[JSONPatch{op: "remove", path: "/nope"}]')) },
  { kind: "Mutating", spec: mutations(patch('[JSONPatch{op: "replace", path: "/data", value: 5}]')) },
  { kind: "Mutating", spec: mutations(patch('[JSONPatch{op: "frob", path: "/data", value: 5}]')) },
  {
    kind: "Mutating",
    spec: mutations(
      patch('[JSONPatch{op: "add", path: "/metadata/annotations", value: Object.metadata.annotations{a: "b"}}]'),
    ),
  },
  {
    kind: "Mutating",
    spec: {
      ...mutations(apply('Object{data: {"k": variables.v}}')),
      variables: [{ name: "v", expression: '"x" + object.metadata.name' }],
    },
  },
  {
    kind: "Mutating",
    spec: {
      ...mutations(apply('Object{data: {"k": variables.v}}')),
      variables: [{ name: "v", expression: "object.data.nope" }],
    },
  },
  {
    kind: "Mutating",
    spec: {
      ...mutations(apply('Object{data: {"k": "v"}}')),
      matchConditions: [{ name: "c", expression: 'object.metadata.name == "other"' }],
    },
  },
  {
    kind: "Mutating",
    spec: {
      ...mutations(apply('Object{data: {"k": "v"}}')),
      matchConditions: [
        { name: "c", expression: 'object.data.nope == "other"' },
        { name: "d", expression: 'object.data.nada == "other"' },
      ],
    },
  },
  {
    kind: "Mutating",
    spec: { ...mutations(apply('Object{data: {"k": params.data.value}}')), ...params },
    binding: ref("params", { namespace: "${ns}" }),
  },
  {
    kind: "Mutating",
    spec: { ...mutations(apply('Object{data: {"k": params.data.value}}')), ...params },
    binding: ref("gone"),
  },
  {
    kind: "Mutating",
    spec: { ...mutations(apply('Object{data: {"k": params == null ? "none" : "some"}}')), ...params },
  },
  {
    kind: "Mutating",
    spec: { ...mutations(apply('Object{data: {"k": "v"}}')), paramKind: { apiVersion: "x.example/v1", kind: "Nope" } },
    binding: ref("gone"),
  },
  {
    kind: "Mutating",
    spec: mutations(
      apply(
        'Object{spec: Object.spec{containers: [Object.spec.containers{name: "main", imagePullPolicy: "Never", env: [Object.spec.containers.env{name: "B", value: "2"}]}]}}',
      ),
    ),
    object: pod,
    resource: "pods",
    resources: ["pods"],
  },
  {
    kind: "Mutating",
    spec: mutations(
      apply(
        'Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: "init", image: "x"}], nodeSelector: {"a": "b"}}}',
      ),
    ),
    object: pod,
    resource: "pods",
    resources: ["pods"],
  },
  {
    kind: "Mutating",
    spec: mutations(
      apply('Object{spec: Object.spec{containers: [Object.spec.containers{name: "main", args: ["a"]}]}}'),
    ),
    object: pod,
    resource: "pods",
    resources: ["pods"],
  },
  {
    kind: "Mutating",
    spec: mutations(
      apply("Object{spec: Object.spec{hostNetwork: true}}"),
      patch('[JSONPatch{op: "add", path: "/metadata/labels/net", value: string(object.spec.hostNetwork)}]'),
    ),
    object: pod,
    resource: "pods",
    resources: ["pods"],
  },
  {
    kind: "Mutating",
    spec: mutations(
      apply(
        'Object{data: {"authorized": string(authorizer.group("").resource("pods").namespace("x").check("get").allowed()), "own": string(authorizer.requestResource.check("create").allowed()), "why": authorizer.serviceAccount("a", "b").path("/healthz").check("get").reason()}}',
      ),
    ),
  },
  { kind: "Validating", spec: validate("false") },
  { kind: "Validating", spec: validate("false", { message: "no", reason: "Forbidden" }) },
  {
    kind: "Validating",
    spec: validate("false", { messageExpression: '"it is " + object.metadata.name', reason: "RequestEntityTooLarge" }),
  },
  { kind: "Validating", spec: validate("object.data.nope == 'x'") },
  { kind: "Validating", spec: { ...validate("object.data.nope == 'x'"), failurePolicy: "Ignore" } },
  { kind: "Validating", spec: validate("false", { messageExpression: "object.data.nope", message: "plain" }) },
  {
    kind: "Validating",
    spec: {
      validations: [
        { expression: "false", message: "one" },
        { expression: "false", message: "two" },
      ],
    },
  },
  {
    kind: "Validating",
    spec: validate("false", { message: "warned" }),
    binding: { validationActions: ["Warn", "Audit"] },
  },
  {
    kind: "Validating",
    spec: {
      validations: [
        { expression: "false", message: "one" },
        { expression: "false", message: "two" },
      ],
    },
    binding: { validationActions: ["Warn"] },
  },
  {
    kind: "Validating",
    spec: {
      ...validate("variables.b == 'x'", { messageExpression: "'b is ' + variables.b" }),
      variables: [
        { name: "a", expression: "object.metadata.name" },
        { name: "b", expression: "variables.a + '!'" },
      ],
    },
  },
  {
    kind: "Validating",
    spec: { ...validate("variables.a == 'x'"), variables: [{ name: "a", expression: "object.data.nope" }] },
  },
  {
    kind: "Validating",
    spec: { ...validate("params.data.value == 'x'", { messageExpression: "params.data.value" }), ...params },
    binding: ref("params", { namespace: "${ns}" }),
  },
  { kind: "Validating", spec: { ...validate("true"), ...params }, binding: ref("gone") },
  {
    kind: "Validating",
    spec: { ...validate("false"), ...params },
    binding: ref("gone", { parameterNotFoundAction: "Allow" }),
  },
  {
    kind: "Validating",
    spec: { ...validate("true"), paramKind: { apiVersion: "x.example/v1", kind: "Nope" } },
    binding: ref("gone"),
  },
  {
    kind: "Validating",
    spec: { ...validate("true"), paramKind: { apiVersion: "v1", kind: "Node" } },
    binding: ref("gone", { namespace: "x" }),
  },
  { kind: "Validating", spec: { ...validate("params == null"), ...params } },
  {
    kind: "Validating",
    spec: { ...validate("true"), auditAnnotations: [{ key: "k", valueExpression: "object.data.nope" }] },
  },
  {
    kind: "Validating",
    spec: { ...validate("false"), matchConditions: [{ name: "c", expression: "object.data.nope == 'x'" }] },
  },
  {
    kind: "Validating",
    spec: validate("has(request.subResource)", {
      messageExpression:
        "request.operation + request.resource.resource + request.kind.kind + request.namespace + request.name + string(request.dryRun) + request.userInfo.username",
    }),
  },
  { kind: "Validating", spec: validate("request.subResource == ''") },
  {
    kind: "Validating",
    spec: validate("namespaceObject.metadata.name == 'x'", {
      messageExpression: "namespaceObject.metadata.name + namespaceObject.status.phase",
    }),
  },
  {
    kind: "Validating",
    spec: validate(
      "authorizer.group('').resource('pods').namespace('x').check('frob').allowed() && authorizer.path('').check('get').allowed()",
    ),
  },
  { kind: "Validating", spec: validate("authorizer.serviceAccount('A', 'b').path('/').check('get').allowed()") },
  {
    kind: "Validating",
    spec: validate(
      "object.kind == 'ConfigMap' && object.apiVersion == 'v1' && oldObject == null && has(object.metadata.uid)",
      { messageExpression: "object.kind" },
    ),
  },
];

const group = "/apis/admissionregistration.k8s.io/v1";

function setUp({ kind, spec, binding, resources = ["configmaps"] }: Case, at: number): Step[] {
  const name = `case-${String(at)}.\${ns}`;
  const lower = `${kind.toLowerCase()}admissionpolic`;
  const matchConstraints = {
    objectSelector: { matchLabels: { case: String(at), home: "${ns}" } },
    resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources }],
  };
  const actions = kind === "Validating" ? { validationActions: ["Deny"] } : {};
  return [
    { method: "POST", path: `${group}/${lower}ies`, json: { metadata: { name }, spec: { matchConstraints, ...spec } } },
    {
      method: "POST",
      path: `${group}/${lower}ybindings`,
      json: { metadata: { name }, spec: { policyName: name, ...actions, ...binding } },
    },
  ];
}

/** Effects of admission policies on requests. */
export const policyProbes: Topic = {
  name: "policies",
  setup: [
    {
      method: "POST",
      path: "/api/v1/namespaces/${ns}/configmaps",
      json: { metadata: { name: "params" }, data: { value: "given" } },
    },
    ...cases.flatMap(setUp),
    { method: "GET", path: "/api/v1/namespaces/${ns}", pauseMs: 6000 },
  ],
  probes: cases.map(
    (each, at): Probe => ({
      id: `${String(at)}-${each.kind}`,
      steps: [
        {
          method: "POST",
          path: `/api/v1/namespaces/\${ns}/${each.resource ?? "configmaps"}?dryRun=All`,
          json: { ...(each.object ?? {}), metadata: { name: "probe", labels: { case: String(at), home: "${ns}" } } },
          ignore: ["/metadata/uid", "/metadata/managedFields"],
        },
      ],
    }),
  ),
};
