import type { TopologySelectorTerm } from "../../../kinds/core/v1.js";
import type { StorageClass } from "../../../kinds/storage/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import * as check from "../shared/checks.js";
import { duplicate, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { nodeLabelWarnings } from "../shared/node-labels.js";
import { parameterErrors, provisionerErrors } from "./parameters.js";

const reclaimPolicies = ["Delete", "Retain"];
const bindingModes = ["Immediate", "WaitForFirstConsumer"];
const defaultAnnotations = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];

function validate(each: StorageClass): FieldError[] {
  return [
    ...provisionerErrors("provisioner", each.provisioner),
    ...parameterErrors(each.parameters),
    ...check.optionalText("reclaimPolicy", each.reclaimPolicy, (field, value) =>
      check.oneOf(field, value, reclaimPolicies),
    ),
    ...(each.volumeBindingMode === undefined
      ? [required("volumeBindingMode")]
      : check.oneOf("volumeBindingMode", each.volumeBindingMode, bindingModes)),
    ...topologyErrors(each.allowedTopologies ?? []),
  ];
}

function topologyErrors(terms: readonly TopologySelectorTerm[]): FieldError[] {
  // kube-apiserver starts its list of known terms with as many empty ones.
  const known: string[] = terms.map(() => "");
  return check.eachItem(terms, "allowedTopologies", (term, place) => {
    const at = `${place}.matchLabelExpressions`;
    const keys = new Map<string, string>();
    const errors = check.eachItem(term.matchLabelExpressions, at, ({ key, values: given }, path) => {
      const values = (given as readonly string[] | null) ?? [];
      const again = keys.has(key);
      keys.set(key, [...new Set(values)].sort().join());
      return [
        ...(values.length === 0 ? [required(`${path}.values`)] : []),
        ...check.duplicates(values, (index) => `${path}.values[${String(index)}]`),
        ...check.qualifiedName(`${path}.key`, key),
        ...(again ? [duplicate(`${path}.key`, key)] : []),
      ];
    });
    const text = [...keys].sort().join(";");
    const repeated = known.filter((other) => other === text).map(() => duplicate(at, ""));
    known.push(text);
    return [...errors, ...repeated];
  });
}

export const storageClass: KindDefinition = defineBuiltin<StorageClass>({
  resource: "storage.k8s.io/storageclasses",
  metadata: { checksOnUpdate: 2 },
  deletion: { returnsObject: true },
  defaults: {
    "io.k8s.api.storage.v1.StorageClass": (each: StorageClass) => {
      each.reclaimPolicy ??= "Delete";
      each.volumeBindingMode ??= "Immediate";
    },
  },
  validate: {
    create: validate,
    update: (each, old) => [
      ...validate(each),
      ...(["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"] as const).flatMap((key) =>
        check.immutable(key, each[key], old[key]),
      ),
    ],
  },
  warnings: ({ allowedTopologies = [] }) =>
    check.eachItem(allowedTopologies, "allowedTopologies", ({ matchLabelExpressions }, at) =>
      check.eachItem(matchLabelExpressions, `${at}.matchLabelExpressions`, ({ key }, path) =>
        nodeLabelWarnings(key, `${path}.key`),
      ),
    ),
  printer: {
    columns: "Provisioner,ReclaimPolicy,VolumeBindingMode,AllowVolumeExpansion,Age",
    name: ({ metadata: { name = "", annotations = {} } = {} }) =>
      defaultAnnotations.some((mark) => annotations[mark] === "true") ? `${name} (default)` : name,
    cells: (each, age) => [
      each.provisioner,
      each.reclaimPolicy ?? "Delete",
      each.volumeBindingMode ?? "Immediate",
      each.allowVolumeExpansion ?? false,
      age,
    ],
  },
});
