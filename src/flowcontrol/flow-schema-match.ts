/** What of a FlowSchema decides which requests it takes; a `FlowSchema` is one. */
export interface FlowSchemaRules {
  /** Its name. */
  readonly metadata?: { readonly name?: string };
  /** What it takes. */
  readonly spec?: {
    readonly matchingPrecedence?: number;
    readonly priorityLevelConfiguration: { readonly name: string };
    readonly distinguisherMethod?: { readonly type: string };
    readonly rules?: readonly {
      readonly subjects: readonly {
        readonly kind: string;
        readonly user?: { readonly name: string };
        readonly group?: { readonly name: string };
        readonly serviceAccount?: { readonly namespace: string; readonly name: string };
      }[];
      readonly resourceRules?: readonly {
        readonly verbs: readonly string[];
        readonly apiGroups: readonly string[];
        readonly resources: readonly string[];
        readonly clusterScope?: boolean;
        readonly namespaces?: readonly string[];
      }[];
      readonly nonResourceRules?: readonly {
        readonly verbs: readonly string[];
        readonly nonResourceURLs: readonly string[];
      }[];
    }[];
  };
}

/** A request as API Priority and Fairness sees it. */
export interface ClassifiedRequest {
  /** Name of the user. */
  readonly user: string;
  /** Groups of the user, `system:authenticated` included. */
  readonly groups: readonly string[];
  /** Verb of the API, or the method in lower case outside of resources. */
  readonly verb: string;
  /** API group; absent outside of resources. */
  readonly group?: string;
  /** Resource, with a subresource as `pods/status`; absent outside of resources. */
  readonly resource?: string;
  /** Namespace; absent for cluster-scoped requests. */
  readonly namespace?: string;
  /** Path, for requests outside of resources. */
  readonly path?: string;
}

/**
 * The FlowSchema that takes a request: the one of lowest precedence number that matches, among equals the first by name.
 * @see https://kubernetes.io/docs/concepts/cluster-administration/flow-control/
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
            url === "*" ||
            (url.endsWith("/*") ? (request.path ?? "").startsWith(url.slice(0, -1)) : url === request.path),
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

/** What of a PriorityLevelConfiguration decides how many requests run; a `PriorityLevelConfiguration` is one. */
export interface PriorityLevelRules {
  /** Its name. */
  readonly metadata?: { readonly name?: string };
  /** Its shares. */
  readonly spec?: {
    readonly type: string;
    readonly limited?: {
      readonly nominalConcurrencyShares?: number;
      readonly lendablePercent?: number;
      readonly borrowingLimitPercent?: number;
    };
    readonly exempt?: { readonly nominalConcurrencyShares?: number; readonly lendablePercent?: number };
  };
}

/** How many seats a priority level has. */
export interface PriorityLevelSeats {
  /** Name of the priority level. */
  readonly name: string;
  /** Seats it has as long as nobody lends or borrows. */
  readonly nominal: number;
  /** Seats it keeps however busy others are; exempt levels are not limited by any of these. */
  readonly lower: number;
  /** Seats it can have at most; `undefined` where it may borrow all there are. */
  readonly upper?: number;
}

/** Computes the seats of each priority level from the server's total (`--max-requests-inflight` plus `--max-mutating-requests-inflight`). */
export function prioritySeats(levels: readonly PriorityLevelRules[], total: number): PriorityLevelSeats[] {
  const part = (level: PriorityLevelRules): { shares: number; lendable: number; borrowing?: number | undefined } => {
    if (level.spec?.type === "Exempt")
      return {
        shares: level.spec.exempt?.nominalConcurrencyShares ?? 0,
        lendable: level.spec.exempt?.lendablePercent ?? 0,
      };
    const { nominalConcurrencyShares = 30, lendablePercent = 0, borrowingLimitPercent } = level.spec?.limited ?? {};
    return { shares: nominalConcurrencyShares, lendable: lendablePercent, borrowing: borrowingLimitPercent };
  };
  const sum = levels.reduce((shares, level) => shares + part(level).shares, 0);
  return levels.map((level) => {
    const { shares, lendable, borrowing } = part(level);
    const nominal = sum === 0 ? 0 : Math.ceil((total * shares) / sum);
    return {
      name: level.metadata?.name ?? "",
      nominal,
      lower: nominal - Math.round((nominal * lendable) / 100),
      ...(borrowing !== undefined && { upper: nominal + Math.round((nominal * borrowing) / 100) }),
    };
  });
}
