import { utf8Encode } from "../../internal/bytes.js";
import { pushAll } from "../../internal/push-all.js";
import type { ObjectMeta, OwnerReference } from "../../meta/object.js";
import { maxCauses } from "../errors/bounded.js";
import type { FieldError } from "../errors/field-error.js";
import { forbiddenField, invalidField, requiredField } from "../errors/field-error.js";
import { equalJson } from "../internal/json-value.js";
import { addressProblem } from "./addresses.js";
import { labelKeyErrors, labelValueErrors } from "./selectors.js";

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const label1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const configKeyText =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const label1035Text =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

/** Rules for names. */
export type NameRule =
  | "any"
  | "subdomain"
  | "label"
  | "label1035"
  | "pathSegment"
  | "address"
  | "configKey"
  | "storageVersion";

/** Returns the reasons why a name violates a rule. */
export function nameErrors(name: string, rule: NameRule, prefix = false): string[] {
  if (rule === "any") return [];
  if (rule === "address") {
    const problem = addressProblem(name);
    return problem === undefined ? [] : [problem];
  }
  if (rule === "configKey") return configKeyErrors(name);
  if (rule === "storageVersion") {
    const dot = name.lastIndexOf(".");
    if (dot < 0) return ["name must be in the form of <group>.<resource>"];
    return [
      ...nameErrors(name.slice(0, dot), "subdomain").map((why) => `the group segment ${why}`),
      ...nameErrors(name.slice(dot + 1), "label1035").map((why) => `the resource segment ${why}`),
    ];
  }
  if (rule === "pathSegment") {
    const errors: string[] = [];
    if (!prefix && (name === "." || name === "..")) errors.push(`may not be '${name}'`);
    for (const illegal of ["/", "%"]) if (name.includes(illegal)) errors.push(`may not contain '${illegal}'`);
    return errors;
  }
  const checked = prefix && name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
  const errors: string[] = [];
  const most = rule === "subdomain" ? 253 : 63;
  if (checked.length > most) errors.push(`must be no more than ${most} characters`);
  if (rule === "subdomain" && !subdomain.test(checked)) errors.push(subdomainText);
  if (rule === "label" && !label.test(checked))
    errors.push(subdomain.test(checked) && checked.includes(".") ? "must not contain dots" : labelText);
  if (rule === "label1035" && !label1035.test(checked)) errors.push(label1035Text);
  return errors;
}

function configKeyErrors(key: string): string[] {
  const errors: string[] = [];
  if (key.length > 253) errors.push("must be no more than 253 characters");
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) errors.push(configKeyText);
  if (key === "." || key === "..") errors.push(`must not be '${key}'`);
  else if (key.startsWith("..")) errors.push("must not start with '..'");
  return errors;
}

/** Returns the errors of `name` and `generateName`, in apimachinery's order. */
export function validateName(meta: ObjectMeta, rule: NameRule): FieldError[] {
  const errors: FieldError[] = [];
  if (meta.generateName !== undefined && meta.generateName !== "") {
    for (const detail of nameErrors(meta.generateName, rule, true))
      errors.push(invalidField("metadata.generateName", meta.generateName, detail));
  }
  if (meta.name === undefined || meta.name === "")
    errors.push(requiredField("metadata.name", "name or generateName is required"));
  else for (const detail of nameErrors(meta.name, rule)) errors.push(invalidField("metadata.name", meta.name, detail));
  return errors;
}

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Maximum total size of an object's annotations in bytes. */
export const annotationsSizeLimit: number = 256 * 1024;

/** Returns true if the keys and values of an object's annotations take more bytes than they may. */
export function exceedsAnnotationsLimit(annotations: Readonly<Record<string, string>>): boolean {
  const texts = Object.entries(annotations).flat();
  const sum = (sizeOf: (text: string) => number): number => texts.reduce((total, text) => total + sizeOf(text), 0);
  // UTF-8 takes at most three bytes per character.
  if (sum(({ length }) => length) * 3 <= annotationsSizeLimit) return false;
  return sum((text) => utf8Encode(text).length) > annotationsSizeLimit;
}

