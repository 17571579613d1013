import type { Resource } from "../client/resource/resource.js";
import type { UpdateFunctionOptions } from "../client/resource/subresource-handle.js";

/** Options for `approve` and `deny`. */
export interface ApprovalOptions extends UpdateFunctionOptions {
  /** Reason in CamelCase. Default `Approved` or `Denied`. */
  readonly reason?: string | undefined;
  /** Human-readable message. */
  readonly message?: string | undefined;
}

/**
 * Approves a certificate signing request. One that is already approved stays unchanged; for one that is denied, the
 * server answers 422.
 *
 * @example
 * ```ts
 * import { CertificateSigningRequest } from "kubestream/kinds/certificates/v1";
 * import { connect } from "kubestream/node";
 * import { approve } from "kubestream/operations";
 *
 * const client = await connect();
 * await approve(client.resource(CertificateSigningRequest), "jane", { message: "requested in ticket 42" });
 * ```
 */
export function approve<T, Sub extends { approval: unknown }>(
  requests: Resource<T, Sub>,
  name: string,
  options: ApprovalOptions = {},
): Promise<Sub["approval"]> {
  return decide(requests, name, "Approved", options);
}

/**
 * Denies a certificate signing request. One that is already denied stays unchanged; for one that is approved, the server
 * answers 422.
 */
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
      const conditions = ((request.status ??= {}).conditions ??= []);
      if (conditions.every((condition) => condition.type !== type))
        conditions.push({ type, status: "True", reason, message });
    },
    change,
  );
}
