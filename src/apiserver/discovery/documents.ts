import { utf8Encode } from "../../internal/bytes.js";
import { pushAll } from "../../internal/push-all.js";
import { methodNotAllowed, notServed } from "../errors/status.js";
import type { Encoding } from "../http/encoding.js";
import type { ServerResponse } from "../http/http.js";
import type { ServedGroup } from "../registry/resources.js";
import { filterAccept, mediaTypes, negotiate } from "../wire/negotiate.js";
import { respondPlain, wantsPretty } from "../wire/respond.js";
import { aggregatedDocument } from "./aggregated.js";
import { apiResources, groupEntry } from "./groups.js";
import { healthDocument, healthMetrics, healthPaths } from "./health.js";
import { metricsDocument } from "./metrics.js";
import { openApiResponse } from "./openapi.js";
import { openApiV2Response } from "./openapi-v2.js";
import { isOpenIdPath, openIdDocument } from "./openid.js";
import { servedGroups } from "./served-groups.js";
import type { DiscoveryContext } from "./services.js";
import { versionInfo } from "./version.js";

const legacyEncodings: readonly Encoding[] = ["json", "yaml", "protobuf"];
const prettyJson = { encoding: "json", mediaType: mediaTypes.json, pretty: true } as const;

/** Serves a path outside of resources; returns `undefined` for an unknown path. */
export function discoveryDocument(context: DiscoveryContext): ServerResponse | Promise<ServerResponse> | undefined {
  const { services, info, request } = context;
  const parts = info.path.split("/").filter((part) => part !== "");
  const [root = "", group = "", version = ""] = parts;
  const accept = request.header("accept") ?? "";
  const anyMethod = (object: object, encodings: readonly Encoding[] = legacyEncodings): ServerResponse => {
    const negotiated = negotiate(accept, { encodings, transforms: false, watch: false }, false, wantsPretty(context));
    return respondPlain(negotiated, object);
  };
  // Some documents are served by a router that is strict about types and methods, others by plain handlers.
  const routed = (object: object, encodings: readonly Encoding[] = services.encodings): ServerResponse => {
    if (request.method !== "GET") throw methodNotAllowed();
    const types = encodings.map((encoding) => mediaTypes[encoding]);
    filterAccept(accept, types);
    return encodings.length === 1 ? respondPlain(prettyJson, object) : anyMethod(object, encodings);
  };
  // The router of `/version` accepts a trailing slash and rejects subpaths in its own way.
  if (info.path.startsWith("/version/") && parts.length > 1) throw notServed();
  if (root !== "version" && info.path.endsWith("//")) return undefined;
  if (root === "version") return routed(versionInfo, ["json"]);
  if (info.path === "/metrics") return metricsDocument(context);
  if (info.path === "/metrics/slis") return healthMetrics();
  if (info.path === "/openapi/v2") return openApiV2Response(context);
  if (root === "openapi" && group === "v3") return openApiResponse(context, parts.slice(2).join("/"));
  if (isOpenIdPath(info.path)) return openIdDocument(context);
  const health = healthDocument(context, parts);
  if (health !== undefined) return health;
  if (root === "debug" && group === "api_priority_and_fairness" && parts.length === 3) {
    const dump = services.flowControl.dump(version, context.query.get("includeRequestDetails") !== null);
    return dump === undefined
      ? undefined
      : { status: 200, headers: [["Content-Type", "text/plain; charset=utf-8"]], body: utf8Encode(dump) };
  }
  if (info.path === "/" || info.path === "/index.html")
    return respondPlain(prettyJson, { paths: rootPaths(servedGroups(services)) });
  if (root === "api") {
    const addresses = [{ clientCIDR: "0.0.0.0/0", serverAddress: request.header("host") ?? "localhost" }];
    const versions = { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: addresses };
    if (parts.length === 1) return aggregatedDocument(context, true) ?? routed(versions, legacyEncodings);
    if (parts.length !== 2) return undefined;
    const resources = services.resources.inGroupVersion("", group);
    if (resources === undefined) throw notServed();
    return routed(apiResources(services.resources, "", group, resources));
  }
  if (root === "apis") {
    if (parts.length === 1) {
      const named = servedGroups(services).filter((one) => one.group !== "");
      const list = { kind: "APIGroupList", apiVersion: "v1", groups: named.map(groupEntry) };
      return aggregatedDocument(context, false) ?? anyMethod(list);
    }
    const served = servedGroups(services).find((one) => one.group === group);
    if (served === undefined || group === "") return undefined;
    if (parts.length === 2) return anyMethod({ kind: "APIGroup", apiVersion: "v1", ...groupEntry(served) });
    const resources = services.resources.inGroupVersion(group, version);
    if (resources === undefined) {
      // Groups of custom resources serve only what is defined.
      if (!services.resources.isBuiltinVersion(group, served.versions[0] ?? "")) return undefined;
      throw notServed();
    }
    const list = apiResources(services.resources, group, version, resources);
    if (parts.length === 3) return services.resources.isBuiltinVersion(group, version) ? routed(list) : anyMethod(list);
  }
  return undefined;
}

function rootPaths(groups: readonly ServedGroup[]): string[] {
  const paths = ["/.well-known/openid-configuration", "/api", "/api/v1", "/apis", "/apis/"];
  for (const group of groups) {
    if (group.group === "") continue;
    pushAll(
      paths,
      [`/apis/${group.group}`],
      group.versions.map((version) => `/apis/${group.group}/${version}`),
    );
  }
  paths.push("/metrics", "/metrics/slis", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/openid/v1/jwks", "/version");
  pushAll(paths, healthPaths);
  return paths.sort();
}
