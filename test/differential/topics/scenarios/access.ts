import type { Step, Topic } from "../../probe.js";
import type { Json } from "./steps.js";
import {
  configMap,
  configMaps,
  container,
  core,
  deployment,
  deployments,
  get,
  one,
  patch,
  pod,
  pods,
  post,
  put,
  quiet,
  remove,
  service,
} from "./steps.js";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const roles = `${rbac}/namespaces/\${ns}/roles`;
const bindings = `${rbac}/namespaces/\${ns}/rolebindings`;
const clusterRoles = `${rbac}/clusterroles`;
const clusterBindings = `${rbac}/clusterrolebindings`;
const user = (name: string): Json => ({ kind: "User", apiGroup: "rbac.authorization.k8s.io", name });
const role = (name: string, rules: readonly Json[]): Json => ({ metadata: { name }, rules });
const binding = (name: string, kind: string, to: string, subjects: readonly Json[] = [user("alice")]): Json => ({
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: to },
  subjects,
});
const rule = (verbs: string, resources: string, more: Json = {}): Json => ({
  apiGroups: [""],
  resources: resources.split(","),
  verbs: verbs.split(","),
  ...more,
});
const alice = (step: Step): Step => ({ ...step, token: "alice-token" });
/** Steps with a role and a binding for alice, her requests, and the cleanup. */
const granted = (rules: readonly Json[], ...steps: readonly Step[]): readonly Step[] => [
  quiet(post(roles, role("r", rules))),
  quiet(post(bindings, binding("b", "Role", "r"))),
  { ...quiet(get(`${roles}/r`)), pauseMs: 300 },
  ...steps.map(alice),
  quiet(remove(`${bindings}/b`)),
  quiet(remove(`${roles}/r`)),
];
const authorization = "/apis/authorization.k8s.io/v1";
const authentication = "/apis/authentication.k8s.io/v1";
const as = (headers: Record<string, string>): Partial<Step> => ({
  headers: { "content-type": "application/json", ...headers },
});
const anyRule = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];

const requirement = (key: string, operator: string, values?: readonly string[]): Json => ({
  key,
  operator,
  ...(values === undefined ? {} : { values }),
});
const selectors: readonly Json[] = [
  {},
  { rawSelector: "" },
  { requirements: [] },
  { rawSelector: "a=b" },
  { rawSelector: "metadata.name=x" },
  { rawSelector: "a=b", requirements: [requirement("a", "In", ["b"])] },
  ...["a", "a=b,c!=d", "a in (b,c)", "!a", "a=b=c", "&", "a>1", "a=b,", ",", "a=\\x", " a = b "].map((rawSelector) => ({
    rawSelector,
  })),
  ...[
    [requirement("a", "In", ["b"])],
    [requirement("a", "NotIn", ["b"])],
    [requirement("a", "In", ["b", "c"])],
    [requirement("a", "In")],
    [requirement("a", "NotIn", [])],
    [requirement("a", "Exists")],
    [requirement("a", "Exists", ["b"])],
    [requirement("a", "DoesNotExist")],
    [requirement("a", "Bogus")],
    [requirement("a", "Bogus", ["x"])],
    [requirement("a", "Gt", ["1"])],
    [requirement("", "In", ["b"])],
    [requirement("a b", "In", ["c d"])],
    [requirement("a", "In", ["b"]), requirement("c", "Bogus")],
    [requirement("a", "Exists"), requirement("c", "Bogus"), requirement("d", "In", ["e", "f"])],
    [{}],
  ].map((requirements) => ({ requirements })),
];

