import { createInformer } from "../../cache/informer/create-informer.js";
import type { Informer } from "../../cache/informer/informer.js";
import type { Client } from "../../client/client.js";
import type { Resource } from "../../client/resource/resource.js";
import { KubestreamError } from "../../errors/kubestream-error.js";
import { isAlreadyExists, isConflict, isNotFound } from "../../errors/predicates.js";
import { type BackoffOptions, backoffDelayMs } from "../../internal/backoff.js";
import type { Timer } from "../../internal/clock.js";
import { Secret } from "../../kinds/core/v1.js";
import { CaBundles, type CaBundleTargets } from "./ca-bundles.js";
import type { CertificateSource, SourceDependencies, TlsPair } from "./certificate-source.js";
import { readState, withState } from "./rotation-secret.js";
import { type RotationState, rotationStep, takeStep } from "./rotation-step.js";
import { issuePair } from "./serving-pair.js";

/** Certificate that the server creates and rotates, shared by all replicas through a Secret. */
export interface ManagedCertificate extends CaBundleTargets {
  /** Client that reads and writes the Secret and the `caBundle`s. */
  readonly client: Client;
  /** Secret for the certificate and its key. It is created if it doesn't exist. */
  readonly secret: { readonly namespace: string; readonly name: string };
  /** Service through which API servers call the webhooks: adds its names to `hosts`. */
  readonly service?: { readonly namespace: string; readonly name: string } | undefined;
  /** Host names and IP addresses (IPv4 and `::1`) of the certificate. Required without `service`. */
  readonly hosts?: readonly string[] | undefined;
  /** Validity of a certificate in milliseconds. Default: 90 days. */
  readonly lifetimeMs?: number | undefined;
  /** Time before the end of the validity at which the rotation begins, in milliseconds. Default: a third of `lifetimeMs`. */
  readonly renewBeforeMs?: number | undefined;
  /**
   * Time in milliseconds after which every API server has seen a new `caBundle` and every replica a new certificate. The
   * former and the next authority stay in the bundle for at least that long. Default 300,000.
   */
  readonly propagationMs?: number | undefined;
}

interface Settings {
  readonly hosts: readonly string[];
  readonly lifetimeMs: number;
  readonly renewBeforeMs: number;
  readonly propagationMs: number;
}

const retryDelays: BackoffOptions = { initialMs: 500, factor: 2, capMs: 60_000, jitter: 0.2 };
const dayMs = 86_400_000;
/** Replicas check the Secret at least this often, in case that a clock was changed. */
const longestWaitMs = 3_600_000;
/** Writes of a step that lose against another replica's. */
const mostAttempts = 10;

/** Creates, shares and rotates a certificate, and publishes its authority. */
export class SecretCertificate implements CertificateSource {
  readonly #options: ManagedCertificate;
  readonly #settings: Settings;
  readonly #dependencies: SourceDependencies;
  readonly #secrets: Resource<Secret>;
  #state: RotationState | undefined;
  #bundles: CaBundles | undefined;
  #secret: Informer<Secret> | undefined;
  #timer: Timer | undefined;
  #failures = 0;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;
  #onChange: (pair: TlsPair) => void = () => undefined;

  constructor(options: ManagedCertificate, dependencies: SourceDependencies) {
    this.#options = options;
    this.#settings = settingsOf(options);
    this.#dependencies = dependencies;
    this.#secrets = options.client.resource(Secret).namespace(options.secret.namespace);
  }

  async open(onChange: (pair: TlsPair) => void): Promise<TlsPair> {
    const { clock } = this.#dependencies;
    this.#onChange = onChange;
    // Nothing is published yet, so the first steps only create a certificate.
    const state = await this.#advance(() => undefined);
    const wake = (): void => this.#wake();
    this.#bundles = new CaBundles(this.#options.client, this.#options, { ...this.#dependencies, onChange: wake });
    const fieldSelector = `metadata.name=${this.#options.secret.name}`;
    this.#secret = createInformer(this.#secrets, { fieldSelector, clock, bulkEncoding: false });
    this.#secret.addHandler(wake);
    return state.current!;
  }

