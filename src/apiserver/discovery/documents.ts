import type { RequestContext } from "../core.js";
import { textResponse } from "../http.js";
import type { ServerResponse } from "../http.js";
import { negotiate } from "../handlers/negotiate.js";
import type { ServedGroup } from "../registry/resources.js";
import { respondPlain, wantsPretty } from "../respond.js";
import { methodNotAllowed, notServed } from "../status.js";
import { aggregatedDocument } from "./aggregated.js";
import { apiGroup, apiResources } from "./groups.js";
import { healthDocument } from "./health.js";
import { metricsDocument } from "./metrics.js";
import { openApiV2Response } from "./openapi-v2.js";
import { openApiResponse } from "./openapi.js";
import { versionInfo } from "./version.js";

/** Answers a path that names no resource; `undefined` where there is nothing. */
export function discoveryDocument(context: RequestContext): ServerResponse | undefined {
  const { core, info, request } = context;
  const parts = info.path.split("/").filter((part) => part !== "");
  const [root = "", group = "", version = ""] = parts;
  const plain = (object: object): ServerResponse => {
    if (request.method !== "GET") throw methodNotAllowed();
    return respondPlain(negotiate(request.header("accept") ?? "", { encodings: ["json", "yaml", "protobuf"], transforms: false, watch: false }, false, wantsPretty(context)), object);
  };
  if (root === "version" && parts.length === 1) return plain(versionInfo);
  if (root === "metrics" && parts.length === 1) return metricsDocument(context);
  if (root === "openapi" && group === "v2" && parts.length === 2) return openApiV2Response(context);
  const openApi = openApiResponse(context, parts);
  if (openApi !== undefined) return openApi;
  const health = healthDocument(context, parts);
  if (health !== undefined) return health;
  if (root === "debug" && group === "api_priority_and_fairness" && parts.length === 3) {
    const dump = core.flowControl.dump(version, context.query.get("includeRequestDetails") !== null);
    return dump === undefined ? undefined : textResponse(200, dump);
  }
  if (root === "" && parts.length === 0) return plain({ paths: rootPaths(core.resources.groups()) });
  if (root === "api") {
    if (parts.length === 1) return aggregatedDocument(context, true) ?? plain({ kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: request.header("host") ?? "localhost" }] });
    if (parts.length !== 2) return undefined;
    const resources = core.resources.inGroupVersion("", group);
    if (resources === undefined) throw notServed();
    return plain(apiResources("", group, resources));
  }
  if (root === "apis") {
    if (parts.length === 1) return aggregatedDocument(context, false) ?? plain({ kind: "APIGroupList", apiVersion: "v1", groups: core.resources.groups().filter((one) => one.group !== "").map((one) => { const { kind: _kind, apiVersion: _apiVersion, ...rest } = apiGroup(one); return rest; }) });
    const served = core.resources.group(group);
    if (served === undefined || group === "") return undefined;
    if (parts.length === 2) return plain(apiGroup(served));
    const resources = core.resources.inGroupVersion(group, version);
    if (resources === undefined) throw notServed();
    if (parts.length === 3) return plain(apiResources(group, version, resources));
  }
  return undefined;
}

function rootPaths(groups: readonly ServedGroup[]): string[] {
  const paths = ["/.well-known/openid-configuration", "/api", "/api/v1", "/apis", "/apis/"];
  for (const group of groups) {
    if (group.group === "") continue;
    paths.push(`/apis/${group.group}`, ...group.versions.map((version) => `/apis/${group.group}/${version}`));
  }
  return [...paths, "/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3", "/readyz", "/version"].sort();
}