/** Authorization and authentication. */
export const accessScenarios: Topic = {
  name: "s-access",
  setup: [
    post(configMaps, configMap("a", { data: { a: "1" } })),
    post(configMaps, configMap("b")),
    post(`${core}/serviceaccounts`, { metadata: { name: "sa" } }),
    post(pods, pod("p")),
  ],
  probes: [
    one(
      "names",
      granted(
        [rule("get,update,patch,delete,list,watch,create,deletecollection", "configmaps", { resourceNames: ["a"] })],
        get(`${configMaps}/a`),
        get(`${configMaps}/b`),
        get(configMaps),
        get(`${configMaps}?fieldSelector=metadata.name%3Da`),
        get(`${configMaps}?fieldSelector=metadata.name%3Db`),
        get(`${configMaps}?fieldSelector=metadata.name%21%3Db`),
        get(`${configMaps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Da&resourceVersion=0`, {
          ignore: ["/body"],
        }),
        post(configMaps, configMap("a")),
        put(`${configMaps}/a`, configMap("a", { data: { b: "1" } })),
        patch(`${configMaps}/a`, "merge", {}),
        patch(`${configMaps}/c?fieldManager=x`, "apply", configMap("c")),
        remove(`${configMaps}?fieldSelector=metadata.name%3Da`),
        remove(configMaps),
        put(`${configMaps}/zzz`, configMap("zzz")),
        get("/api/v1/configmaps?fieldSelector=metadata.name%3Da"),
      ),
    ),
    one(
      "subresources",
      granted(
        [
          rule("get", "pods/log,pods/status"),
          rule("create", "pods/eviction"),
          rule("*", "*/scale", { apiGroups: ["apps"] }),
        ],
        get(`${pods}/p`),
        get(`${pods}/p/status`),
        get(`${pods}/p/log`),
        post(`${pods}/p/eviction?dryRun=All`, { metadata: { name: "p" } }),
        get(`${deployments}/x/scale`),
        get(`${deployments}/x`),
        put(`${pods}/p/status`, pod("p")),
        get(`${pods}/p/exec?command=a`),
        post(`${pods}/p/binding`, {}),
        patch(`${pods}/p/resize`, "merge", {}),
        put(`${pods}/p/ephemeralcontainers`, pod("p")),
      ),
    ),
    one(
      "create-on-update",
      granted(
        [rule("update,patch", "configmaps,endpoints")],
        put(`${core}/endpoints/none`, { metadata: { name: "none" } }),
        patch(`${configMaps}/none?fieldManager=x`, "apply", configMap("none")),
        put("/apis/coordination.k8s.io/v1/namespaces/${ns}/leases/x", { metadata: { name: "x" } }),
      ),
    ),
    one(
      "escalation",
      granted(
        [
          rule("*", "roles,rolebindings", { apiGroups: ["rbac.authorization.k8s.io"] }),
          rule("get,list", "pods"),
          rule("get", "configmaps", { resourceNames: ["a"] }),
        ],
        ...[
          [rule("get", "pods")],
          [rule("get,list", "pods")],
          [rule("watch", "pods")],
          [rule("*", "pods")],
          [rule("get", "configmaps")],
          [rule("get", "configmaps", { resourceNames: ["a"] })],
          [rule("get", "configmaps", { resourceNames: ["a", "b"] })],
          [rule("get", "pods/log")],
          [rule("get", "secrets"), rule("delete", "nodes")],
          [rule("get", "*")],
          [rule("get", "pods", { apiGroups: ["", "apps"] })],
          [],
        ].flatMap((rules, at) => [post(`${roles}?dryRun=All`, role(`e${String(at)}`, rules))]),
        put(`${roles}/r`, role("r", [rule("get", "secrets")])),
        post(bindings, binding("eb", "Role", "r")),
        post(bindings, binding("eb", "ClusterRole", "cluster-admin")),
        post(bindings, binding("eb", "ClusterRole", "view")),
        post(bindings, binding("eb", "ClusterRole", "none")),
        post(bindings, binding("eb", "Role", "none")),
        patch(`${bindings}/b`, "merge", { roleRef: { name: "x" } }),
        post(clusterRoles, role("x", [])),
        quiet(remove(`${bindings}/eb`)),
      ),
    ),
    one(
      "bind-verb",
      granted(
        [
          rule("create,update", "rolebindings", { apiGroups: ["rbac.authorization.k8s.io"] }),
          rule("bind", "clusterroles", { apiGroups: ["rbac.authorization.k8s.io"], resourceNames: ["view"] }),
          rule("bind", "roles", { apiGroups: ["rbac.authorization.k8s.io"] }),
        ],
        post(`${bindings}?dryRun=All`, binding("x", "ClusterRole", "view")),
        post(`${bindings}?dryRun=All`, binding("x", "ClusterRole", "edit")),
        post(`${bindings}?dryRun=All`, binding("x", "Role", "none")),
      ),
    ),
    one(
      "escalate-verb",
      granted(
        [rule("create,update,escalate", "roles", { apiGroups: ["rbac.authorization.k8s.io"] })],
        post(`${roles}?dryRun=All`, role("x", anyRule)),
        put(`${roles}/r?dryRun=All`, role("r", anyRule)),
      ),
    ),
    one(
      "aggregation",
      post(clusterRoles, {
        metadata: { name: "agg-${ns}" },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { agg: "${ns}" } }] },
      }),
      post(clusterRoles, {
        metadata: { name: "part-${ns}", labels: { agg: "${ns}" } },
        rules: [rule("get", "secrets")],
      }),
      get(`${clusterRoles}/agg-\${ns}`),
      post(clusterRoles, { metadata: { name: "bad-${ns}" }, aggregationRule: {}, rules: [rule("get", "x")] }),
      post(clusterRoles, {
        metadata: { name: "bad2-${ns}" },
        aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "Bogus" }] }] },
      }),
      remove(`${clusterRoles}/agg-\${ns}`),
      remove(`${clusterRoles}/part-\${ns}`),
      quiet(remove(`${clusterRoles}?labelSelector=none%3Dsuch`)),
    ),
    ...[
      [{ kind: "Group", name: "dev" }],
      [{ kind: "Group", name: "system:authenticated" }],
      [{ kind: "User", name: "*" }],
      [{ kind: "ServiceAccount", name: "sa", namespace: "${ns}" }],
      [{ kind: "ServiceAccount", name: "sa" }],
      [{ kind: "Bogus", name: "x" }],
      [{ kind: "User", name: "" }],
      [{ kind: "User", name: "alice", apiGroup: "x" }],
      [{ kind: "User", name: "alice", namespace: "x" }],
      [],
    ].map((subjects) =>
      one(
        `subjects/${JSON.stringify(subjects)}`,
        quiet(post(roles, role("s", [rule("get", "configmaps")]))),
        post(bindings, binding("s", "Role", "s", subjects)),
        alice({ ...get(`${configMaps}/a`), pauseMs: 200 }),
        quiet({ ...remove(`${roles}/s`) }),
        remove(bindings),
      ),
    ),
    ...[
      { kind: "Role", name: "x", apiGroup: "y" },
      { kind: "Bogus", name: "x" },
      { kind: "ClusterRole", name: "" },
      { kind: "Role" },
      {},
    ].map((roleRef) =>
      one(
        `role-ref/${JSON.stringify(roleRef)}`,
        post(`${bindings}?dryRun=All`, { metadata: { name: "x" }, roleRef }),
        post(`${clusterBindings}?dryRun=All`, { metadata: { name: "x" }, roleRef }),
      ),
    ),
    ...[
      [{}],
      [{ verbs: [] }],
      [{ verbs: ["get"] }],
      [{ verbs: ["get"], apiGroups: [""] }],
      [{ verbs: ["get"], resources: ["pods"] }],
      [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
      [{ verbs: ["get"], nonResourceURLs: ["x"] }],
      [{ verbs: ["get"], nonResourceURLs: ["/x*y"] }],
      [{ verbs: ["get"], nonResourceURLs: ["/x"], apiGroups: [""], resources: ["pods"] }],
      [{ verbs: ["x y"], apiGroups: ["A"], resources: ["B/c/d"] }],
    ].map((rules) =>
      one(
        `rules/${JSON.stringify(rules)}`,
        post(`${roles}?dryRun=All`, { metadata: { name: "x" }, rules }),
        post(`${clusterRoles}?dryRun=All`, { metadata: { name: "x" }, rules }),
      ),
    ),
    one(
      "cluster-in-namespace",
      quiet(post(bindings, binding("v", "ClusterRole", "view"))),
      ...[
        configMaps,
        `${core}/secrets`,
        pods,
        `${pods}/p/log`,
        `${pods}/p/status`,
        deployments,
        roles,
        "/api/v1/nodes",
        "/api/v1/namespaces/${ns}",
        "/api/v1/namespaces",
        "/apis/apps/v1/deployments",
        `${core}/serviceaccounts/sa`,
        `${core}/events`,
      ].map((path) => alice({ ...get(path), ignore: ["/items", "/metadata", "/spec", "/status"] })),
      alice(post(configMaps, configMap("x"))),
      quiet(remove(`${bindings}/v`)),
    ),
    one(
      "rules-review",
      granted(
        [rule("get", "configmaps", { resourceNames: ["a"] }), rule("list", "configmaps")],
        post(`${authorization}/selfsubjectrulesreviews`, { spec: { namespace: "${ns}" } }),
        post(`${authorization}/selfsubjectrulesreviews`, { spec: { namespace: "default" } }),
        post(`${authorization}/selfsubjectrulesreviews`, { spec: {} }),
        ...[
          { verb: "get", resource: "configmaps", name: "a", namespace: "${ns}" },
          { verb: "get", resource: "configmaps", name: "b", namespace: "${ns}" },
          { verb: "list", resource: "configmaps", namespace: "${ns}" },
          { verb: "list", resource: "configmaps" },
          { verb: "get", resource: "configmaps", subresource: "status", name: "a", namespace: "${ns}" },
          { verb: "get", resource: "configmaps", group: "x", name: "a", namespace: "${ns}" },
          { verb: "get", resource: "configmaps", version: "v7", name: "a", namespace: "${ns}" },
        ].map((resourceAttributes) =>
          post(`${authorization}/selfsubjectaccessreviews`, { spec: { resourceAttributes } }),
        ),
        post(`${authorization}/subjectaccessreviews`, { spec: { user: "x", resourceAttributes: { verb: "get" } } }),
        post(`${authorization}/namespaces/\${ns}/localsubjectaccessreviews`, { spec: { user: "x" } }),
      ),
    ),
    ...[
      { user: "bob", resourceAttributes: { verb: "get", resource: "pods", namespace: "${ns}" } },
      { user: "bob", resourceAttributes: { verb: "get", resource: "pods", namespace: "other" } },
      { resourceAttributes: { verb: "get", resource: "pods", namespace: "${ns}" } },
      { user: "bob", nonResourceAttributes: { path: "/", verb: "get" } },
      {
        user: "bob",
        groups: ["system:masters"],
        resourceAttributes: { verb: "get", resource: "pods", namespace: "${ns}" },
      },
      { user: "bob", uid: "u", extra: { a: ["b"] }, resourceAttributes: { verb: "x", namespace: "${ns}" } },
      { groups: ["g"], resourceAttributes: { namespace: "${ns}" } },
    ].map((spec) =>
      one(
        `local-review/${JSON.stringify(spec)}`,
        post(`${authorization}/namespaces/\${ns}/localsubjectaccessreviews`, { spec }),
        post(`${authorization}/subjectaccessreviews`, { spec }),
        post(`${authorization}/subjectaccessreviews?dryRun=All`, { metadata: { name: "x" }, spec }),
      ),
    ),
    ...selectors.map((selector) =>
      one(
        `selector-review/${JSON.stringify(selector)}`,
        post(`${authorization}/selfsubjectaccessreviews`, {
          spec: { resourceAttributes: { verb: "list", resource: "pods", fieldSelector: selector } },
        }),
        post(`${authorization}/subjectaccessreviews`, {
          spec: { user: "bob", resourceAttributes: { verb: "list", resource: "pods", labelSelector: selector } },
        }),
        post(`${authorization}/namespaces/\${ns}/localsubjectaccessreviews`, {
          spec: {
            groups: ["g"],
            resourceAttributes: {
              verb: "list",
              resource: "pods",
              namespace: "${ns}",
              labelSelector: selector,
              fieldSelector: selector,
            },
          },
        }),
      ),
    ),
    one(
      "missing-roles",
      quiet(post(bindings, binding("m1", "Role", "gone"))),
      quiet(post(bindings, binding("m2", "ClusterRole", "gone"))),
      quiet(post(bindings, binding("m3", "Role", "gone"))),
      quiet(post(roles, role("r", [rule("create", "roles", { apiGroups: ["rbac.authorization.k8s.io"] })]))),
      quiet(post(bindings, binding("b", "Role", "r"))),
      alice({ ...post(`${authorization}/selfsubjectrulesreviews`, { spec: { namespace: "${ns}" } }), pauseMs: 300 }),
      alice(
        post(`${authorization}/selfsubjectaccessreviews`, {
          spec: { resourceAttributes: { verb: "get", resource: "configmaps", namespace: "${ns}" } },
        }),
      ),
      alice(get(configMaps)),
      alice(post(roles, role("e", [rule("get", "secrets")]))),
      quiet(remove(bindings)),
      quiet(remove(`${roles}/r`)),
    ),
    ...[
      {},
      { spec: null },
      { spec: { namespace: "" } },
      { spec: { namespace: "none-such" } },
      { metadata: { name: "x", labels: { a: "b" } }, spec: { namespace: "default" } },
      {
        status: { incomplete: true, resourceRules: [], nonResourceRules: [], evaluationError: "x" },
        spec: { namespace: "default" },
      },
    ].map((body) =>
      one(
        `rules-review/${JSON.stringify(body)}`,
        alice(post(`${authorization}/selfsubjectrulesreviews`, body)),
        post(`${authorization}/selfsubjectrulesreviews?dryRun=All`, body),
      ),
    ),
    ...(
      [
        {
          "impersonate-user": "bob",
          "impersonate-extra-a": "1",
          "impersonate-extra-b%2fc": "2",
          "impersonate-group": "g1",
          "impersonate-uid": "u9",
        },
        { "impersonate-user": "system:serviceaccount:${ns}:sa" },
        { "impersonate-user": "system:serviceaccount:${ns}:sa", "impersonate-group": "only" },
        { "impersonate-user": "system:anonymous" },
        { "impersonate-user": "system:unauthenticated" },
        { "impersonate-user": "bob", "impersonate-group": "system:unauthenticated" },
        { "impersonate-user": "bob", "impersonate-group": "system:authenticated" },
        { "impersonate-user": "system:node:n1", "impersonate-group": "system:nodes" },
        { "impersonate-extra-x": "y" },
        { "impersonate-uid": "x" },
        { "impersonate-user": "a", "impersonate-extra-": "x" },
        { "impersonate-user": "é" },
      ] as Record<string, string>[]
    ).map((headers) =>
      one(
        `impersonation/${JSON.stringify(headers)}`,
        post(`${authentication}/selfsubjectreviews`, {}, as(headers)),
        get(`${configMaps}/a`, { headers }),
        alice(get(`${configMaps}/a`, { headers })),
      ),
    ),
    one(
      "impersonation-rights",
      quiet(
        post(
          clusterRoles,
          role("imp-${ns}", [
            rule("impersonate", "users", { resourceNames: ["bob"] }),
            rule("impersonate", "groups", { resourceNames: ["g"] }),
            {
              apiGroups: ["authentication.k8s.io"],
              resources: ["userextras/scopes", "uids"],
              verbs: ["impersonate"],
              resourceNames: ["a", "u1"],
            },
            rule("impersonate", "serviceaccounts", { resourceNames: ["sa"] }),
          ]),
        ),
      ),
      quiet(post(clusterBindings, binding("imp-${ns}", "ClusterRole", "imp-${ns}"))),
      ...(
        [
          { "impersonate-user": "bob" },
          { "impersonate-user": "eve" },
          { "impersonate-user": "bob", "impersonate-group": "g" },
          { "impersonate-user": "bob", "impersonate-group": "h" },
          { "impersonate-user": "bob", "impersonate-extra-scopes": "a" },
          { "impersonate-user": "bob", "impersonate-extra-scopes": "b" },
          { "impersonate-user": "bob", "impersonate-extra-other": "a" },
          { "impersonate-user": "bob", "impersonate-uid": "u1" },
          { "impersonate-user": "bob", "impersonate-uid": "u2" },
          { "impersonate-user": "system:serviceaccount:${ns}:sa" },
          { "impersonate-user": "system:serviceaccount:${ns}:other" },
        ] as Record<string, string>[]
      ).map((headers, at) =>
        alice({
          ...post(`${authentication}/selfsubjectreviews`, {}, as(headers)),
          ...(at === 0 ? { pauseMs: 500 } : {}),
        }),
      ),
      quiet(remove(`${clusterBindings}/imp-\${ns}`)),
      quiet(remove(`${clusterRoles}/imp-\${ns}`)),
    ),
    ...[
      "Bearer",
      "Bearer ",
      "Bearer  admin-token",
      "bearer admin-token",
      "Basic YWRtaW46eA==",
      "admin-token",
      "Bearer admin-token x",
      "Bearer admin-token,other",
    ].map((authorizationHeader) =>
      one(
        `authn/${authorizationHeader}`,
        { ...get(`${configMaps}/a`), token: "", headers: { authorization: authorizationHeader } },
        {
          ...get("/version"),
          token: "",
          headers: { authorization: authorizationHeader },
          ignore: ["/gitCommit", "/gitTreeState", "/goVersion", "/platform", "/compiler"],
        },
      ),
    ),
    one(
      "tokens",
      post(
        `${core}/serviceaccounts/sa/token`,
        { spec: { expirationSeconds: 600, audiences: ["x"] } },
        { ignore: ["/status/token", "/status/expirationTimestamp"], capture: { token: "/status/token" } },
      ),
      post(`${authentication}/tokenreviews`, { spec: { token: "${token}" } }, { ignore: ["/spec/token"] }),
      post(
        `${authentication}/tokenreviews`,
        { spec: { token: "${token}", audiences: ["x", "y"] } },
        { ignore: ["/spec/token", "/status/user/extra"] },
      ),
      post(
        `${authentication}/tokenreviews`,
        { spec: { token: "${token}", audiences: ["z"] } },
        { ignore: ["/spec/token"] },
      ),
      post(
        `${core}/serviceaccounts/sa/token`,
        {},
        { ignore: ["/status/token", "/status/expirationTimestamp"], capture: { own: "/status/token" } },
      ),
      post(
        `${core}/serviceaccounts/sa/token`,
        {},
        { ignore: ["/status/token", "/status/expirationTimestamp"], capture: { unused: "/status/token" } },
      ),
      post(
        `${core}/serviceaccounts/sa/token`,
        {},
        { ignore: ["/status/token", "/status/expirationTimestamp"], capture: { later: "/status/token" } },
      ),
      { ...post(`${authentication}/selfsubjectreviews`, {}), token: "${own}", ignore: ["/status/userInfo/extra"] },
      { ...get(`${configMaps}/a`), token: "${own}" },
      quiet(remove(`${core}/serviceaccounts/sa`)),
      { ...get(`${configMaps}/a`), token: "${unused}", pauseMs: 300 },
      quiet(post(`${core}/serviceaccounts`, { metadata: { name: "sa" } })),
      { ...get(`${configMaps}/a`), token: "${later}", pauseMs: 300 },
      ...[{ name: "other" }, { namespace: "other" }, { uid: "other" }].map((metadata) =>
        post(`${core}/serviceaccounts/sa/token`, { metadata, spec: {} }),
      ),
    ),
  ],
};

