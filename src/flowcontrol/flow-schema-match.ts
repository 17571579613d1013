import { type LevelSpec, limitsOf, sharesOf } from "../fairness/level-limits.js";

/** The fields of a FlowSchema that decide which requests it matches. A `FlowSchema` is assignable. */
export interface FlowSchemaRules {
  /** Name of the FlowSchema. */
  readonly metadata?: { readonly name?: string | undefined } | undefined;
  /** Matching rules. */
  readonly spec?:
    | {
        readonly matchingPrecedence?: number | undefined;
        readonly priorityLevelConfiguration: { readonly name: string };
        readonly distinguisherMethod?: { readonly type: string } | undefined;
        readonly rules?:
          | readonly {
              readonly subjects: readonly {
                readonly kind: string;
                readonly user?: { readonly name: string } | undefined;
                readonly group?: { readonly name: string } | undefined;
                readonly serviceAccount?: { readonly namespace: string; readonly name: string } | undefined;
              }[];
              readonly resourceRules?:
                | readonly {
                    readonly verbs: readonly string[];
                    readonly apiGroups: readonly string[];
                    readonly resources: readonly string[];
                    readonly clusterScope?: boolean | undefined;
                    readonly namespaces?: readonly string[] | undefined;
                  }[]
                | undefined;
              readonly nonResourceRules?:
                | readonly {
                    readonly verbs: readonly string[];
                    readonly nonResourceURLs: readonly string[];
                  }[]
                | undefined;
            }[]
          | undefined;
      }
    | undefined;
}

/** Attributes of a request that API Priority and Fairness evaluates. */
export interface ClassifiedRequest {
  /** User name. */
  readonly user: string;
  /** Groups of the user, including `system:authenticated`. */
  readonly groups: readonly string[];
  /** API verb, or the HTTP method in lower case for non-resource requests. */
  readonly verb: string;
  /** API group; absent for non-resource requests. */
  readonly group?: string | undefined;
  /** Resource, with its subresource (`pods/status`); absent for non-resource requests. */
  readonly resource?: string | undefined;
  /** Namespace; absent for cluster-scoped requests. */
  readonly namespace?: string | undefined;
  /** Path of a non-resource request. */
  readonly path?: string | undefined;
}

/**
 * Returns the FlowSchema that handles a request: among those that match, the one with the lowest `matchingPrecedence`,
 * then the first by name. Returns `undefined` if none matches.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
 *
 * @example
 * ```ts
 * import { matchFlowSchema } from "kubestream/flowcontrol";
 * import { FlowSchema } from "kubestream/kinds/flowcontrol/v1";
 * import { connect } from "kubestream/node";
 *
 * const client = await connect();
 * const { items } = await client.resource(FlowSchema).list();
 * const match = matchFlowSchema(items, {
 *   user: "system:serviceaccount:web:shop",
 *   groups: ["system:serviceaccounts", "system:authenticated"],
 *   verb: "list",
 *   group: "",
 *   resource: "pods",
 * });
 * console.log(match?.metadata?.name);
 * ```
 */
export function matchFlowSchema<S extends FlowSchemaRules>(
  schemas: readonly S[],
  request: ClassifiedRequest,
): S | undefined {
  const order = (schema: S): number => schema.spec?.matchingPrecedence ?? 1000;
  return schemas
    .filter((schema) =>
      schema.spec?.rules?.some(
        (rule) => rule.subjects.some((subject) => subjectMatches(subject, request)) && ruleMatches(rule, request),
      ),
    )
    .sort((a, b) => order(a) - order(b) || ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1))[0];
}

type Rule = NonNullable<NonNullable<FlowSchemaRules["spec"]>["rules"]>[number];

function subjectMatches(subject: Rule["subjects"][number], request: ClassifiedRequest): boolean {
  switch (subject.kind) {
    case "User":
      return subject.user?.name === "*" || subject.user?.name === request.user;
    case "Group":
      return (
        subject.group?.name === "*" || (subject.group !== undefined && request.groups.includes(subject.group.name))
      );
    case "ServiceAccount": {
      const { namespace = "", name = "" } = subject.serviceAccount ?? {};
      const prefix = `system:serviceaccount:${namespace}:`;
      return name === "*" ? request.user.startsWith(prefix) : request.user === prefix + name;
    }
    default:
      return false;
  }
}

function ruleMatches(rule: Rule, request: ClassifiedRequest): boolean {
  const { resource, verb } = request;
  if (resource === undefined) {
    return (rule.nonResourceRules ?? []).some(
      (each) =>
        has(each.verbs, verb) &&
        each.nonResourceURLs.some(
          (url) =>
            url === "*" || url === request.path || (request.path ?? "").startsWith(`${url.replace(/\/?\*?$/, "")}/`),
        ),
    );
  }
  return (rule.resourceRules ?? []).some(
    (each) =>
      has(each.verbs, verb) &&
      has(each.apiGroups, request.group ?? "") &&
      has(each.resources, resource) &&
      (request.namespace === undefined ? each.clusterScope === true : has(each.namespaces ?? [], request.namespace)),
  );
}

function has(list: readonly string[], value: string): boolean {
  return list.includes("*") || list.includes(value);
}

/**
 * The fields of a PriorityLevelConfiguration that decide its concurrency. A `PriorityLevelConfiguration` is assignable.
 */
export interface PriorityLevelRules {
  /** Name of the priority level. */
  readonly metadata?: { readonly name?: string | undefined } | undefined;
  /** Concurrency shares. */
  readonly spec?: LevelSpec | undefined;
}

/**
 * Concurrency limits of a priority level, in seats. A request occupies one seat while it executes; expensive ones, such as
 * large lists, occupy several.
 */
export interface PriorityLevelSeats {
  /** Name of the priority level. */
  readonly name: string;
  /** Nominal limit, before lending and borrowing. */
  readonly nominal: number;
  /** Seats that other levels can't borrow. Exempt levels are not subject to any of these limits. */
  readonly lower: number;
  /** Maximum including borrowed seats; `undefined` if borrowing is unlimited. */
  readonly upper?: number | undefined;
}

/**
 * Computes the seats of each priority level. `total` is the server's concurrency limit: `--max-requests-inflight` plus
 * `--max-mutating-requests-inflight`.
 */
export function prioritySeats(levels: readonly PriorityLevelRules[], total: number): PriorityLevelSeats[] {
  const specOf = ({ spec = { type: "Limited" } }: PriorityLevelRules): LevelSpec => spec;
  const sum = levels.reduce((shares, level) => shares + sharesOf(specOf(level)), 0);
  return levels.map((level) => {
    const spec = specOf(level);
    const { nominal, lower, upper } = limitsOf(spec, sum, total);
    const borrows = spec.type === "Exempt" ? undefined : spec.limited?.borrowingLimitPercent;
    return {
      name: level.metadata?.name ?? "",
      nominal,
      lower,
      ...(borrows !== undefined && borrows !== null && { upper }),
    };
  });
}
