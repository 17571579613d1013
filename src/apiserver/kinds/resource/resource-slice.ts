import { utf8Encode } from "../../../internal/bytes.js";
import { pushAll } from "../../../internal/push-all.js";
import type { NodeSelector } from "../../../kinds/core/v1.js";
import type { Device, ResourceSlice } from "../../../kinds/resource/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { givenEmptyFields } from "../../objects/given-empty.js";
import { validateNodeSelector } from "../shared/affinity.js";
import * as check from "../shared/checks.js";
import { forbidden, invalid, required, tooLong, tooMany } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { isSet } from "../shared/kind-printer.js";
import { capacityPolicyErrors } from "./capacity-policies.js";
import {
  attributeNameErrors,
  bindingErrors,
  driverErrors,
  poolErrors,
  setErrors,
  taintErrors,
} from "./device-errors.js";
import { rulesOfV1 } from "./rules-of-v1.js";
import { sliceConversion } from "./slice-versions.js";

type Spec = NonNullable<ResourceSlice["spec"]>;
type Attribute = NonNullable<Device["attributes"]>[string];

const mostDevices = 128;
const mostSpecialDevices = 64;
const mostCounterSets = 8;
const mostCounters = 32;
const mostConsumptions = 2;
const mostAttributes = 32;
const mostTaints = 16;
const longestValue = 64;
const listAttributes = ["bools", "ints", "strings", "versions"] as const;
const semanticVersionPattern =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;
const oneNodeChoice = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
const oneNodeChoiceEach =
  "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec";

/** True if a list is present, even an empty one, which printing omits. */
function isGiven(spec: Partial<Spec>, list: "devices" | "sharedCounters"): boolean {
  return isSet(spec[list]) || givenEmptyFields(spec)?.includes(list) === true;
}

