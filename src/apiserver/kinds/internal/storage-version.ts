import type { StorageVersion } from "../../../kinds/apiserverinternal/v1alpha1.js";
import type { FieldError } from "../../errors/field-error.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import * as check from "../shared/checks.js";
import { invalid } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin, dropStatus } from "../shared/kind-definition.js";
import { firstFew } from "../shared/kind-printer.js";
import { allMetadata } from "../shared/metadata-rules.js";

type Status = Partial<NonNullable<StorageVersion["status"]>>;
type Server = Partial<NonNullable<Status["storageVersions"]>[number]>;

function validateStatus({ status }: StorageVersion): FieldError[] {
  const { storageVersions: servers = [], conditions = [], commonEncodingVersion } = (status ?? {}) as Status;
  const at = "status.storageVersions";
  const repeated = check.repeats(conditions.map(({ type }) => type));
  return [
    ...check.duplicates(
      servers.map(({ apiServerID }) => apiServerID),
      (index) => `${at}[${String(index)}].apiServerID`,
    ),
    ...check.eachItem(servers, at, serverErrors),
    ...commonErrors(servers, commonEncodingVersion),
    // kube-apiserver reports conditions as items of the status itself.
    ...check.eachItem(conditions, "status", ({ type, status: state, reason, message }, path, index) => [
      ...(repeated.has(index) ? [invalid(`${path}.type`, type, "must be unique")] : []),
      ...check.qualifiedName(`${path}.type`, type),
      ...check.qualifiedName(`${path}.status`, state),
      ...check.requiredText(`${path}.reason`, reason),
      ...check.requiredText(`${path}.message`, message),
    ]),
  ];
}

function serverErrors(server: Server, at: string): FieldError[] {
  const { apiServerID = "", encodingVersion = "", decodableVersions = [], servedVersions = [] } = server;
  const decodable = `${at}.decodableVersions`;
  return [
    ...check.dnsSubdomain(`${at}.apiServerID`, apiServerID),
    ...versionErrors(`${at}.encodingVersion`, encodingVersion),
    ...check.eachItem(decodableVersions, decodable, (version, path) => versionErrors(path, version)),
    ...(decodableVersions.includes(encodingVersion)
      ? []
      : [invalid(decodable, decodableVersions, "must include encodingVersion")]),
    ...check.eachItem(servedVersions, `${at}.servedVersions`, (version, path) => [
      ...versionErrors(path, version),
      ...(decodableVersions.includes(version) ? [] : [invalid(path, version, "must be among decodableVersions")]),
    ]),
  ];
}

/** Returns an error unless the common version is the one that all servers encode in; without one it must be unset. */
function commonErrors(servers: readonly Server[], given: string | undefined): FieldError[] {
  const versions = servers.map(({ encodingVersion = "" }) => encodingVersion);
  const common = versions.every((version) => version === versions[0]) ? versions[0] : undefined;
  return common === given
    ? []
    : [invalid("status.commonEncodingVersion", given, `the common encoding version is ${common ?? "unknown"}`)];
}

/** Returns an error unless the text is an apiVersion. */
function versionErrors(field: string, apiVersion: string): FieldError[] {
  const parts = apiVersion.split("/");
  const [version = "", group] = parts.reverse();
  const valid =
    parts.length <= 2 &&
    nameErrors(version, "label1035").length === 0 &&
    (group === undefined || nameErrors(group, "subdomain").length === 0);
  return valid ? [] : [invalid(field, apiVersion, "must be 'version' or 'group/version'")];
}

export const storageVersion: KindDefinition = defineBuiltin<StorageVersion>({
  resource: "internal.apiserver.k8s.io/storageversions",
  requiresVersionOnUpdate: true,
  metadata: { name: "storageVersion", checksOnUpdate: 0, keptByStatus: allMetadata },
  prepare: { create: dropStatus },
  validate: { create: () => [], status: validateStatus },
  printer: {
    columns: "CommonEncodingVersion,StorageVersions,Age",
    cells({ status }, age) {
      const { commonEncodingVersion = "<unset>", storageVersions = [] } = (status ?? {}) as Status;
      const list = storageVersions.map(
        (server: Server) => `${server.apiServerID ?? ""}=${server.encodingVersion ?? ""}`,
      );
      return [commonEncodingVersion, firstFew(list, 3) || "<unset>", age];
    },
  },
});
