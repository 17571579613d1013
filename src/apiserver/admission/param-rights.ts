import { forbiddenField } from "../errors/field-error.js";
import { throwInvalid } from "../errors/status.js";
import type { ApiObject } from "../objects/api-object.js";
import { mastersGroup, resourceAttributes } from "../rbac/attributes.js";
import type { AdmissionPlugin, RegistryContext, RegistryServices } from "../registry/services.js";
import { getStored } from "../registry/stored-objects.js";

const admissionGroup = "admissionregistration.k8s.io";

interface ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
}

interface Spec {
  readonly paramKind?: ParamKind;
  readonly paramRef?: ParamRef;
  readonly policyName?: string;
}

const specOf = (object: ApiObject | undefined): Spec => (object?.["spec"] as Spec | undefined) ?? {};

/** Prevents users from writing policies with parameters that they can't read themselves. */
export const paramRights: AdmissionPlugin = {
  name: "PolicyParamRights",
  async validate({ operation, resource, subresource, name, object, old }, { services, user }) {
    if (
      resource.group !== admissionGroup ||
      subresource !== "" ||
      object === undefined ||
      (operation !== "CREATE" && operation !== "UPDATE") ||
      user.groups.includes(mastersGroup)
    )
      return;
    const [spec, before] = [specOf(object), specOf(old)];
    const binding = resource.resource.endsWith("admissionpolicybindings");
    if (!binding && !resource.resource.endsWith("admissionpolicies")) return;
    const problem = binding
      ? await refProblem({ services, user }, resource.resource, spec, before)
      : await kindProblem({ services, user }, spec, before);
    if (problem === undefined) return;
    throwInvalid(resource, object.metadata?.name ?? name, [
      forbiddenField(binding ? "spec.paramRef" : "spec.paramKind", problem),
    ]);
  },
};

/** User who writes a policy or binding. */
type Writer = Pick<RegistryContext, "services" | "user">;

/** Returns the resource of a kind, with `*` for unknown parts. */
function resourceOf(
  { resources }: RegistryServices,
  { apiVersion = "", kind = "" }: ParamKind,
): { readonly group: string; readonly version: string; readonly resource: string; readonly known: boolean } {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const found = resources.inGroupVersion(group, version)?.find((each) => each.kind === kind);
  return { group, version, resource: found?.resource ?? "*", known: found !== undefined };
}

async function kindProblem({ services, user }: Writer, { paramKind }: Spec, before: Spec): Promise<string | undefined> {
  if (
    paramKind === undefined ||
    (before.paramKind?.kind === paramKind.kind && before.paramKind?.apiVersion === paramKind.apiVersion)
  )
    return undefined;
  const wanted = { ...resourceOf(services, paramKind), namespace: "*", name: "*" };
  if ((await services.authorizer.authorize(resourceAttributes(user, "get", wanted))).allowed) return undefined;
  return `user ${JSON.stringify(user.name)} must have "get" permission on all objects of the referenced paramKind (kind=${paramKind.kind ?? ""}, apiVersion=${paramKind.apiVersion ?? ""})`;
}

async function refProblem(
  { services, user }: Writer,
  bindings: string,
  { paramRef, policyName = "" }: Spec,
  before: Spec,
): Promise<string | undefined> {
  if (
    paramRef === undefined ||
    (JSON.stringify(before.paramRef) === JSON.stringify(paramRef) && before.policyName === policyName)
  )
    return undefined;
  const policy = getStored(services, `${admissionGroup}/${bindings.replace(/ybindings$/, "ies")}`, policyName);
  const { paramKind } = specOf(policy);
  const target =
    paramKind === undefined
      ? { group: "*", version: "*", resource: "*", known: true }
      : resourceOf(services, paramKind);
  const verb = (paramRef.name ?? "") === "" ? "list" : "get";
  const wanted = { ...target, namespace: paramRef.namespace ?? "", name: paramRef.name ?? "" };
  if ((await services.authorizer.authorize(resourceAttributes(user, verb, wanted))).allowed) return undefined;
  const missing = `and user ${JSON.stringify(user.name)} does not have "${verb}" permission for all groups, versions and resources`;
  if (policy === undefined) return `unable to get policy ${policyName} ${missing}`;
  if (!target.known)
    return `unable to resolve paramKind ${paramKind?.kind ?? ""} of ${paramKind?.apiVersion ?? ""} ${missing}`;
  return `user ${JSON.stringify(user.name)} does not have "${verb}" permission on the object referenced by paramRef`;
}