function sliceErrors(spec: Partial<Spec>, old: Partial<Spec> | undefined): FieldError[] {
  const { driver = "", pool, sharedCounters } = spec;
  const devices = (spec.devices as Device[] | null | undefined) ?? [];
  const errors = [...driverErrors("spec.driver", driver), ...poolErrors("spec.pool.name", pool?.name ?? "")];
  const [count, generation] = [pool?.resourceSliceCount ?? 0, pool?.generation ?? 0];
  if (count <= 0) errors.push(invalid("spec.pool.resourceSliceCount", count, "must be greater than zero"));
  if (generation < 0) errors.push(invalid("spec.pool.generation", generation, "must be greater than or equal to zero"));
  if (old !== undefined) {
    pushAll(
      errors,
      check.immutable("spec.pool.name", pool?.name, old.pool?.name),
      check.immutable("spec.driver", driver, old.driver),
    );
    if (spec.nodeName !== old.nodeName) errors.push(invalid("spec.nodeName", spec.nodeName, "field is immutable"));
  }
  const places = placeErrors(spec, "spec", "must be either unset or set to a non-empty string", errors);
  if (spec.perDeviceNodeSelection === true) places.push("`perDeviceNodeSelection`");
  else if (spec.perDeviceNodeSelection === false)
    errors.push(invalid("spec.perDeviceNodeSelection", false, "must be either unset or set to true"));
  if (places.length === 0) errors.push(required("spec", oneNodeChoice));
  else if (places.length > 1)
    errors.push(invalid("spec", `{${places.join(", ")}}`, `${oneNodeChoice}, but multiple fields are set`));
  if (isGiven(spec, "sharedCounters") && isGiven(spec, "devices"))
    errors.push(invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed"));
  const special = devices.some(
    (device) => (device.taints ?? []).length > 0 || (device.consumesCounters ?? []).length > 0,
  );
  const before = new Map((old?.devices ?? []).map((device) => [device.name, device]));
  pushAll(
    errors,
    setErrors(
      devices,
      { most: special ? mostSpecialDevices : mostDevices, keyOf: ({ name }) => name },
      "spec.devices",
      (device, at) => deviceErrors(device, before.get(device.name), spec.perDeviceNodeSelection === true, at),
    ),
  );
  pushAll(
    errors,
    setErrors(
      sharedCounters,
      { most: mostCounterSets, keyOf: ({ name }) => name },
      "spec.sharedCounters",
      ({ name, counters }, at) => [
        ...check.requiredText(`${at}.name`, name, check.dnsLabel),
        ...counterErrors(counters, `${at}.counters`),
      ],
    ),
  );
  return errors;
}

/** Returns the fields that locate devices, and adds their errors to `errors`. */
function placeErrors(
  {
    nodeName,
    nodeSelector,
    allNodes,
  }: {
    readonly nodeName?: string | undefined;
    readonly nodeSelector?: NodeSelector | undefined;
    readonly allNodes?: boolean | undefined;
  },
  at: string,
  empty: string,
  errors: FieldError[],
): string[] {
  const set: string[] = [];
  if (nodeName === "") errors.push(invalid(`${at}.nodeName`, nodeName, empty));
  else if (nodeName !== undefined) {
    set.push("`nodeName`");
    pushAll(errors, check.dnsSubdomain(`${at}.nodeName`, nodeName));
  }
  if (nodeSelector !== undefined) {
    set.push("`nodeSelector`");
    const terms = nodeSelector.nodeSelectorTerms as typeof nodeSelector.nodeSelectorTerms | null;
    pushAll(errors, validateNodeSelector(terms ?? [], `${at}.nodeSelector.nodeSelectorTerms`));
    if (at === "spec" && terms?.length !== 1)
      errors.push(invalid(`${at}.nodeSelector.nodeSelectorTerms`, terms, "must have exactly one node selector term"));
  }
  if (allNodes === true) set.push("`allNodes`");
  else if (allNodes === false) errors.push(invalid(`${at}.allNodes`, allNodes, "must be either unset or set to true"));
  return set;
}

function counterErrors(counters: Readonly<Record<string, unknown>> | undefined, at: string): FieldError[] {
  const names = Object.keys(counters ?? {});
  if (names.length === 0) return [required(at)];
  return names.length > mostCounters
    ? [tooMany(at, names.length, mostCounters)]
    : names.flatMap((name) => check.dnsLabel(at, name));
}

function deviceErrors(device: Device, old: Device | undefined, perDevice: boolean, at: string): FieldError[] {
  const { attributes = {}, capacity = {}, taints } = device;
  const errors = check.dnsLabel(`${at}.name`, device.name);
  const total = Object.keys(attributes).length + Object.keys(capacity).length;
  if (total > mostAttributes)
    errors.push(
      invalid(at, total, `the total number of attributes and capacities must not exceed ${String(mostAttributes)}`),
    );
  for (const [name, attribute] of Object.entries(attributes))
    pushAll(
      errors,
      attributeNameErrors(`${at}.attributes`, name),
      attributeErrors(attribute, `${at}.attributes[${name}]`),
    );
  for (const [name, each] of Object.entries(capacity)) {
    const place = `${at}.capacity[${name}]`;
    pushAll(errors, attributeNameErrors(`${at}.capacity`, name));
    if (each.requestPolicy === undefined) continue;
    pushAll(
      errors,
      device.allowMultipleAllocations === true
        ? capacityPolicyErrors(each.value, each.requestPolicy, `${place}.requestPolicy`)
        : [forbidden(`${place}.requestPolicy`, "allowMultipleAllocations must be true")],
    );
  }
  if (old === undefined || !check.sameValue(old.taints, taints))
    pushAll(
      errors,
      setErrors(taints, { most: mostTaints }, `${at}.taints`, (taint, place) => taintErrors(taint, undefined, place)),
    );
  pushAll(
    errors,
    setErrors(
      device.consumesCounters,
      { most: mostConsumptions, keyOf: ({ counterSet }) => counterSet },
      `${at}.consumesCounters`,
      ({ counterSet, counters }, place) => [
        ...check.requiredText(`${place}.counterSet`, counterSet, check.dnsLabel),
        ...counterErrors(counters, `${place}.counters`),
      ],
    ),
  );
  if (perDevice) {
    const places = placeErrors(device, at, "must not be empty", errors);
    if (places.length === 0) errors.push(required(at, oneNodeChoiceEach));
    else if (places.length > 1) errors.push(invalid(at, `{${places.join(", ")}}`, oneNodeChoiceEach));
  } else if (device.nodeName !== undefined || device.nodeSelector !== undefined || device.allNodes !== undefined) {
    errors.push(
      invalid(
        at,
        null,
        "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec",
      ),
    );
  }
  return [...errors, ...bindingErrors(device, at)];
}

function attributeErrors(attribute: Attribute, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const text = (field: string, value: string): void => {
    if (utf8Encode(value).length > longestValue) errors.push(tooLong(field, longestValue));
  };
  if (attribute.string !== undefined) text(`${at}.string`, attribute.string);
  if (attribute.version !== undefined) {
    if (!semanticVersionPattern.test(attribute.version))
      errors.push(
        invalid(`${at}.version`, attribute.version, "must be a string compatible with semver.org spec 2.0.0"),
      );
    text(`${at}.version`, attribute.version);
  }
  const given = (["bool", "int", "string", "version"] as const).filter((field) => attribute[field] !== undefined);
  if (given.length === 0) errors.push(invalid(at, "", "exactly one value must be specified"));
  else if (given.length > 1) errors.push(invalid(at, attribute, "exactly one value must be specified"));
  return errors;
}

/** Drops fields of disabled features, in place. */
function dropDisabled({ spec }: ResourceSlice): void {
  for (const device of (spec as Partial<Spec> | undefined)?.devices ?? []) {
    // Devices of v1beta1 have their fields in `basic`.
    const fields = (device as { basic?: Device }).basic ?? device;
    delete fields.nodeAllocatableResourceMappings;
    for (const attribute of Object.values(fields.attributes ?? {}))
      for (const list of listAttributes) delete attribute[list];
  }
}

export const resourceSlice: KindDefinition = defineBuiltin<ResourceSlice>({
  resource: "resource.k8s.io/resourceslices",
  generation: { counts: "fromOne", beforePreparation: true },
  deletion: { returnsObject: true },
  prepare: { create: dropDisabled, update: dropDisabled },
  warnings: ({ spec }) =>
    /[A-Z]/.test(spec.driver) ? [`spec.driver: ${JSON.stringify(spec.driver)} should be in lower case`] : [],
  validate: rulesOfV1<ResourceSlice>(sliceConversion, {
    create: ({ spec }) => sliceErrors(spec ?? {}, undefined),
    update: ({ spec }, old) => sliceErrors(spec ?? {}, old.spec ?? {}),
    checksEnums: true,
  }),
  printer: {
    columns: "Node,Driver,Pool,Age",
    cells: ({ spec }, age) => [spec.nodeName ?? "", spec.driver, spec.pool.name, age],
  },
  indexedField: "spec.nodeName",
  selectableFields: ({ spec }) => ({
    "spec.nodeName": (spec as Partial<Spec> | undefined)?.nodeName ?? "",
    "spec.driver": (spec as Partial<Spec> | undefined)?.driver ?? "",
  }),
  selectsNamespace: false,
});
