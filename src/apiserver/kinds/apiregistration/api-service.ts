import type { APIService } from "../../../kinds/apiregistration/v1.js";
import type { FieldError } from "../../errors/field-error.js";
import { formatTime } from "../../objects/metadata.js";
import { nameErrors } from "../../objects/validate-metadata.js";
import * as check from "../shared/checks.js";
import { invalid, required } from "../shared/field-errors.js";
import type { KindDefinition } from "../shared/kind-definition.js";
import { defineBuiltin, dropStatus } from "../shared/kind-definition.js";
import { writableMetadata } from "../shared/metadata-rules.js";

type Spec = NonNullable<APIService["spec"]>;

const mostGroupPriority = 20_000;
const mostVersionPriority = 1000;

function validate({ metadata, spec }: APIService): FieldError[] {
  const given: Partial<Spec> = spec ?? {};
  const { group = "", version = "", groupPriorityMinimum, versionPriority } = given;
  const expected = `${version}.${group}`;
  const names = (["generateName", "name"] as const).flatMap((key) => {
    const name = metadata?.[key] ?? "";
    return name === expected || name === "" || nameErrors(name, "pathSegment").length > 0
      ? []
      : [invalid(`metadata.${key}`, name, `must be \`spec.version+"."+spec.group\`: "${expected}"`)];
  });
  return [
    ...names,
    ...(group === "" && version !== "v1" ? [required("spec.group", "only v1 may have an empty group")] : []),
    ...check.optionalText("spec.group", group, check.dnsSubdomain),
    ...check.dnsLabel1035("spec.version", version),
    ...priorityErrors("spec.groupPriorityMinimum", groupPriorityMinimum, mostGroupPriority),
    ...priorityErrors("spec.versionPriority", versionPriority, mostVersionPriority),
    ...(given.service === undefined ? localErrors(given) : serviceErrors(given, given.service)),
  ];
}

function priorityErrors(field: string, value = 0, most: number): FieldError[] {
  return check.between(field, value, 1, most);
}

function localErrors({ caBundle = "", insecureSkipTLSVerify: insecure }: Partial<Spec>): FieldError[] {
  const detail = "may not be set for local APIServices";
  return [
    ...(caBundle === "" ? [] : [invalid("spec.caBundle", `${String(atob(caBundle).length)} bytes`, detail)]),
    ...(insecure === true ? [invalid("spec.insecureSkipTLSVerify", true, detail)] : []),
  ];
}

function serviceErrors(
  { caBundle = "", insecureSkipTLSVerify: insecure }: Partial<Spec>,
  { namespace, name, port = 0 }: NonNullable<Spec["service"]>,
): FieldError[] {
  return [
    ...check.requiredText("spec.service.namespace", namespace),
    ...check.requiredText("spec.service.name", name),
    ...check.portNumber("spec.service.port", port),
    ...(insecure === true && caBundle !== ""
      ? [invalid("spec.insecureSkipTLSVerify", true, "may not be true if caBundle is present")]
      : []),
  ];
}

export const apiService: KindDefinition = defineBuiltin<APIService>({
  resource: "apiregistration.k8s.io/apiservices",
  requiresVersionOnUpdate: true,
  metadata: { name: "pathSegment", plainFinalizers: true, checksOnUpdate: 2, keptByStatus: writableMetadata },
  statusTables: false,
  defaults: {
    "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference": (service: { port?: number | undefined }) => {
      service.port ??= 443;
    },
  },
  prepare: {
    create(service, { nowMs }) {
      dropStatus(service);
      // The server's own groups are available immediately.
      if (service.spec === undefined || service.spec.service !== undefined) return;
      const condition = {
        type: "Available",
        status: "True",
        lastTransitionTime: formatTime(nowMs),
        reason: "Local",
        message: "Local APIServices are always available",
      };
      service.status = { conditions: [condition] };
    },
  },
  validate: {
    create: validate,
    status: ({ status }) =>
      check.eachItem(status?.conditions, "status.conditions", (condition, at) =>
        check.oneOf(`${at}.status`, condition.status, ["True", "False", "Unknown"]),
      ),
  },
  printer: {
    columns: "Service,Available,Age",
    cells({ spec, status }, age) {
      const { status: available = "Unknown", reason = "" } =
        status?.conditions?.find((each) => each.type === "Available") ?? {};
      const service = spec?.service;
      return [
        service === undefined ? "Local" : `${service.namespace ?? ""}/${service.name ?? ""}`,
        available === "True" || reason === "" ? available : `${available} (${reason})`,
        age,
      ];
    },
  },
});
