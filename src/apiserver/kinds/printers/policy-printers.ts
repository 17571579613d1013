import type {
  MutatingAdmissionPolicy,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "../../../kinds/admissionregistration/v1.js";
import type { APIService } from "../../../kinds/apiregistration/v1.js";
import type { CertificateSigningRequest } from "../../../kinds/certificates/v1.js";
import type { FlowSchema, PriorityLevelConfiguration } from "../../../kinds/flowcontrol/v1.js";
import type { RoleBinding } from "../../../kinds/rbac/v1.js";
import type { ResourceClaim, ResourceSlice } from "../../../kinds/resource/v1.js";
import type { PriorityClass } from "../../../kinds/scheduling/v1.js";
import type { LabelSelector } from "../../../meta/label-selector.js";
import type { KindPrinter } from "../shared/kind-printer.js";
import { firstFew, isSet } from "../shared/kind-printer.js";
import { formatDuration } from "../shared/print-age.js";

const roleBinding: KindPrinter = {
  columns: "Role,Age,Users*,Groups*,ServiceAccounts*",
  cells: ({ roleRef, subjects }: RoleBinding, age) => {
    const names = (kind: string): string =>
      (subjects ?? [])
        .filter((each) => each.kind === kind)
        .map((each) => (kind === "ServiceAccount" ? `${each.namespace ?? ""}/${each.name}` : each.name))
        .join(", ");
    return [`${roleRef.kind}/${roleRef.name}`, age, names("User"), names("Group"), names("ServiceAccount")];
  },
};

const policyBinding: KindPrinter = {
  columns: "PolicyName,ParamRef,Age",
  cells: ({ spec }: ValidatingAdmissionPolicyBinding, age) => [spec?.policyName ?? "", parameters(spec?.paramRef), age],
};

const webhooks: KindPrinter = {
  columns: "Webhooks:integer,Age",
  cells: ({ webhooks: list }: { webhooks?: unknown[] }, age) => [(list ?? []).length, age],
};

const ageOnly: KindPrinter = { columns: "Age", cells: (_: unknown, age) => [age] };

/** How rules, policies and the kinds that extend a server are printed, by resource. */
export const policyPrinters: Readonly<Record<string, KindPrinter>> = {
  "rbac.authorization.k8s.io/rolebindings": roleBinding,
  "rbac.authorization.k8s.io/clusterrolebindings": roleBinding,
  "scheduling.k8s.io/priorityclasses": {
    columns: "Value:integer,Global-Default:boolean,Age,PreemptionPolicy",
    cells: ({ value, globalDefault, preemptionPolicy }: PriorityClass, age) => [
      value,
      globalDefault ?? false,
      age,
      preemptionPolicy ?? "",
    ],
  },
  "node.k8s.io/runtimeclasses": {
    columns: "Handler,Age",
    cells: ({ handler }: { handler?: string }, age) => [handler ?? "", age],
  },
  "flowcontrol.apiserver.k8s.io/flowschemas": {
    columns: "PriorityLevel,MatchingPrecedence,DistinguisherMethod,Age,MissingPL",
    cells: ({ spec, status }: FlowSchema, age) => [
      spec?.priorityLevelConfiguration.name ?? "",
      spec?.matchingPrecedence ?? 0,
      spec?.distinguisherMethod?.type ?? "<none>",
      age,
      status?.conditions?.find((each) => each.type === "Dangling")?.status ?? "?",
    ],
  },
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": {
    columns: "Type,NominalConcurrencyShares,Queues,HandSize,QueueLengthLimit,Age",
    cells: ({ spec }: PriorityLevelConfiguration, age) => {
      const queuing = spec?.limited?.limitResponse?.queuing;
      return [
        spec?.type ?? "",
        spec?.limited?.nominalConcurrencyShares ?? "<none>",
        queuing?.queues ?? "<none>",
        queuing?.handSize ?? "<none>",
        queuing?.queueLengthLimit ?? "<none>",
        age,
      ];
    },
  },
  "admissionregistration.k8s.io/validatingwebhookconfigurations": webhooks,
  "admissionregistration.k8s.io/mutatingwebhookconfigurations": webhooks,
  "admissionregistration.k8s.io/validatingadmissionpolicies": {
    columns: "Validations:integer,ParamKind,Age",
    cells: ({ spec }: ValidatingAdmissionPolicy, age) => [
      spec?.validations?.length ?? 0,
      paramKind(spec?.paramKind),
      age,
    ],
  },
  "admissionregistration.k8s.io/mutatingadmissionpolicies": {
    columns: "Mutations:integer,ParamKind,Age",
    cells: ({ spec }: MutatingAdmissionPolicy, age) => [spec?.mutations?.length ?? 0, paramKind(spec?.paramKind), age],
  },
  "admissionregistration.k8s.io/validatingadmissionpolicybindings": policyBinding,
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings": policyBinding,
  "apiregistration.k8s.io/apiservices": {
    columns: "Service,Available,Age",
    cells: ({ spec, status }: APIService, age) => {
      const available = status?.conditions?.find((each) => each.type === "Available");
      const reason =
        available === undefined || available.status === "True" || (available.reason ?? "") === ""
          ? ""
          : ` (${available.reason ?? ""})`;
      const service =
        spec?.service === undefined ? "Local" : `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}`;
      return [service, `${available?.status ?? "Unknown"}${reason}`, age];
    },
  },
  "certificates.k8s.io/certificatesigningrequests": {
    columns: "Age,SignerName,Requestor,RequestedDuration,Condition",
    cells: ({ spec, status }: CertificateSigningRequest, age) => {
      const has = (type: string): boolean => status?.conditions?.some((each) => each.type === type) === true;
      const decided = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
      const condition = `${decided}${has("Failed") ? ",Failed" : ""}${(status?.certificate ?? "") === "" ? "" : ",Issued"}`;
      return [
        age,
        spec.signerName || "<none>",
        spec.username ?? "",
        spec.expirationSeconds === undefined ? "<none>" : formatDuration(spec.expirationSeconds * 1000),
        condition,
      ];
    },
  },
  "internal.apiserver.k8s.io/storageversions": {
    columns: "CommonEncodingVersion,StorageVersions,Age",
    cells: (
      {
        status,
      }: {
        status?: {
          commonEncodingVersion?: string;
          storageVersions?: { apiServerID?: string; encodingVersion?: string }[];
        };
      },
      age,
    ) => {
      const list = (status?.storageVersions ?? []).map(
        (each) => `${each.apiServerID ?? ""}=${each.encodingVersion ?? ""}`,
      );
      return [status?.commonEncodingVersion ?? "<unset>", list.length === 0 ? "<unset>" : firstFew(list, 3), age];
    },
  },
  "resource.k8s.io/deviceclasses": ageOnly,
  "resource.k8s.io/resourceclaimtemplates": ageOnly,
  "resource.k8s.io/resourceclaims": {
    columns: "State,Age",
    cells: ({ metadata, status }: ResourceClaim, age) => {
      const deleted = isSet(metadata?.deletionTimestamp);
      const allocated =
        status?.allocation === undefined
          ? deleted
            ? []
            : ["pending"]
          : ["allocated", ...((status.reservedFor ?? []).length > 0 ? ["reserved"] : [])];
      return [[...(deleted ? ["deleted"] : []), ...allocated].join(","), age];
    },
  },
  "resource.k8s.io/resourceslices": {
    columns: "Node,Driver,Pool,Age",
    cells: ({ spec }: ResourceSlice, age) => [spec.nodeName ?? "", spec.driver, spec.pool.name, age],
  },
};

function paramKind(kind: { apiVersion?: string; kind?: string } | undefined): string {
  return kind === undefined ? "<unset>" : `${kind.apiVersion ?? ""}/${kind.kind ?? ""}`;
}

/** A selector as Go prints the struct. */
function goSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}: ${matchLabels[key] ?? ""},`)
    .join("");
  const expressions = matchExpressions
    .map(
      ({ key, operator, values = [] }) =>
        `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
    )
    .join("");
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

function parameters(reference: ParamRef | undefined): string {
  if (reference === undefined) return "<unset>";
  if ((reference.name ?? "") !== "") return `${reference.namespace || "*"}/${reference.name ?? ""}`;
  return reference.selector === undefined ? "<unset>" : goSelector(reference.selector);
}
