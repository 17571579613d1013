import { groupWord } from "./openapi-operations.js";
import type { Json } from "./protobuf-parts.js";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const info = "io.k8s.apimachinery.pkg.version.Info";
const text = { type: "string" };
const always = { type: "string", default: "" };
const reference = (name: string): Json => ({ default: {}, $ref: `${meta}${name}` });
const legacyTypes = ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"];

/** A document of no resources: one path, what it answers and by what name. */
export interface RootDocument {
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly types: readonly string[];
  /** Media types that version 2 says are taken; undefined for none. */
  readonly consumes?: readonly string[];
  /** Name of the schema that it answers with; a text without one. */
  readonly returns?: string;
}

function listOf(name: string): Json {
  return { type: "array", items: name === "string" ? always : reference(name), "x-kubernetes-list-type": "atomic" };
}

function struct(required: readonly string[], properties: Json, kind?: string): Json {
  return {
    type: "object",
    required,
    properties,
    ...(kind === undefined ? {} : { "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind }] }),
  };
}

const type = { apiVersion: text, kind: text };

/** Schemas of what discovery and `/version` answer, with plain names as references. */
export const rootSchemas: Readonly<Record<string, Json>> = {
  [`${meta}APIGroup`]: struct(
    ["name", "versions"],
    {
      ...type,
      name: always,
      preferredVersion: reference("GroupVersionForDiscovery"),
      serverAddressByClientCIDRs: listOf("ServerAddressByClientCIDR"),
      versions: listOf("GroupVersionForDiscovery"),
    },
    "APIGroup",
  ),
  [`${meta}APIGroupList`]: struct(
    ["groups"],
    { apiVersion: text, groups: listOf("APIGroup"), kind: text },
    "APIGroupList",
  ),
  [`${meta}APIVersions`]: struct(
    ["versions", "serverAddressByClientCIDRs"],
    { ...type, serverAddressByClientCIDRs: listOf("ServerAddressByClientCIDR"), versions: listOf("string") },
    "APIVersions",
  ),
  [`${meta}GroupVersionForDiscovery`]: struct(["groupVersion", "version"], { groupVersion: always, version: always }),
  [`${meta}ServerAddressByClientCIDR`]: struct(["clientCIDR", "serverAddress"], {
    clientCIDR: always,
    serverAddress: always,
  }),
  [info]: struct(
    ["major", "minor", "gitVersion", "gitCommit", "gitTreeState", "buildDate", "goVersion", "compiler", "platform"],
    Object.fromEntries(
      [
        "buildDate",
        "compiler",
        "emulationMajor",
        "emulationMinor",
        "gitCommit",
        "gitTreeState",
        "gitVersion",
        "goVersion",
        "major",
        "minCompatibilityMajor",
        "minCompatibilityMinor",
        "minor",
        "platform",
      ].map((name) => [name, /^(emulation|minComp)/.test(name) ? text : always]),
    ),
  ),
};

/** The root document of this name, as `apis/apps` and `version`; undefined where there is none. `groups` are the built-in ones. */
export function rootDocument(name: string, groups: readonly string[]): RootDocument | undefined {
  const plain = { types: legacyTypes, consumes: legacyTypes };
  const path = `/${name}/`;
  switch (name) {
    case ".well-known/openid-configuration":
      return {
        path,
        operationId: "getServiceAccountIssuerOpenIDConfiguration",
        tag: "WellKnown",
        types: ["application/json"],
      };
    case "openid/v1/jwks":
      return {
        path,
        operationId: "getServiceAccountIssuerOpenIDKeyset",
        tag: "openid",
        types: ["application/jwk-set+json"],
      };
    case "version":
      return {
        path,
        operationId: "getCodeVersion",
        tag: "version",
        types: ["application/json"],
        consumes: ["application/json"],
        returns: info,
      };
    case "api":
      return { path, operationId: "getCoreAPIVersions", tag: "core", ...plain, returns: `${meta}APIVersions` };
    case "apis":
      return { path, operationId: "getAPIVersions", tag: "apis", ...plain, returns: `${meta}APIGroupList` };
  }
  const group = /^apis\/([^/]+)$/.exec(name)?.[1];
  if (group === undefined || !groups.includes(group)) return undefined;
  const word = groupWord(group);
  return {
    path,
    operationId: `get${word.charAt(0).toUpperCase()}${word.slice(1)}APIGroup`,
    tag: word,
    ...plain,
    returns: `${meta}APIGroup`,
  };
}

/** Names of the root documents of these groups. */
export function rootDocumentNames(groups: readonly string[]): string[] {
  return [
    ".well-known/openid-configuration",
    "api",
    "apis",
    ...groups.map((group) => `apis/${group}`),
    "openid/v1/jwks",
    "version",
  ];
}
