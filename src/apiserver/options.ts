import type { Clock } from "../internal/clock.js";
import type { AuthenticationOptions } from "./authentication/options.js";
import type { AuthorizationOptions } from "./authorization/options.js";
import type { ControllerToggles } from "./controllers/controllers.js";
import type { AuditOptions } from "./filters/audit.js";
import type { ApiCaller } from "./http/api-caller.js";
import type { ServiceResolver } from "./http/service-resolver.js";
import type { WebhookCaller } from "./http/webhook-caller.js";
import type { KubeletConnection } from "./kubelets/kubelet.js";
import type { AdmissionPluginOptions } from "./plugins/plugins.js";
import type { FeatureOptions } from "./registry/features.js";
import type { AdmissionPlugin } from "./registry/services.js";
import type { RetentionOptions } from "./storage/mvcc.js";

/** Settings of API Priority and Fairness that a test may want to control. */
export interface FlowControlSettings {
  /**
   * Source of time for queues, borrowing and metrics. With a simulated one, the order in which requests execute is the
   * same in each run. Default: the server's `clock`.
   */
  readonly clock?: Clock | undefined;
}

/**
 * Options for `createApiServer`.
 *
 * @example
 * ```ts
 * import { createApiServer } from "kubestream/apiserver";
 *
 * const server = createApiServer({
 *   controllers: { garbageCollection: false },
 *   retention: { historyMs: 10_000 },
 *   corsAllowedOrigins: ["//localhost:"],
 *   onError: (error) => console.error(error),
 * });
 * await server.close();
 * ```
 */
export interface ApiServerOptions
  extends AuthenticationOptions,
    AuthorizationOptions,
    AdmissionPluginOptions,
    FeatureOptions {
  /** Source of the current time and of timers. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /**
   * Source of randomness for UIDs and generated names: returns a number in [0, 1). With a seeded one and a clock of your
   * own, the same requests give the same objects. Default: random values that can't be predicted.
   */
  readonly random?: (() => number) | undefined;
  /**
   * False to limit reads and writes by `maxRequestsInflight` and `maxMutatingRequestsInflight` separately, without
   * queues and priorities. Default: true, API Priority and Fairness.
   */
  readonly enablePriorityAndFairness?: boolean | undefined;
  /**
   * Largest number of reads that execute at once. With API Priority and Fairness, the sum of the two limits is the
   * number of seats that the priority levels share; without it, 0 means no limit. Default: 400.
   */
  readonly maxRequestsInflight?: number | undefined;
  /** Largest number of writes that execute at once; see `maxRequestsInflight`. Default: 200. */
  readonly maxMutatingRequestsInflight?: number | undefined;
  /**
   * Time limit in milliseconds for requests other than watches and streams. A request can set a shorter one with
   * `timeout`, and may spend a quarter of its limit in a queue. Default: 60,000.
   */
  readonly requestTimeoutMs?: number | undefined;
  /** Settings of API Priority and Fairness. */
  readonly flowControl?: FlowControlSettings | undefined;
  /**
   * Connection to the nodes' kubelets, for logs, exec, attach and port forwarding. Default: no kubelet is reachable, as reported in the
   * error of such requests.
   */
  readonly kubelets?: KubeletConnection | undefined;
  /** Limits for the history that lists and watches can read. */
  readonly retention?: RetentionOptions | undefined;
  /**
   * Controllers that run inside the server; `false` runs none, like a kube-apiserver without a controller manager.
   * Default: all of them.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const bare = createApiServer({ controllers: false });
   * const partial = createApiServer({ controllers: { defaultServiceAccount: false, rootCaConfigMap: false } });
   * await Promise.all([bare.close(), partial.close()]);
   * ```
   */
  readonly controllers?: ControllerToggles | false | undefined;
  /**
   * CA certificate in PEM to publish in every ConfigMap `kube-root-ca.crt`. Default: empty, because a server without a
   * port has no certificate. Set it to the `ca` of `createServerCertificate` if you pass that to `listen`.
   */
  readonly rootCa?: string | undefined;
  /**
   * Function that calls webhooks. Default: `fetch`, which trusts only the system's certificate authorities. In Node,
   * use `nodeWebhookCaller` of `kubestream/apiserver/node` to honour each webhook's `caBundle`.
   */
  readonly webhooks?: WebhookCaller | undefined;
  /**
   * Function that finds the program behind a Service, for webhooks and aggregated APIs: a URL, or a function that answers
   * in this process. Default: the external name or a ready endpoint of the stored Service, else its DNS name in the
   * cluster.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   * import { nodeWebhookCaller } from "kubestream/apiserver/node";
   *
   * const server = createApiServer({
   *   webhooks: nodeWebhookCaller,
   *   resolveService: ({ name }) => (name === "webhook" ? "https://127.0.0.1:9443" : undefined),
   * });
   * await server.close();
   * ```
   */
  readonly resolveService?: ServiceResolver | undefined;
  /**
   * Function that sends requests to aggregated API servers. Default: `fetch`, which trusts only the system's certificate
   * authorities. In Node, use `createNodeApiCaller` of `kubestream/apiserver/node`.
   */
  readonly callApi?: ApiCaller | undefined;
  /** Seed for faults that have a `probability`. Default: 1. */
  readonly faultSeed?: number | undefined;
  /**
   * Admission plugins that run after the built-in ones.
   *
   * @example
   * ```ts
   * import { createApiServer } from "kubestream/apiserver";
   *
   * const server = createApiServer({
   *   admission: [
   *     {
   *       name: "AddTeamLabel",
   *       admit({ operation, object }) {
   *         if (operation !== "CREATE" || object === undefined) return;
   *         object.metadata = { ...object.metadata, labels: { team: "none", ...object.metadata?.labels } };
   *       },
   *     },
   *   ],
   * });
   * await server.close();
   * ```
   */
  readonly admission?: readonly AdmissionPlugin[] | undefined;
  /** Audit policy and sink. Default: requests aren't audited. */
  readonly audit?: AuditOptions | undefined;
  /**
   * Origins allowed by CORS, as regular expressions in Go's syntax. Each pattern must match from the start to the end
   * of the host. Default: no origin.
   */
  readonly corsAllowedOrigins?: readonly string[] | undefined;
  /**
   * Called with an `ApiServerControllerError` each time a controller fails on an object. The controller retries with
   * increasing delays. Exceptions of this callback are ignored. Default: errors aren't reported.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}
