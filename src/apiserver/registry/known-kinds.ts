import { definitionNameOf } from "../../gen/openapi/definitions.js";
import { groupVersions } from "../../gen/resources.js";
import { goQuote } from "../../internal/go-text.js";
import { isOldKind, isOldVersion } from "./old-kinds.js";

/** Kinds of the API's machinery that every version of a group has. */
const everywhere = new Set(["WatchEvent", "ListOptions", "GetOptions", "DeleteOptions", "CreateOptions", "UpdateOptions", "PatchOptions"]);
/** Kinds without versions: they are known in any that is asked for. */
const unversioned = new Set(["Status", "APIVersions", "APIGroup", "APIGroupList", "APIResourceList"]);
/** Groups whose kinds the server of all others does not know. */
const apart = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

function isServed(group: string, version: string): boolean {
  return groupVersions.some((each) => each.group === group && each.version === version) || isOldVersion(group, version);
}

/** The version in which the server of `wantedGroup` knows a kind by this name, as errors tell it: that of the machinery's own kinds is `v1`. */
export function knownVersion(group: string, version: string, kind: string, wantedGroup: string): string | undefined {
  if (unversioned.has(kind)) return "v1";
  // The core alone has a list of anything.
  if (group === "" && version === "v1" && kind === "List") return version;
  if (group !== wantedGroup && apart.has(group)) return undefined;
  if (everywhere.has(kind) && isServed(group, version)) return "v1";
  return definitionNameOf(group, version, kind) !== undefined || isOldKind(group, version, kind) ? version : undefined;
}

/** What is said of a kind that the server does not know. */
export function unknownKind(group: string, version: string, kind: string): string {
  const where = version === "__internal" ? `the internal version of group ${goQuote(group)}` : `version ${goQuote(group === "" ? version : `${group}/${version}`)}`;
  return `no kind ${goQuote(kind)} is registered for ${where} in scheme "pkg/runtime/scheme.go:111"`;
}
