import type { Step, Topic } from "../../probe.js";
import { one, pod, post, quiet } from "./steps.js";

const methods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "LINK"] as const;
const core = "/api/v1/namespaces/${ns}";
const paths = [
  `${core}/configmaps`,
  `${core}/configmaps/x`,
  `${core}/pods/p`,
  `${core}/pods/p/log`,
  `${core}/pods/p/exec`,
  `${core}/pods/p/exec?command=a`,
  `${core}/pods/p/attach`,
  `${core}/pods/p/portforward`,
  `${core}/pods/p/portforward?ports=80`,
  `${core}/pods/p/proxy`,
  `${core}/pods/p/proxy/`,
  `${core}/pods/p/proxy/a/b`,
  `${core}/pods/none/log`,
  `${core}/pods/none/exec`,
  `${core}/pods/none/proxy/x`,
  `${core}/services/none/proxy/`,
  `${core}/services/none/proxy/x`,
  "/api/v1/nodes/none/proxy/",
  "/api/v1/nodes/none/proxy/x",
  `${core}/pods/p/status`,
  `${core}/pods/p/eviction`,
  `${core}/pods/p/binding`,
  `${core}/pods/p/nothing`,
  `${core}/pods/p/log/x`,
  `${core}/pods/p/exec/x`,
  `${core}/bindings`,
  `${core}/serviceaccounts/none/token`,
  `${core}/finalize`,
  `${core}/status`,
  core,
  "/api/v1/namespaces",
  "/api/v1/pods",
  "/api/v1/componentstatuses",
  "/apis/apps/v1/namespaces/${ns}/deployments/none/scale",
  "/apis/authorization.k8s.io/v1/subjectaccessreviews",
  `/api/v1/watch/namespaces/\${ns}/pods?timeoutSeconds=1`,
  `/api/v1/proxy/namespaces/\${ns}/pods/p`,
  `/api/v1/redirect/namespaces/\${ns}/pods/p`,
  "/api",
  "/api/v1",
  "/apis",
  "/apis/apps",
  "/apis/apps/v1",
  "/version",
  "/healthz",
  "/livez/ping",
  "/metrics",
  "/openapi/v2",
  "/openapi/v3",
  "/nothing",
  "/",
  "/logs",
  "/debug/flags/v",
];

/** Every method on every type of path. */
export const methodScenarios: Topic = {
  name: "odd-methods",
  setup: [quiet(post(`${core}/pods`, pod("p")))],
  probes: paths.flatMap((path) =>
    methods.map((method) =>
      one(`${method} ${path}`, {
        method,
        path,
        ...([
          "/metrics",
          "/openapi/v2",
          "/openapi/v3",
          "/",
          "/apis",
          "/version",
          "/api/v1/namespaces",
          "/api/v1/pods",
          "/api/v1/componentstatuses",
        ].includes(path)
          ? { silent: true }
          : {}),
        ...(method === "PATCH"
          ? { headers: { "content-type": "application/merge-patch+json" }, raw: "{}" }
          : method === "POST" || method === "PUT"
            ? { raw: "{}", headers: { "content-type": "application/json" } }
            : {}),
        ...(method === "DELETE" ? { json: { dryRun: ["All"] } } : {}),
      } as Step),
    ),
  ),
};