const home = "/api/v1/namespaces/q-${ns}";
const quota = (name: string, spec: Json): Step => quiet(post(`${home}/resourcequotas`, { metadata: { name }, spec }));
const counted = (name: string, hard: Json): Step =>
  quiet(
    patch(`${home}/resourcequotas/${name}/status`, "merge", {
      status: { hard, used: Object.fromEntries(Object.keys(hard).map((key) => [key, "0"])) },
    }),
  );
const limited = (hard: Json): readonly Step[] => [
  quota("q", { hard }),
  counted("q", hard),
  { ...quiet(get(`${home}/resourcequotas/q`)), pauseMs: 400 },
];
const done = (): readonly Step[] => [
  get(`${home}/resourcequotas`),
  quiet(remove(`${home}/resourcequotas`)),
  quiet(remove(`${home}/configmaps`)),
  quiet(remove(`${home}/pods?gracePeriodSeconds=0`)),
  quiet(remove(`${home}/limitranges`)),
  { ...quiet(get(`${home}/resourcequotas`)), pauseMs: 300 },
];
const sized = (name: string, requests: Json, limits: Json = {}): Json =>
  pod(name, { containers: [{ ...container, resources: { requests, limits } }] });
const ranged = (limits: readonly Json[]): readonly Step[] => [
  quiet(post(`${home}/limitranges`, { metadata: { name: "l" }, spec: { limits } })),
  { ...quiet(get(`${home}/limitranges/l`)), pauseMs: 400 },
];

