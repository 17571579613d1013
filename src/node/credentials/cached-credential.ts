import { orAborted } from "../../internal/abort.js";
import type { Clock } from "../../internal/clock.js";
import type { Credential, CredentialSource } from "./credential.js";

/** Credential with its expiry time. */
export interface FetchedCredential {
  /** The credential. */
  readonly credential: Credential;
  /** Expiry time in milliseconds since the epoch; absent if unknown. */
  readonly expiresAtMs?: number | undefined;
}

const skewMs = 10_000;
const ignore401Ms = 10_000;

/**
 * Caches a credential that is costly to fetch. All waiting callers share one fetch. It's fetched again shortly before
 * it expires and after a 401. If the same credential comes back after a 401, further 401s don't cause a fetch for ten
 * seconds.
 */
export function createCachedCredential(
  fetch: (signal: AbortSignal) => Promise<FetchedCredential>,
  clock: Clock,
): CredentialSource {
  const life = new AbortController();
  let known: { credential: Credential; renewAtMs: number } | undefined;
  let fetching: Promise<Credential> | undefined;
  let ignore401Until = Number.NEGATIVE_INFINITY;

  async function run(): Promise<Credential> {
    try {
      const { credential, expiresAtMs } = await fetch(life.signal);
      const now = clock.now();
      // A credential that lives less than twice the skew would otherwise be fetched for every request.
      const renewAtMs =
        expiresAtMs === undefined
          ? Number.POSITIVE_INFINITY
          : Math.max(expiresAtMs - skewMs, now + (expiresAtMs - now) / 2);
      const kept = known && sameCredential(known.credential, credential) ? known.credential : credential;
      known = { credential: kept, renewAtMs };
      return kept;
    } finally {
      fetching = undefined;
    }
  }

  function renewed(signal: AbortSignal): Promise<Credential> {
    fetching ??= run();
    return orAborted(fetching, signal);
  }

  return {
    current(caller) {
      if (known && clock.now() < known.renewAtMs) return known.credential;
      return renewed(caller.signal);
    },
    async renew(rejected, { signal }) {
      if (known && known.credential !== rejected) return known.credential;
      if (clock.monotonic() < ignore401Until) return undefined;
      const credential = await renewed(signal);
      if (credential !== rejected) return credential;
      ignore401Until = clock.monotonic() + ignore401Ms;
      return undefined;
    },
    async close() {
      life.abort();
      await fetching?.catch(() => undefined);
    },
  };
}

function sameCredential(a: Credential, b: Credential): boolean {
  return (
    a.authorization === b.authorization &&
    a.certificate?.cert === b.certificate?.cert &&
    a.certificate?.key === b.certificate?.key
  );
}