function validateOwners(owners: readonly OwnerReference[]): FieldError[] {
  const errors: FieldError[] = [];
  let controller = "";
  const at = "metadata.ownerReferences";
  for (const owner of owners) {
    if (errors.length >= maxCauses) break;
    const version = owner.apiVersion ?? "";
    if (version === "" || version.split("/").length > 2 || version.endsWith("/"))
      errors.push(invalidField(`${at}.apiVersion`, version, "version must not be empty"));
    if ((owner.kind ?? "") === "") errors.push(invalidField(`${at}.kind`, "", "must not be empty"));
    if ((owner.name ?? "") === "") errors.push(invalidField(`${at}.name`, "", "must not be empty"));
    if ((owner.uid ?? "") === "") errors.push(invalidField(`${at}.uid`, "", "must not be empty"));
    if (version === "v1" && owner.kind === "Event")
      errors.push(invalidField(at, owner, "/v1, Kind=Event is disallowed from being an owner"));
    if (owner.controller === true) {
      const name = `${owner.kind}/${owner.name}`;
      if (controller !== "")
        errors.push(
          invalidField(
            "metadata.ownerReferences",
            owners,
            `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`,
          ),
        );
      else controller = name;
    }
  }
  return errors;
}

/** Validates the metadata of any kind: labels, annotations, owners, finalizers. */
export function validateMetadata(meta: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  pushAll(errors, validateTexts(meta));
  if (meta.generation !== undefined && meta.generation < 0)
    errors.push(invalidField("metadata.generation", meta.generation, "must be greater than or equal to 0"));
  for (const finalizer of meta.finalizers ?? []) {
    if (errors.length >= maxCauses) break;
    for (const detail of labelKeyErrors(finalizer)) errors.push(invalidField("metadata.finalizers", finalizer, detail));
  }
  if (meta.finalizers?.includes("orphan") === true && meta.finalizers.includes("foregroundDeletion")) {
    errors.push(
      invalidField(
        "metadata.finalizers",
        meta.finalizers,
        "finalizer orphan and foregroundDeletion cannot be both set",
      ),
    );
  }
  return errors;
}

/** Validates the finalizers of built-in kinds: all but the standard ones must be qualified. */
export function validateKubeFinalizers(meta: ObjectMeta): FieldError[] {
  return (meta.finalizers ?? []).flatMap((finalizer, index): FieldError[] =>
    finalizer.includes("/") || standardFinalizers.has(finalizer)
      ? []
      : [
          invalidField(
            `metadata.finalizers[${index}]`,
            finalizer,
            "name is neither a standard finalizer name nor is it fully qualified",
          ),
        ],
  );
}

/** Validates labels, annotations and owners. */
function validateTexts(meta: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(meta.labels ?? {})) {
    if (errors.length >= maxCauses) break;
    for (const detail of labelKeyErrors(key)) errors.push(invalidField("metadata.labels", key, detail));
    for (const detail of labelValueErrors(value)) errors.push(invalidField("metadata.labels", value, detail));
  }
  for (const key of Object.keys(meta.annotations ?? {})) {
    if (errors.length >= maxCauses) break;
    for (const detail of labelKeyErrors(key.toLowerCase()))
      errors.push(invalidField("metadata.annotations", key, detail));
  }
  if (exceedsAnnotationsLimit(meta.annotations ?? {}))
    errors.push({
      type: "FieldValueTooLong",
      field: "metadata.annotations",
      detail: `may not be more than ${annotationsSizeLimit} bytes`,
    });
  pushAll(errors, validateOwners(meta.ownerReferences ?? []));
  return errors;
}

/** Validates changed metadata: immutable fields, labels, annotations and owners. */
export function validateMetadataUpdate(meta: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp != null) {
    const known = new Set(old.finalizers ?? []);
    const added = (meta.finalizers ?? []).filter((finalizer) => !known.has(finalizer)).sort();
    if (added.length > 0)
      errors.push(
        forbiddenField(
          "metadata.finalizers",
          `no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`,
        ),
      );
  }
  const immutable = (field: string, value: unknown, before: unknown): void => {
    if (!equalJson(value, before)) errors.push(invalidField(`metadata.${field}`, value ?? null, "field is immutable"));
  };
  immutable("name", meta.name, old.name);
  immutable("namespace", meta.namespace ?? "", old.namespace ?? "");
  immutable("uid", meta.uid, old.uid);
  immutable("deletionTimestamp", meta.deletionTimestamp ?? undefined, old.deletionTimestamp ?? undefined);
  immutable("deletionGracePeriodSeconds", meta.deletionGracePeriodSeconds, old.deletionGracePeriodSeconds);
  pushAll(errors, validateTexts(meta));
  return errors;
}
