import type { Resource, UpdateFunctionOptions } from "../client/resource/resource.js";

/** Why a certificate request is approved or denied. */
export interface ApprovalOptions extends UpdateFunctionOptions {
  /** Reason in CamelCase. Default `Approved` or `Denied`. */
  readonly reason?: string;
  /** Text for people. */
  readonly message?: string;
}

/** Approves a certificate signing request. */
export function approve<T, Sub extends { approval: unknown }>(
  requests: Resource<T, Sub>,
  name: string,
  options: ApprovalOptions = {},
): Promise<Sub["approval"]> {
  return decide(requests, name, "Approved", options);
}

/** Denies a certificate signing request. */
export function deny<T, Sub extends { approval: unknown }>(
  requests: Resource<T, Sub>,
  name: string,
  options: ApprovalOptions = {},
): Promise<Sub["approval"]> {
  return decide(requests, name, "Denied", options);
}

function decide<T, Sub extends { approval: unknown }>(
  requests: Resource<T, Sub>,
  name: string,
  type: string,
  options: ApprovalOptions,
): Promise<Sub["approval"]> {
  const { reason = type, message = "", ...change } = options;
  return requests.subresource("approval").update(
    name,
    (object) => {
      const request = object as {
        status?: { conditions?: { type: string; status: string; reason?: string; message?: string }[] };
      };
      const status = (request.status ??= {});
      status.conditions = [
        ...(status.conditions ?? []).filter((condition) => condition.type !== type),
        { type, status: "True", reason, message },
      ];
    },
    change,
  );
}
