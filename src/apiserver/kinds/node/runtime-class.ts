import type { RuntimeClass } from "../../../kinds/node/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { tolerationErrors } from "../core/pod/pod-spec-errors.js";
import * as check from "../shared/checks.js";
import { duplicate } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin } from "../shared/kind-definition.js";
import { nodeLabelWarnings } from "../shared/node-labels.js";
import { containerResourceName } from "../shared/resource-names.js";
import { resourceErrors } from "../shared/resource-requirements.js";

function validate({ handler, overhead, scheduling }: RuntimeClass): FieldError[] {
  const seen = new Set<string>();
  return [
    ...check.requiredText("handler", handler, check.dnsLabel),
    ...(overhead === undefined
      ? []
      : resourceErrors({ limits: overhead.podFixed ?? {} }, "overhead", containerResourceName)),
    ...check.labels("scheduling.nodeSelector", scheduling?.nodeSelector),
    ...check.eachItem(scheduling?.tolerations, "scheduling.tolerations", (toleration, at) => {
      const { key = "", operator = "", value = "", effect = "" } = toleration;
      const text = JSON.stringify([key, operator, value, effect]);
      const again = seen.has(text);
      seen.add(text);
      return [...tolerationErrors(toleration, at), ...(again ? [duplicate(at, toleration)] : [])];
    }),
  ];
}

export const runtimeClass: KindDefinition = defineBuiltin<RuntimeClass>({
  resource: "node.k8s.io/runtimeclasses",
  createOnUpdate: true,
  requiresVersionOnUpdate: true,
  metadata: { checksOnUpdate: 2, plainFinalizers: true },
  validate: {
    create: validate,
    update: (each, old) => [...check.immutable("handler", each.handler, old.handler), ...validate(each)],
  },
  warnings: ({ scheduling }) =>
    Object.keys(scheduling?.nodeSelector ?? {})
      .sort()
      .flatMap((label) => nodeLabelWarnings(label, "scheduling.nodeSelector")),
  printer: { columns: "Handler,Age", cells: ({ handler }, age) => [handler ?? "", age] },
});