  check(): string | undefined {
    const { current, trusted = [] } = this.#state ?? {};
    if (current === undefined) return "there is no certificate yet";
    if (current.notAfterMs <= this.#dependencies.clock.now()) return "the certificate has expired";
    return this.#bundles?.describeStale(trusted);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await Promise.all([this.#secret?.close(), this.#bundles?.close(), this.#running]);
  }

  /** Runs one round after another, as long as something changes. */
  #wake(): void {
    if (this.#closed) return;
    this.#again = true;
    this.#running ??= this.#runRounds();
  }

  async #runRounds(): Promise<void> {
    // Objects that change together cause one round.
    await Promise.resolve();
    while (this.#again && !this.#closed) {
      this.#again = false;
      const { log } = this.#dependencies;
      try {
        const waitMs = await this.#round();
        this.#failures = 0;
        this.#schedule(waitMs);
      } catch (error) {
        if (this.#closed) break;
        log({ level: "warn", message: "webhooks: cannot update the certificate or a caBundle, trying again", error });
        this.#schedule(backoffDelayMs(retryDelays, ++this.#failures, Math.random()));
      }
    }
    // In the same turn as the last check of `#again`, so that the next call isn't lost.
    this.#running = undefined;
  }

  /** Brings configurations and the rotation up to date. Returns the time until the next step in milliseconds. */
  async #round(): Promise<number> {
    const bundles = this.#bundles!;
    const state = await this.#advance(({ trusted }) => bundles.isPublished(trusted));
    await bundles.publish(state.trusted);
    const step = this.#next(state, bundles.isPublished(state.trusted));
    return step.type === "wait" ? Math.max(0, step.untilMs - this.#dependencies.clock.now()) : 0;
  }

  #schedule(waitMs: number): void {
    this.#timer?.cancel();
    if (this.#closed) return;
    this.#timer = this.#dependencies.clock.setTimer(() => this.#wake(), Math.min(waitMs, longestWaitMs), {
      upkeep: true,
    });
  }

  #next(state: RotationState, published: boolean | undefined): ReturnType<typeof rotationStep> {
    return rotationStep(state, { ...this.#settings, published, nowMs: this.#dependencies.clock.now() });
  }

  /** Takes the steps that are due. Another replica's step wins over the same one of this replica. */
  async #advance(isPublished: (state: RotationState) => boolean | undefined): Promise<RotationState> {
    const { name, namespace } = this.#options.secret;
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const stored = await this.#read();
      const state = readState(stored ?? {});
      this.#adopt(state);
      const step = this.#next(state, isPublished(state));
      if (step.type === "wait") return state;
      const nowMs = this.#dependencies.clock.now();
      const changed = takeStep(state, step.type, nowMs, () =>
        issuePair(this.#settings.hosts, { nowMs, lifetimeMs: this.#settings.lifetimeMs }),
      );
      try {
        if (stored === undefined)
          await this.#secrets.create(withState({ metadata: { name, namespace }, type: "kubernetes.io/tls" }, changed));
        else await this.#secrets.update(withState(stored, changed));
        this.#dependencies.log({ level: "info", message: `webhooks: ${messages[step.type]}` });
      } catch (error) {
        if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
      }
    }
    throw new KubestreamError(`webhooks: Secret ${namespace}/${name} is changed all the time by something else`);
  }

  async #read(): Promise<Secret | undefined> {
    try {
      return await this.#secrets.get(this.#options.secret.name);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Serves the stored certificate. */
  #adopt(state: RotationState): void {
    const { current } = state;
    if (current === undefined) return;
    const before = this.#state?.current;
    this.#state = state;
    if (before !== undefined && before.cert !== current.cert) this.#onChange(current);
  }
}

const messages = {
  issue: "created a certificate",
  prepare: "created the next certificate, publishing its authority",
  confirm: "all configurations list the authority of the next certificate",
  revoke: "a configuration lost the authority of the next certificate, publishing it again",
  switch: "serving the next certificate",
  retire: "stopped trusting the former authority",
} as const;

function settingsOf(options: ManagedCertificate): Settings {
  const { service, lifetimeMs = 90 * dayMs, propagationMs = 300_000 } = options;
  const { renewBeforeMs = lifetimeMs / 3 } = options;
  const hosts = [
    ...(service === undefined
      ? []
      : ["", ".svc", ".svc.cluster.local"].map((suffix) => `${service.name}.${service.namespace}${suffix}`)),
    ...(options.hosts ?? []),
  ];
  if (hosts.length === 0) throw new TypeError("certificate.service or certificate.hosts is required");
  if (!(propagationMs >= 0)) throw new RangeError(`certificate.propagationMs must be at least 0, not ${propagationMs}`);
  if (!(renewBeforeMs > propagationMs))
    throw new RangeError("certificate.renewBeforeMs must be greater than certificate.propagationMs");
  if (!(lifetimeMs > renewBeforeMs))
    throw new RangeError("certificate.lifetimeMs must be greater than certificate.renewBeforeMs");
  return { hosts: [...new Set(hosts)], lifetimeMs, renewBeforeMs, propagationMs };
}