/** Admission, and the life cycle of namespaces. */
export const admissionScenarios: Topic = {
  name: "s-admission",
  setup: [post("/api/v1/namespaces", { metadata: { name: "q-${ns}" } })],
  probes: [
    one(
      "quota/count",
      limited({ configmaps: "2", "count/secrets": "1", "services.nodeports": "0" }),
      post(`${home}/configmaps`, configMap("a")),
      post(`${home}/configmaps?dryRun=All`, configMap("b")),
      post(`${home}/configmaps`, configMap("b")),
      post(`${home}/configmaps`, configMap("c")),
      post(`${home}/configmaps`, configMap("b")),
      post(`${home}/secrets`, { metadata: { name: "s" } }),
      post(`${home}/secrets`, { metadata: { name: "t" } }),
      post(`${home}/services`, { metadata: { name: "np" }, spec: { type: "NodePort", ports: [{ port: 80 }] } }),
      quiet(remove(`${home}/secrets/s`)),
      done(),
    ),
    one(
      "quota/compute",
      limited({ pods: "2", "requests.cpu": "1", "limits.memory": "1Gi" }),
      post(`${home}/pods`, pod("a")),
      post(`${home}/pods`, sized("b", { cpu: "500m" }, { memory: "512Mi" })),
      post(`${home}/pods`, sized("c", { cpu: "600m" }, { memory: "1Mi" })),
      post(`${home}/pods`, sized("d", { cpu: "0.1" }, { memory: "600Mi" })),
      post(`${home}/pods`, sized("e", { cpu: "100m" }, { memory: "1Mi" })),
      post(`${home}/pods`, sized("f", { cpu: "100m" }, { memory: "1Mi" })),
      done(),
    ),
    one(
      "quota/two",
      limited({ configmaps: "1" }),
      quota("r", { hard: { configmaps: "5" } }),
      counted("r", { configmaps: "5" }),
      { ...post(`${home}/configmaps`, configMap("a")), pauseMs: 400 },
      post(`${home}/configmaps`, configMap("b")),
      done(),
    ),
    ...[
      "BestEffort",
      "NotBestEffort",
      "Terminating",
      "NotTerminating",
      "PriorityClass",
      "CrossNamespacePodAffinity",
    ].map((scope) =>
      one(
        `quota/scope ${scope}`,
        post(`${home}/resourcequotas`, { metadata: { name: "q" }, spec: { hard: { pods: "0" }, scopes: [scope] } }),
        counted("q", { pods: "0" }),
        { ...post(`${home}/pods?dryRun=All`, pod("x")), pauseMs: 400 },
        post(`${home}/pods?dryRun=All`, sized("x", { cpu: "1" })),
        post(`${home}/pods?dryRun=All`, pod("x", { activeDeadlineSeconds: 5 })),
        done(),
      ),
    ),
    one(
      "quota/storage",
      limited({
        "requests.storage": "2Gi",
        persistentvolumeclaims: "1",
        "fast.storageclass.storage.k8s.io/requests.storage": "1Gi",
      }),
      ...["1Gi", "3Gi"].flatMap((storage) =>
        ["fast", "slow"].map((storageClassName) =>
          post(`${home}/persistentvolumeclaims?dryRun=All`, {
            metadata: { name: "c" },
            spec: { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage } } },
          }),
        ),
      ),
      done(),
    ),
    one(
      "limits/container",
      ranged([
        {
          type: "Container",
          default: { cpu: "200m" },
          defaultRequest: { cpu: "100m" },
          max: { cpu: "500m", memory: "1Gi" },
          min: { cpu: "50m" },
          maxLimitRequestRatio: { cpu: "3" },
        },
        { type: "Pod", max: { cpu: "600m" } },
      ]),
      post(`${home}/pods?dryRun=All`, pod("x")),
      post(`${home}/pods?dryRun=All`, sized("x", { cpu: "10m" })),
      post(`${home}/pods?dryRun=All`, sized("x", { cpu: "100m" }, { cpu: "900m" })),
      post(`${home}/pods?dryRun=All`, sized("x", { cpu: "50m" }, { cpu: "400m", memory: "1Gi" })),
      post(`${home}/pods?dryRun=All`, sized("x", {}, { cpu: "300m", memory: "2Gi" })),
      post(
        `${home}/pods?dryRun=All`,
        pod("x", {
          containers: [container, { ...container, name: "d", resources: { limits: { cpu: "500m" } } }],
          initContainers: [{ ...container, name: "i" }],
        }),
      ),
      post(`${home}/pods?dryRun=All`, pod("x", { resources: { limits: { cpu: "1" } } })),
      post("/apis/apps/v1/namespaces/q-${ns}/deployments?dryRun=All", deployment("x")),
      done(),
    ),
    one(
      "limits/claims",
      ranged([{ type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "5Gi" } }]),
      ...["500Mi", "1Gi", "6Gi"].map((storage) =>
        post(`${home}/persistentvolumeclaims?dryRun=All`, {
          metadata: { name: "c" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
        }),
      ),
      done(),
    ),
    ...["restricted", "baseline", "privileged", "bogus"].map((level) =>
      one(
        `pod-security/${level}`,
        post("/api/v1/namespaces", {
          metadata: {
            name: `s-${level}-\${ns}`,
            labels: {
              "pod-security.kubernetes.io/enforce": level,
              "pod-security.kubernetes.io/warn": "restricted",
              "pod-security.kubernetes.io/enforce-version": "latest",
            },
          },
        }),
        ...[
          pod("x"),
          pod("x", { hostNetwork: true }),
          pod("x", {
            containers: [{ ...container, securityContext: { privileged: true, capabilities: { add: ["SYS_ADMIN"] } } }],
          }),
          pod("x", {
            securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
            containers: [
              { ...container, securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } } },
            ],
          }),
          pod("x", { volumes: [{ name: "v", hostPath: { path: "/" } }] }),
        ].map((body) => post(`/api/v1/namespaces/s-${level}-\${ns}/pods?dryRun=All`, body)),
        {
          ...post(
            `/apis/apps/v1/namespaces/s-${level}-\${ns}/deployments?dryRun=All`,
            deployment("x", {}, { hostPID: true }),
          ),
        },
        put(`/api/v1/namespaces/s-${level}-\${ns}`, {
          metadata: {
            name: `s-${level}-\${ns}`,
            labels: {
              "pod-security.kubernetes.io/enforce": "restricted",
              "pod-security.kubernetes.io/audit-version": "v9.x",
            },
          },
        }),
      ),
    ),
    one(
      "priority",
      post("/apis/scheduling.k8s.io/v1/priorityclasses", {
        metadata: { name: "pc-${ns}" },
        value: 7,
        preemptionPolicy: "Never",
      }),
      { ...post(`${home}/pods?dryRun=All`, pod("x", { priorityClassName: "pc-${ns}" })), pauseMs: 300 },
      post(`${home}/pods?dryRun=All`, pod("x", { priorityClassName: "pc-${ns}", priority: 8 })),
      post(`${home}/pods?dryRun=All`, pod("x", { priorityClassName: "none-such" })),
      post(`${home}/pods?dryRun=All`, pod("x", { priority: 5 })),
      post(`${home}/pods?dryRun=All`, pod("x", { priorityClassName: "system-node-critical" })),
      post(
        `${home}/pods?dryRun=All`,
        pod("x", { priorityClassName: "pc-${ns}", preemptionPolicy: "PreemptLowerPriority" }),
      ),
      post("/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "system-x" }, value: 7 }),
      patch("/apis/scheduling.k8s.io/v1/priorityclasses/pc-${ns}", "merge", { value: 8 }),
      remove("/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical?dryRun=All"),
      remove("/apis/scheduling.k8s.io/v1/priorityclasses/pc-${ns}"),
    ),
    one(
      "service-account",
      post(`${home}/pods?dryRun=All`, pod("x", { serviceAccountName: "none" })),
      post(`${home}/pods?dryRun=All`, pod("x", { automountServiceAccountToken: true })),
      post(`${home}/pods?dryRun=All`, pod("x", { serviceAccount: "old" })),
    ),
    one(
      "tolerations",
      post(
        `${home}/pods?dryRun=All`,
        pod("x", {
          tolerations: [
            { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 },
          ],
        }),
      ),
      post(`${home}/pods?dryRun=All`, pod("x", { tolerations: [{ operator: "Exists" }] })),
      post(`${home}/pods?dryRun=All`, sized("x", { "example.com/gpu": "1" }, { "example.com/gpu": "1" })),
    ),
    one(
      "namespace/life",
      post("/api/v1/namespaces", { metadata: { name: "l-${ns}" } }),
      post("/api/v1/namespaces/l-${ns}/configmaps", configMap("a", {}, { finalizers: ["x.example/y"] })),
      remove("/api/v1/namespaces/l-${ns}", { preconditions: { uid: "nope" } }),
      remove("/api/v1/namespaces/l-${ns}?dryRun=All"),
      get("/api/v1/namespaces/l-${ns}"),
      remove("/api/v1/namespaces/l-${ns}?propagationPolicy=Orphan"),
      remove("/api/v1/namespaces/l-${ns}"),
      get("/api/v1/namespaces/l-${ns}"),
      { ...post("/api/v1/namespaces/l-${ns}/configmaps", configMap("b")), pauseMs: 200 },
      patch("/api/v1/namespaces/l-${ns}/configmaps/a", "merge", { data: { a: "b" } }),
      post("/api/v1/namespaces/l-${ns}/configmaps?dryRun=All", configMap("b")),
      patch("/api/v1/namespaces/l-${ns}/configmaps/c?fieldManager=x", "apply", configMap("c")),
      patch("/api/v1/namespaces/l-${ns}", "merge", { metadata: { labels: { a: "b" } } }),
      patch("/api/v1/namespaces/l-${ns}", "merge", { spec: { finalizers: [] } }),
      patch("/api/v1/namespaces/l-${ns}/status", "merge", { status: { phase: "Active" } }),
      put("/api/v1/namespaces/l-${ns}/finalize", { metadata: { name: "other" }, spec: {} }),
      put("/api/v1/namespaces/l-${ns}/finalize", { metadata: { name: "l-${ns}" }, spec: { finalizers: ["bad name"] } }),
      patch("/api/v1/namespaces/l-${ns}/finalize", "merge", { spec: { finalizers: [] } }),
      get("/api/v1/namespaces/l-${ns}/finalize"),
      put("/api/v1/namespaces/l-${ns}/finalize", { metadata: { name: "l-${ns}" }, spec: { finalizers: [] } }),
      get("/api/v1/namespaces/l-${ns}"),
      get("/api/v1/namespaces/l-${ns}/configmaps/a"),
      patch("/api/v1/namespaces/l-${ns}/configmaps/a", "merge", { metadata: { finalizers: null } }),
      remove("/api/v1/namespaces/l-${ns}/configmaps/a"),
    ),
    ...["default", "kube-system", "kube-public", "kube-node-lease"].map((name) =>
      one(
        `namespace/fixed ${name}`,
        remove(`/api/v1/namespaces/${name}?dryRun=All`),
        get(`/api/v1/namespaces/${name}`),
        patch(`/api/v1/namespaces/${name}?dryRun=All`, "merge", {
          metadata: { labels: { "kubernetes.io/metadata.name": "x" } },
        }),
      ),
    ),
    one(
      "namespace/absent",
      post("/api/v1/namespaces/none-${ns}/configmaps", configMap("a")),
      post("/api/v1/namespaces/none-${ns}/configmaps?dryRun=All", configMap("a")),
      get("/api/v1/namespaces/none-${ns}/configmaps"),
      get("/api/v1/namespaces/none-${ns}/configmaps/a"),
      put("/api/v1/namespaces/none-${ns}/configmaps/a", configMap("a")),
      remove("/api/v1/namespaces/none-${ns}/configmaps/a"),
      remove("/api/v1/namespaces/none-${ns}/configmaps"),
      patch("/api/v1/namespaces/none-${ns}/configmaps/a?fieldManager=x", "apply", configMap("a")),
      remove("/api/v1/namespaces"),
    ),
    one(
      "service/ips",
      post(`${home}/services`, service("ip", { spec: { clusterIP: "10.0.0.7", ports: [{ port: 80 }] } })),
      post(`${home}/services`, service("ip2", { spec: { clusterIP: "10.0.0.7", ports: [{ port: 80 }] } })),
      post(`${home}/services`, service("ip2", { spec: { clusterIP: "1.2.3.4", ports: [{ port: 80 }] } })),
      post(`${home}/services`, service("np", { spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30023 }] } })),
      post(`${home}/services`, service("np2", { spec: { type: "NodePort", ports: [{ port: 80, nodePort: 30023 }] } })),
      post(`${home}/services`, service("np2", { spec: { type: "NodePort", ports: [{ port: 80, nodePort: 5 }] } })),
      patch(`${home}/services/np`, "merge", { spec: { type: "ClusterIP" } }),
      patch(`${home}/services/ip`, "merge", { spec: { type: "ExternalName", externalName: "a.example" } }),
      get("/apis/networking.k8s.io/v1/ipaddresses/10.0.0.7"),
      quiet(remove(`${home}/services`)),
    ),
    ...[{ minAvailable: 1 }, { maxUnavailable: 0 }, { maxUnavailable: 1 }, { minAvailable: "100%" }].map((spec, at) =>
      one(
        `eviction/${JSON.stringify(spec)}`,
        quiet(
          post("/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets", {
            metadata: { name: "b" },
            spec: { ...spec, selector: { matchLabels: { e: String(at) } } },
          }),
        ),
        quiet(post(pods, pod(`e${String(at)}`, { nodeName: "n1" }, { labels: { e: String(at) } }))),
        quiet(
          patch(`${pods}/e${String(at)}/status`, "merge", {
            status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
          }),
        ),
        post(`${pods}/e${String(at)}/eviction`, { metadata: { name: `e${String(at)}` } }),
        quiet(
          patch("/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets/b/status", "merge", {
            status: {
              observedGeneration: 1,
              disruptionsAllowed: 1,
              currentHealthy: 1,
              desiredHealthy: 0,
              expectedPods: 1,
            },
          }),
        ),
        {
          ...post(`${pods}/e${String(at)}/eviction`, {
            metadata: { name: `e${String(at)}` },
            deleteOptions: { dryRun: ["All"] },
          }),
          pauseMs: 300,
        },
        post(`${pods}/e${String(at)}/eviction`, {
          metadata: { name: `e${String(at)}` },
          deleteOptions: { preconditions: { resourceVersion: "1" } },
        }),
        post(`${pods}/e${String(at)}/eviction`, { metadata: { name: `e${String(at)}` } }),
        get("/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets/b", { ignore: ["/status/disruptedPods"] }),
        post(`${pods}/e${String(at)}/eviction`, {
          metadata: { name: `e${String(at)}` },
          deleteOptions: { gracePeriodSeconds: 0 },
        }),
        quiet(remove("/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets/b")),
        quiet({ ...remove(`${pods}/e${String(at)}?gracePeriodSeconds=0`) }),
      ),
    ),
    one(
      "binding",
      quiet(post(pods, pod("bind"))),
      ...[
        { target: { name: "n1" } },
        { target: { kind: "Node", name: "" } },
        { target: { kind: "Pod", name: "x" } },
        { target: { kind: "Node", name: "n1", uid: "u" }, metadata: { name: "bind", uid: "nope" } },
        {
          target: { kind: "Node", name: "n1" },
          metadata: { name: "bind", annotations: { a: "b" }, labels: { c: "d", "topology.kubernetes.io/zone": "z" } },
        },
        { target: { kind: "Node", name: "n2" } },
      ].map((body) => post(`${pods}/bind/binding`, { metadata: { name: "bind" }, ...body })),
      get(`${pods}/bind`),
      post(`${core}/bindings`, { metadata: { name: "bind" }, target: { kind: "Node", name: "n3" } }),
      post(`${pods}/none/binding`, { metadata: { name: "none" }, target: { kind: "Node", name: "n3" } }),
      quiet(remove(`${pods}/bind?gracePeriodSeconds=0`)),
    ),
    one(
      "ephemeral",
      quiet(post(pods, pod("eph"))),
      ...[
        [{ name: "d", image: "i" }],
        [{ name: "d", image: "j" }],
        [],
        [
          { name: "d", image: "i" },
          { name: "c", image: "i" },
        ],
        [
          { name: "d", image: "i" },
          {
            name: "e",
            image: "i",
            ports: [{ containerPort: 1 }],
            resources: { limits: { cpu: "1" } },
            livenessProbe: {},
            lifecycle: {},
            targetContainerName: "none",
          },
        ],
        [
          { name: "d", image: "i" },
          {
            name: "e",
            image: "i",
            targetContainerName: "c",
            stdin: true,
            tty: true,
            securityContext: { privileged: true },
          },
        ],
      ].map((ephemeralContainers) => put(`${pods}/eph/ephemeralcontainers`, pod("eph", { ephemeralContainers }))),
      patch(`${pods}/eph/ephemeralcontainers`, "strategic", {
        spec: { ephemeralContainers: [{ name: "z", image: "q" }] },
      }),
      patch(`${pods}/eph/ephemeralcontainers`, "strategic", {
        spec: { containers: [{ name: "c", image: "changed" }] },
      }),
      get(`${pods}/eph`),
      quiet(remove(`${pods}/eph?gracePeriodSeconds=0`)),
    ),
    one(
      "resize",
      quiet(post(pods, sized("rs", { cpu: "100m", memory: "64Mi" }, { cpu: "200m", memory: "64Mi" }))),
      ...[
        { requests: { cpu: "150m", memory: "64Mi" }, limits: { cpu: "200m", memory: "64Mi" } },
        { requests: { cpu: "300m" } },
        { limits: { cpu: "200m", memory: "32Mi" } },
        { requests: { cpu: "200m", memory: "64Mi" }, limits: { cpu: "200m", memory: "64Mi" } },
        { requests: {}, limits: {} },
        { limits: { "example.com/gpu": "1" }, requests: { "example.com/gpu": "1" } },
      ].flatMap((resources) => [
        patch(`${pods}/rs/resize?dryRun=All`, "strategic", { spec: { containers: [{ name: "c", resources }] } }),
      ]),
      patch(`${pods}/rs/resize`, "strategic", {
        spec: { containers: [{ name: "c", resources: { requests: { cpu: "150m" } } }], nodeSelector: { a: "b" } },
      }),
      patch(`${pods}/rs`, "strategic", {
        spec: { containers: [{ name: "c", resources: { requests: { cpu: "160m" } } }] },
      }),
      get(`${pods}/rs/resize`),
      quiet(remove(`${pods}/rs?gracePeriodSeconds=0`)),
    ),
  ],
};
