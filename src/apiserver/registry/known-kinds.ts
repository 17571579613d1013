import { definition, definitionNameOf } from "../../gen/openapi/definitions.js";
import { groupVersions } from "../../gen/resources.js";
import { goQuote } from "../internal/go-text.js";
import { homeGroup, isOldKind, isOldVersion, oldVersionsOf } from "./old-kinds.js";
import type { GroupVersionKind } from "./resources.js";

/** Version under which a server keeps its own form of a kind. */
export const INTERNAL = "__internal";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
/** Kinds of the API's machinery that every version of a group has. */
const everywhere = new Set([
  "WatchEvent",
  "ListOptions",
  "GetOptions",
  "DeleteOptions",
  "CreateOptions",
  "UpdateOptions",
  "PatchOptions",
]);
/** Kinds without versions: they are known in any that is asked for. */
const unversioned = new Set(["Status", "APIVersions", "APIGroup", "APIGroupList", "APIResourceList"]);
/** Groups whose kinds the server of all others does not know. */
const apart = new Set(["apiextensions.k8s.io", "apiregistration.k8s.io"]);

/** A kind that a server's program knows. */
export interface KnownKind {
  /** The struct that holds it, as errors name it: `v1.Secret`, and inside the server `core.Secret`. */
  readonly struct: string;
  /** Name of its OpenAPI definition, where it has one. */
  readonly definition?: string;
}

function versionsOf(group: string): string[] {
  return [
    ...groupVersions.filter((each) => each.group === group).map(({ version }) => version),
    ...oldVersionsOf(group),
  ];
}

/** Name of the package in which a real server keeps its own form of a group. */
export function internalPackage(group: string): string {
  return group === "" || group === "events.k8s.io" ? "core" : group.split(".")[0]!;
}

function internalKind(group: string, kind: string): KnownKind | undefined {
  const versions = versionsOf(group);
  if (kind === "WatchEvent") return versions.length === 0 ? undefined : { struct: "v1.InternalEvent" };
  if (everywhere.has(kind) || !versions.some((version) => versionedKind(group, version, kind) !== undefined))
    return undefined;
  return { struct: `${internalPackage(homeGroup(group, kind))}.${kind}` };
}

function versionedKind(group: string, version: string, kind: string): KnownKind | undefined {
  const struct = `${version}.${kind}`;
  // The core alone has a list of anything.
  if (group === "" && version === "v1" && kind === "List") return { struct };
  const found = definitionNameOf(group, version, kind);
  if (found !== undefined) return { struct, definition: found };
  if (!isOldKind(group, version, kind)) return undefined;
  // A version that is served no more has the fields of those that are, but for a few.
  const served = [group, homeGroup(group, kind)]
    .flatMap((each) => versionsOf(each).map((other) => definitionNameOf(each, other, kind)))
    .find((each) => each !== undefined);
  return served === undefined ? { struct } : { struct, definition: served };
}

/** What the server of `wantedGroup` knows of a kind by this name. */
export function knownKind({ group, version, kind }: GroupVersionKind, wantedGroup: string): KnownKind | undefined {
  if (unversioned.has(kind)) return metaKind(kind);
  if (group !== wantedGroup && apart.has(group)) return undefined;
  if (version === INTERNAL) return internalKind(group, kind);
  if (everywhere.has(kind))
    return versionsOf(group).includes(version) || isOldVersion(group, version) ? metaKind(kind) : undefined;
  return versionedKind(group, version, kind);
}

/** A kind of the API's machinery. */
function metaKind(kind: string, struct = `v1.${kind}`): KnownKind {
  const name = `${meta}.${kind}`;
  return definition(name) === undefined ? { struct } : { struct, definition: name };
}

/** Kinds that those who read options know in any version, and those they know in some alone. */
const optionKinds = new Set([...unversioned, "DeleteOptions", "CreateOptions", "UpdateOptions"]);
const tableKinds = new Set(["Table", "TableOptions", "PartialObjectMetadata", "PartialObjectMetadataList"]);
const internalOptions: Readonly<Record<string, string>> = {
  ListOptions: "internalversion.ListOptions",
  GetOptions: "v1.GetOptions",
  WatchEvent: "v1.InternalEvent",
};

/** What a server knows of a kind where it reads the options of a request. */
export function knownOptions({ group, version, kind }: GroupVersionKind): KnownKind | undefined {
  if (optionKinds.has(kind)) return metaKind(kind);
  if (group !== "meta.k8s.io") return undefined;
  if (tableKinds.has(kind))
    return version === "v1beta1" && kind === "PartialObjectMetadataList"
      ? { struct: `v1beta1.${kind}` }
      : ["v1", "v1beta1", INTERNAL].includes(version)
        ? metaKind(kind)
        : undefined;
  if (version === INTERNAL)
    return Object.hasOwn(internalOptions, kind) ? { struct: internalOptions[kind]! } : undefined;
  return version === "v1" && everywhere.has(kind) ? metaKind(kind) : undefined;
}

/** What is said of a kind that the server does not know. */
export function unknownKind({ group, version, kind }: GroupVersionKind): string {
  const where =
    version === INTERNAL
      ? `the internal version of group ${goQuote(group)}`
      : `version ${goQuote(group === "" ? version : `${group}/${version}`)}`;
  return `no kind ${goQuote(kind)} is registered for ${where} in scheme "pkg/runtime/scheme.go:111"`;
}
