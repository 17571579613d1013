import type { StorageVersion } from "../../../kinds/apiserverinternal/v1alpha1.js";
import type { FieldError } from "../../errors/field-error.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import { duplicate, invalid, qualifiedName, required, shownList } from "../shared/field-errors.js";

type Status = Partial<NonNullable<StorageVersion["status"]>>;
type Server = Partial<NonNullable<Status["storageVersions"]>[number]>;

/** Errors of a change of what servers say of how they store a kind. */
export function validateStorageVersionStatus({ status }: StorageVersion): FieldError[] {
  const { storageVersions: servers = [], conditions = [], commonEncodingVersion } = (status ?? {}) as Status;
  const errors = servers.flatMap((server, index) => {
    const at = `status.storageVersions[${String(index)}]`;
    const twice = servers.findIndex(({ apiServerID }) => apiServerID === server.apiServerID) < index;
    return [...(twice ? [duplicate(`${at}.apiServerID`, server.apiServerID)] : []), ...serverErrors(server, at)];
  });
  errors.push(...commonErrors(servers, commonEncodingVersion));
  for (const [index, { type, status: state, reason, message }] of conditions.entries()) {
    // Conditions are told as items of the status itself.
    const at = `status[${String(index)}]`;
    const before = conditions.slice(0, index).findLastIndex((each) => each.type === type);
    if (before >= 0)
      errors.push(
        invalid(
          `${at}.type`,
          type,
          `the type of the condition is not unique, it also appears in conditions[${String(before)}]`,
        ),
      );
    errors.push(...qualifiedName(`${at}.type`, type), ...qualifiedName(`${at}.status`, state));
    if ((reason ?? "") === "") errors.push(required(`${at}.reason`));
    if ((message ?? "") === "") errors.push(required(`${at}.message`));
  }
  return errors;
}

function serverErrors(server: Server, at: string): FieldError[] {
  const { apiServerID = "", encodingVersion = "", decodableVersions = [], servedVersions = [] } = server;
  const errors = nameErrors(apiServerID, "subdomain").map((why) => invalid(`${at}.apiServerID`, apiServerID, why));
  const version = (field: string, value: string): void => {
    const wrong = apiVersionErrors(value);
    if (wrong.length > 0) errors.push(invalid(field, value, wrong.join(",")));
  };
  version(`${at}.encodingVersion`, encodingVersion);
  for (const [index, decodable] of decodableVersions.entries())
    version(`${at}.decodableVersions[${String(index)}]`, decodable);
  if (!decodableVersions.includes(encodingVersion))
    errors.push(
      invalid(
        `${at}.decodableVersions`,
        shownList(server, "decodableVersions"),
        `decodableVersions must include encodingVersion ${encodingVersion}`,
      ),
    );
  for (const [index, served] of servedVersions.entries()) {
    const field = `${at}.servedVersions[${String(index)}]`;
    version(field, served);
    if (!decodableVersions.includes(served))
      errors.push(
        invalid(
          field,
          served,
          `individual served version : ${served} must be included in decodableVersions : [${decodableVersions.join(" ")}]`,
        ),
      );
  }
  return errors;
}

function commonErrors(servers: readonly Server[], told: string | undefined): FieldError[] {
  const field = "status.commonEncodingVersion";
  const versions = servers.map(({ encodingVersion = "" }) => encodingVersion);
  const common = versions.every((version) => version === versions[0]) ? versions[0] : undefined;
  if (common === told) return [];
  if (common === undefined)
    return [
      invalid(
        field,
        told,
        "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet",
      ),
    ];
  return [
    told === undefined
      ? invalid(field, null, `the common encoding version is ${common}`)
      : invalid(field, told, `the actual common encoding version is ${common}`),
  ];
}

const VERSION =
  "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')";

function apiVersionErrors(apiVersion: string): string[] {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return [VERSION];
  const part = (name: string, value: string, rule: "subdomain" | "label1035"): string[] =>
    (value === "" ? ["must be non-empty"] : nameErrors(value, rule)).map((why) => `${name} part: ${why}`);
  return [
    ...(parts.length === 2 ? part("group", parts[0]!, "subdomain") : []),
    ...part("version", parts.at(-1)!, "label1035"),
  ];
}
