import { createInformerFactory, type InformerFactory } from "../../cache/informer/informer-factory.js";
import { ClosedError } from "../../errors/errors.js";
import { KubestreamError } from "../../errors/kubestream-error.js";
import { linkAbort, whenAborted } from "../../internal/abort.js";
import { systemClock } from "../../internal/clock.js";
import { quietly } from "../../internal/quietly.js";
import { createLeaderElector } from "../leader-election/create-leader-elector.js";
import type { Leadership } from "../leader-election/leader-elector.js";
import { logToConsole } from "../reconcile/controller-log.js";
import { type StartedSource, waitForSources } from "../reconcile/wait-for-sources.js";
import type { HealthCheck, HealthReport, Manager, ManagerOptions, ManagerStatus, Runnable } from "./manager.js";

/** How long things that were abandoned are still waited for. */
const lastWaitMs = 6_000;

/** Makes a manager. Nothing is sent before it starts. Throws as `createLeaderElector` does. */
export function createManager(options: ManagerOptions): Manager {
  const {
    controllers = [],
    runnables = [],
    standby = "warm",
    cacheSyncTimeoutMs = 120_000,
    drainTimeoutMs = 30_000,
    clock = systemClock,
  } = options;
  const log = quietly(options.log ?? logToConsole);
  const all: readonly Runnable[] = [...controllers, ...runnables];
  const others = all.filter(({ needsLeadership }) => needsLeadership === false);
  const led = all.filter(({ needsLeadership }) => needsLeadership !== false);
  const stopping = new AbortController();
  const stoppingLed = new AbortController();
  const abandon = new AbortController();
  const active = new Set<Runnable>();
  let warm: StartedSource[] = [];
  let state: "idle" | "syncing" | "standby" | "running" | "stopped" = "idle";
  let failure: { readonly error: unknown } | undefined;
  let finish!: (ended: Promise<void>) => void;
  const done = new Promise<void>((resolve) => (finish = resolve));

  const fail = (error: unknown): void => {
    failure ??= { error };
    stopping.abort(error);
  };

  /** Runs several until each has ended. What one of them rejects with ends the manager. */
  const runGroup = async (
    group: readonly Runnable[],
    signal: AbortSignal,
    giveUp: AbortSignal,
    informers: InformerFactory,
  ): Promise<void> => {
    await Promise.all(
      group.map(async (runnable) => {
        active.add(runnable);
        try {
          await runnable.run({ signal, abandon: giveUp, informers });
        } catch (error) {
          if (signal.aborted && error === signal.reason) return;
          log({ level: "error", message: `${runnable.name} failed`, error });
          fail(error);
        } finally {
          active.delete(runnable);
        }
      }),
    );
  };

  const runLed = async (
    informers: InformerFactory,
    { signal, lost }: Pick<Leadership, "signal" | "lost">,
  ): Promise<void> => {
    const giveUp = linkAbort(abandon.signal, lost);
    state = "running";
    try {
      await runGroup(led, signal, giveUp.signal, informers);
    } finally {
      giveUp.release();
    }
  };

  let lead: ((leadership: Leadership) => Promise<void>) | undefined;
  const elector =
    options.leaderElection &&
    createLeaderElector({
      log,
      clock,
      drainTimeoutMs: drainTimeoutMs + lastWaitMs,
      ...options.leaderElection,
      onStartedLeading: (leadership) => lead!(leadership),
    });

  /** Fills the caches of all controllers ahead of their start. */
  const warmUp = async (informers: InformerFactory): Promise<void> => {
    for (const source of controllers.flatMap((controller) => controller.sources)) {
      const informer = source.open?.(informers);
      if (informer === undefined) continue;
      informer.start();
      warm.push({
        source,
        running: { informer, synced: (wait) => informer.synced(wait), stop: () => informer.close() },
      });
    }
    await waitForSources("manager", warm, { timeoutMs: cacheSyncTimeoutMs, signal: stopping.signal, clock });
  };

  const live = async (informers: InformerFactory): Promise<void> => {
    if (standby === "warm" || elector === undefined) await warmUp(informers);
    state = "standby";
    const otherRuns = runGroup(others, stopping.signal, abandon.signal, informers);
    lead = (leadership) => runLed(informers, leadership);
    const ledRuns =
      elector === undefined
        ? runLed(informers, { signal: stoppingLed.signal, lost: abandon.signal })
        : elector.run({ signal: stoppingLed.signal }).catch(fail);
    await new Promise<void>((resolve) => whenAborted(stopping.signal, resolve));
    await otherRuns;
    stoppingLed.abort(stopping.signal.reason);
    await ledRuns;
  };

  /** Limits the time from the stop to the end. */
  const inTime = async (living: Promise<void>): Promise<void> => {
    let expire!: () => void;
    const late = new Promise<"late">((resolve) => (expire = () => resolve("late")));
    let timer: ReturnType<typeof clock.setTimer> | undefined;
    const unfollow = whenAborted(stopping.signal, () => {
      timer = clock.setTimer(() => {
        abandon.abort(stopping.signal.reason);
        timer = clock.setTimer(expire, lastWaitMs);
      }, drainTimeoutMs);
    });
    try {
      if ((await Promise.race([living, late])) === "late")
        throw new KubestreamError(
          `manager: ${Array.from(active, ({ name }) => name).join(", ")} did not end after the signal`,
        );
    } finally {
      timer?.cancel();
      unfollow();
    }
  };

  const runOnce = async (): Promise<void> => {
    const informers = options.informers ?? createInformerFactory({ clock });
    try {
      await inTime(live(informers));
    } catch (error) {
      if (!stopping.signal.aborted || error !== stopping.signal.reason) failure ??= { error };
    } finally {
      if (!stopping.signal.aborted) stopping.abort(failure?.error);
      await Promise.all(warm.map(({ running }) => running.stop()));
      warm = [];
      if (options.informers === undefined) await informers.close();
      state = "stopped";
    }
    if (failure !== undefined) throw failure.error;
  };

  const beginStop = (reason: unknown): void => {
    if (!stopping.signal.aborted) stopping.abort(reason);
    if (state !== "idle") return;
    state = "stopped";
    finish(Promise.resolve());
  };

  const statusNow = (): ManagerStatus => {
    if (failure !== undefined) return { type: "failed", error: failure.error };
    if (state === "idle" || state === "stopped") return { type: state };
    return { type: stopping.signal.aborted ? "stopping" : state };
  };

  const manager: Manager = {
    elector,
    done,
    get status() {
      return statusNow();
    },
    start() {
      if (state !== "idle") throw new ClosedError("manager: it was started or stopped before");
      state = "syncing";
      finish(runOnce());
    },
    async run({ signal }) {
      manager.start();
      const unfollow = whenAborted(signal, () => beginStop(signal.reason));
      try {
        await done;
      } finally {
        unfollow();
      }
    },
    async stop() {
      beginStop(new ClosedError("manager: it was stopped"));
      // What made it fail is told by `done`.
      await done.catch(() => undefined);
    },
    health: () => report({ ...(elector && { election: () => elector.check() }), ...options.healthChecks }),
    readiness: () =>
      report({
        manager: () => {
          const { type } = statusNow();
          return type === "standby" || type === "running" ? undefined : `it is ${type}`;
        },
        ...Object.fromEntries(
          controllers.map((controller) => [
            `controller ${controller.name}`,
            () =>
              state === "running" && controller.status.type !== "running"
                ? `it is ${controller.status.type}`
                : undefined,
          ]),
        ),
        ...options.readyChecks,
      }),
    [Symbol.asyncDispose]: () => manager.stop(),
  };
  return manager;
}

async function report(checks: Readonly<Record<string, HealthCheck>>): Promise<HealthReport> {
  const found = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        const message = await check();
        return typeof message === "string" ? { name, ok: false, message } : { name, ok: true };
      } catch (error) {
        return { name, ok: false, message: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
  return { ok: found.every(({ ok }) => ok), checks: found };
}
