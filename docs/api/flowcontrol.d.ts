interface ClassifiedRequest {
    readonly user: string;
    readonly groups: readonly string[];
    readonly verb: string;
    readonly group?: string;
    readonly resource?: string;
    readonly namespace?: string;
    readonly path?: string;
}

interface FlowControlLookup {
    names(uids: FlowControlUids, options?: RequestOptions): Promise<FlowControlNames>;
}

interface FlowControlNames {
    readonly flowSchema?: string;
    readonly priorityLevel?: string;
}

interface FlowControlUids {
    readonly flowSchemaUid?: string | undefined;
    readonly priorityLevelUid?: string | undefined;
}

interface FlowSchemaRules {
    readonly metadata?: {
        readonly name?: string;
    };
    readonly spec?: {
        readonly matchingPrecedence?: number;
        readonly priorityLevelConfiguration: {
            readonly name: string;
        };
        readonly distinguisherMethod?: {
            readonly type: string;
        };
        readonly rules?: readonly {
            readonly subjects: readonly {
                readonly kind: string;
                readonly user?: {
                    readonly name: string;
                };
                readonly group?: {
                    readonly name: string;
                };
                readonly serviceAccount?: {
                    readonly namespace: string;
                    readonly name: string;
                };
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
        readonly name?: string;
    };
    readonly spec?: {
        readonly type: string;
        readonly limited?: {
            readonly nominalConcurrencyShares?: number;
            readonly lendablePercent?: number;
            readonly borrowingLimitPercent?: number;
        };
        readonly exempt?: {
            readonly nominalConcurrencyShares?: number;
            readonly lendablePercent?: number;
        };
    };
}

interface PriorityLevelSeats {
    readonly name: string;
    readonly nominal: number;
    readonly lower: number;
    readonly upper?: number;
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
    };
}

function createFlowControlLookup(client: Client, options?: {
    readonly clock?: Clock;
}): FlowControlLookup;

function dumpFlowControl(client: Client, options?: RequestOptions): Promise<{
    priorityLevels: PriorityLevelDump[];
    queues: QueueDump[];
    requests: RequestDump[];
}>;

function matchFlowSchema<S extends FlowSchemaRules>(schemas: readonly S[], request: ClassifiedRequest): S | undefined;

function parsePriorityLevelDump(text: string): PriorityLevelDump[];

function parseQueueDump(text: string): QueueDump[];

function parseRequestDump(text: string): RequestDump[];

function prioritySeats(levels: readonly PriorityLevelRules[], total: number): PriorityLevelSeats[];
