import type { RequestContext } from "../core.js";
import { textResponse } from "../http.js";
import type { ServerResponse } from "../http.js";
import { filterAccept, mediaTypes, negotiate, representations } from "../handlers/negotiate.js";
import type { Encoding } from "../handlers/negotiate.js";
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

const discoveryEncodings: readonly Encoding[] = ["json", "yaml", "protobuf"];
const resourceEncodings: readonly Encoding[] = [...discoveryEncodings, "cbor"];

/** A document that comes as JSON alone. */
function json(context: RequestContext, object: object): ServerResponse {
  return respondPlain({ encoding: "json", mediaType: mediaTypes.json, pretty: wantsPretty(context) }, object);
}

/** Answers a path that names no resource; `undefined` where there is nothing. */
export function discoveryDocument(context: RequestContext): ServerResponse | undefined {
  const { core, info, request } = context;
  const parts = info.path.split("/").filter((part) => part !== "");
  const [root = "", group = "", version = ""] = parts;
  const answer = (object: object, encodings: readonly Encoding[], exact: boolean): ServerResponse => {
    if (request.method !== "GET") throw methodNotAllowed();
    const accept = request.header("accept") ?? "";
    const offer = { encodings, transforms: false, watch: false };
    if (exact) filterAccept(accept, representations(offer));
    const negotiated = negotiate(accept, offer, false, wantsPretty(context));
    // APIVersions has no apiVersion of its own, and Protobuf's envelope needs one.
    return respondPlain(negotiated, negotiated.encoding === "protobuf" ? { apiVersion: "v1", ...object } : object);
  };
  if (root === "version" && parts.length === 1) {
    if (request.method !== "GET") throw methodNotAllowed();
    // Written as it is: what is accepted decides whether there is an answer, not which.
    filterAccept(request.header("accept") ?? "", [mediaTypes.json]);
    return json(context, versionInfo);
  }
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
  if (root === "" && parts.length === 0) return json(context, { paths: rootPaths(core.resources.groups()) });
  if (root === "api") {
    if (parts.length === 1) {
      const aggregated = aggregatedDocument(context, true);
      if (aggregated !== undefined) return aggregated;
      const versions = { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: request.header("host") ?? "localhost" }] };
      return answer(versions, discoveryEncodings, true);
    }
    if (parts.length !== 2) return undefined;
    const resources = core.resources.inGroupVersion("", group);
    if (resources === undefined) throw notServed();
    return answer(apiResources(core.resources, "", group, resources), resourceEncodings, true);
  }
  if (root === "apis") {
    if (parts.length === 1) return aggregatedDocument(context, false) ?? answer({ kind: "APIGroupList", apiVersion: "v1", groups: core.resources.groups().filter((one) => one.group !== "").map((one) => { const { kind: _kind, apiVersion: _apiVersion, ...rest } = apiGroup(one); return rest; }) }, discoveryEncodings, false);
    const served = core.resources.group(group);
    if (served === undefined || group === "") return undefined;
    if (parts.length === 2) return answer(apiGroup(served), discoveryEncodings, false);
    const resources = core.resources.inGroupVersion(group, version);
    if (resources === undefined) throw notServed();
    if (parts.length === 3) return answer(apiResources(core.resources, group, version, resources), resourceEncodings, resources[0]?.custom === undefined);
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

