import { sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { utf8Encode } from "../../internal/bytes.js";
import { failure, methodNotAllowed } from "../errors/status.js";
import type { Encoding } from "../http/encoding.js";
import type { ServerResponse } from "../http/http.js";
import type { ServedGroup, ServedResource } from "../registry/resources.js";
import { encodeObject } from "../wire/encodings.js";
import { mediaTypes } from "../wire/negotiate.js";
import { aggregatedVersion, servedGroups } from "./served-groups.js";
import type { DiscoveryContext } from "./services.js";

const parameters = ";g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

const encodings = ["json", "yaml", "protobuf"] as const;
const types = encodings.map((encoding) => mediaTypes[encoding]);

interface Cached {
  readonly generation: number;
  readonly list: object;
  /** The document in JSON. */
  readonly bytes: Uint8Array;
  readonly etag: string;
}

const cache = new WeakMap<object, { core?: Cached; groups?: Cached }>();

/**
 * Returns the encoding in which a part of an Accept header requests the aggregated document, or `legacy` if it requests
 * the old form.
 */
function requestedForm(part: string): Encoding | "legacy" | "unknown version" {
  const [type, ...pieces] = part.split(";").map((piece) => piece.trim());
  const encoding = encodings.find((each) => mediaTypes[each] === type);
  if (encoding === undefined) return "legacy";
  const values = new Map(pieces.map((piece) => piece.split("=") as [string, string]));
  if (values.get("as") !== "APIGroupDiscoveryList" || values.get("g") !== "apidiscovery.k8s.io")
    return values.has("as") ? "unknown version" : "legacy";
  return values.get("v") === "v2" ? encoding : "unknown version";
}

/** Returns the aggregated discovery document if the request prefers it; `undefined` for the old form. Throws 406. */
export function aggregatedDocument(context: DiscoveryContext, legacy: boolean): ServerResponse | undefined {
  const { services, request } = context;
  // The router of `/api` checks the method first; `/apis` accepts any.
  if (legacy && request.method !== "GET") throw methodNotAllowed();
  const parts = (request.header("accept") ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const form = parts.map(requestedForm).find((each) => each !== "unknown version");
  if (form === undefined && parts.length > 0)
    throw failure(406, "NotAcceptable", `only the following media types are accepted: ${types.join(", ")}`);
  if (form === undefined || form === "legacy") return undefined;
  const slot = cache.get(services.resources) ?? {};
  cache.set(services.resources, slot);
  const name = legacy ? "core" : "groups";
  let found = slot[name];
  const generation = services.resources.generation + services.aggregated.generation;
  if (found?.generation !== generation) {
    const groups = servedGroups(services).filter((group) => (group.group === "") === legacy);
    const items = groups.map((group) => groupDocument(context, group));
    const list = { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
    const bytes = utf8Encode(`${JSON.stringify(list)}\n`);
    found = { generation, list, bytes, etag: `"${hash(bytes)}"` };
    slot[name] = found;
  }
  const headers: [string, string][] = [
    ["Cache-Control", "public"],
    ["ETag", found.etag],
    ["Vary", "Accept"],
  ];
  if (request.header("if-none-match") === found.etag) return { status: 304, headers, body: undefined };
  const body = form === "json" ? found.bytes : encodeObject(form, found.list, false);
  return { status: 200, headers: [...headers, ["Content-Type", `${mediaTypes[form]}${parameters}`]], body };
}

/** Returns the SHA-512 hash in upper-case hexadecimal digits. */
export function hash(bytes: Uint8Array): string {
  return bytesToHex(sha512(bytes)).toUpperCase();
}

function groupDocument(context: DiscoveryContext, group: ServedGroup): object {
  return {
    metadata: group.group === "" ? {} : { name: group.group },
    versions: group.versions.map(
      (version) =>
        aggregatedVersion(context.services, group.group, version) ?? {
          version,
          resources: (context.services.resources.inGroupVersion(group.group, version) ?? []).map((resource) =>
            resourceDocument(resource),
          ),
          freshness: "Current",
        },
    ),
  };
}

function resourceDocument(resource: ServedResource): object {
  const subresources = [...resource.subresources.values()].map((sub) => ({
    subresource: sub.name,
    responseKind: resource.discoveryKind(sub.kind),
    verbs: sub.verbs,
  }));
  return {
    resource: resource.resource,
    responseKind: resource.discoveryKind(resource),
    scope: resource.namespaced ? "Namespaced" : "Cluster",
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
    ...(subresources.length > 0 ? { subresources } : {}),
  };
}
