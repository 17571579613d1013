interface ClassifiedRequest {
    readonly user: string;
    readonly groups: readonly string[];
    readonly verb: string;
    readonly group?: string | undefined;
    readonly resource?: string | undefined;
    readonly namespace?: string | undefined;
    readonly path?: string | undefined;
}

interface FlowControlLookup {
    names(uids: FlowControlUids, options?: RequestOptions): Promise<FlowControlNames>;
}

interface FlowControlNames {
    readonly flowSchema?: string | undefined;
    readonly priorityLevel?: string | undefined;
}

interface FlowControlUids {
    readonly flowSchemaUid?: string | undefined;
    readonly priorityLevelUid?: string | undefined;
}

interface FlowPlan {
    readonly seconds: number;
    readonly flows: readonly FlowPlanFlow[];
    readonly levels: readonly FlowPlanLevel[];
}

interface FlowPlanFlow {
    readonly name: string;
    readonly flowSchema: string;
    readonly priorityLevel: string;
    readonly requests: number;
    readonly served: number;
    readonly queued: number;
    readonly rejected: number;
    readonly timedOut: number;
    readonly waitMs: Percentiles;
}

interface FlowPlanLevel {
    readonly name: string;
    readonly nominal: number;
    readonly lower: number;
    readonly mostSeats: number;
    readonly mostUsed: number;
    readonly borrowed: number;
    readonly mostWaiting: number;
    readonly queues?: number | undefined;
    readonly handSize?: number | undefined;
}

interface FlowPlanOptions {
    readonly schemas: readonly FlowSchemaRules[];
    readonly levels: readonly PriorityLevelRules[];
    readonly flows: readonly PlannedFlow[];
    readonly serverSeats?: number | undefined;
    readonly seconds?: number | undefined;
    readonly seed?: number | undefined;
}

interface FlowSchemaRules {
    readonly metadata?: {
        readonly name?: string | undefined;
    } | undefined;
    readonly spec?: {
        readonly matchingPrecedence?: number | undefined;
        readonly priorityLevelConfiguration: {
            readonly name: string;
        };
        readonly distinguisherMethod?: {
            readonly type: string;
        } | undefined;
        readonly rules?: readonly {
            readonly subjects: readonly {
                readonly kind: string;
                readonly user?: {
                    readonly name: string;
                } | undefined;
                readonly group?: {
                    readonly name: string;
                } | undefined;
                readonly serviceAccount?: {
                    readonly namespace: string;
                    readonly name: string;
                } | undefined;
            }[];
            readonly resourceRules?: readonly {
                readonly verbs: readonly string[];
                readonly apiGroups: readonly string[];
                readonly resources: readonly string[];
                readonly clusterScope?: boolean | undefined;
                readonly namespaces?: readonly string[] | undefined;
            }[] | undefined;
            readonly nonResourceRules?: readonly {
                readonly verbs: readonly string[];
                readonly nonResourceURLs: readonly string[];
            }[] | undefined;
        }[] | undefined;
    } | undefined;
}

interface LevelSpec {
    readonly type: string;
    readonly limited?: {
        readonly nominalConcurrencyShares?: number | null | undefined;
        readonly lendablePercent?: number | null | undefined;
        readonly borrowingLimitPercent?: number | null | undefined;
        readonly limitResponse?: {
            readonly type: string;
            readonly queuing?: {
                readonly queues?: number | undefined;
                readonly handSize?: number | undefined;
                readonly queueLengthLimit?: number | undefined;
            } | undefined;
        } | undefined;
    } | undefined;
    readonly exempt?: {
        readonly nominalConcurrencyShares?: number | null | undefined;
        readonly lendablePercent?: number | null | undefined;
    } | undefined;
}

interface Percentiles {
    readonly p50: number;
    readonly p90: number;
    readonly p99: number;
    readonly max: number;
}

interface PlannedFlow {
    readonly name: string;
    readonly request: ClassifiedRequest;
    readonly requestsPerSecond?: number | undefined;
    readonly clients?: number | undefined;
    readonly durationMs: number;
    readonly seats?: number | undefined;
    readonly finalSeats?: number | undefined;
    readonly additionalLatencyMs?: number | undefined;
    readonly fromSeconds?: number | undefined;
    readonly timeoutMs?: number | undefined;
}

interface PriorityLevelDump {
    readonly priorityLevel: string;
    readonly activeQueues: number;
    readonly isIdle: boolean;
    readonly isQuiescing: boolean;
    readonly waitingRequests: number;
    readonly executingRequests: number;
    readonly dispatchedRequests: number;
    readonly rejectedRequests: number;
    readonly timedoutRequests: number;
    readonly cancelledRequests: number;
}

interface PriorityLevelRules {
    readonly metadata?: {
        readonly name?: string | undefined;
    } | undefined;
    readonly spec?: LevelSpec | undefined;
}

interface PriorityLevelSeats {
    readonly name: string;
    readonly nominal: number;
    readonly lower: number;
    readonly upper?: number | undefined;
}

interface QueueDump {
    readonly priorityLevel: string;
    readonly index: number;
    readonly pendingRequests: number;
    readonly executingRequests: number;
    readonly seatsInUse: number;
    readonly nextDispatchR: number;
    readonly initialSeatsSum: number;
    readonly maxSeatsSum: number;
    readonly totalWorkSum: number;
}

interface RequestDump {
    readonly priorityLevel: string;
    readonly flowSchema: string;
    readonly queueIndex: number;
    readonly requestIndex: number;
    readonly flowDistinguisher: string;
    readonly arriveTime: string;
    readonly startTime: string;
    readonly initialSeats: number;
    readonly finalSeats: number;
    readonly additionalLatency: string;
    readonly details?: {
        readonly userName: string;
        readonly verb: string;
        readonly path: string;
        readonly namespace: string;
        readonly name: string;
        readonly apiVersion: string;
        readonly resource: string;
        readonly subresource: string;
    } | undefined;
}

function createFlowControlLookup(client: Client, options?: {
    readonly clock?: Clock | undefined;
}): FlowControlLookup;

function drawFlowPlan(plan: FlowPlan): string;

function dumpFlowControl(client: Client, options?: RequestOptions): Promise<{
    priorityLevels: PriorityLevelDump[];
    queues: QueueDump[];
    requests: RequestDump[];
}>;

function formatFlowPlan(plan: FlowPlan): string;

function getShuffleShardingCollision(options: {
    readonly queues: number;
    readonly handSize: number;
    readonly elephants: number;
}): number;

function matchFlowSchema<S extends FlowSchemaRules>(schemas: readonly S[], request: ClassifiedRequest): S | undefined;

function parsePriorityLevelDump(text: string): PriorityLevelDump[];

function parseQueueDump(text: string): QueueDump[];

function parseRequestDump(text: string): RequestDump[];

function planFlowControl(options: FlowPlanOptions): FlowPlan;

function prioritySeats(levels: readonly PriorityLevelRules[], total: number): PriorityLevelSeats[];
