import type { Step, Topic } from "../../probe.js";
import { core, get, type Json, one, patch, post, quiet, remove, services } from "./steps.js";

const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
const group = "away-${ns}.example.com";
const name = `v1.${group}`;
const apiService = (service: Json): Json => ({
  metadata: { name },
  spec: {
    group,
    version: "v1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    insecureSkipTLSVerify: true,
    service,
  },
});
const aggregated = { headers: { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" } };
const soon = (step: Step): Step => ({ ...step, pauseMs: 2500 });
/** Requests to an API whose server can't be reached. */
const requests: readonly Step[] = [
  soon(get(`${apiServices}/${name}`)),
  get(`/apis/${group}`),
  get(`/apis/${group}/v1`),
  get(`/apis/${group}/v1/namespaces/\${ns}/things`),
  get(`/apis/${group}/v1/namespaces/\${ns}/things`, { token: "alice-token" }),
  post(`/apis/${group}/v1/namespaces/\${ns}/things`, { a: 1 }),
  get(`/apis/${group}/v2`),
  get("/apis"),
  quiet(remove(`${apiServices}/${name}`)),
  soon(get(`/apis/${group}/v1/things`)),
];
const away = { namespace: "${ns}", name: "away" };
const slice = (endpoints: readonly Json[]): Step =>
  quiet(
    post("/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices", {
      metadata: { name: "away", labels: { "kubernetes.io/service-name": "away" } },
      addressType: "IPv4",
      endpoints,
      ports: [{ name: "web", port: 1 }],
    }),
  );
const service = (ports: readonly Json[]): Step =>
  quiet(post(services, { metadata: { name: "away" }, spec: { ports } }));
const cleanUp = [
  quiet(remove(`${services}/away`)),
  quiet(remove("/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices/away")),
];

/** APIServices of servers that can't be reached. */
export const aggregationScenarios: Topic = {
  name: "aggregation",
  probes: [
    one("no service", quiet(post(apiServices, apiService(away))), ...requests),
    one(
      "other port",
      service([{ name: "web", port: 80 }]),
      quiet(post(apiServices, apiService(away))),
      ...requests,
      ...cleanUp,
    ),
    one(
      "no endpoints",
      service([{ name: "web", port: 443 }]),
      quiet(post(apiServices, apiService(away))),
      ...requests,
      ...cleanUp,
    ),
    one(
      "not ready",
      service([{ name: "web", port: 443 }]),
      slice([{ addresses: ["10.9.9.9"], conditions: { ready: false } }]),
      quiet(post(apiServices, apiService(away))),
      ...requests,
      ...cleanUp,
    ),
    one(
      "discovery",
      quiet(post(apiServices, apiService(away))),
      soon(get("/apis", aggregated)),
      patch(`${apiServices}/${name}`, "merge", { spec: { versionPriority: 5 } }),
      quiet(remove(`${apiServices}/${name}`)),
      get(`${core}/services/away`),
    ),
  ],
};
