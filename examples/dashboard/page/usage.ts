import { quantityToNumber } from "kubestream/objects";
import { topPods } from "kubestream/operations";
import { useLiveStores } from "kubestream/react";
import { useEffect, useState } from "react";

const intervalMs = 5_000;
/** Time until another attempt if the cluster has no metrics server. */
const retryMs = 60_000;

/** Returns the CPU cores that the pods of each Deployment use, by `namespace/name`. Empty without a metrics server. */
export function useCpu(namespace: string | undefined): ReadonlyMap<string, number> {
  const { client } = useLiveStores();
  const [cores, setCores] = useState<ReadonlyMap<string, number>>(new Map());
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const measure = async (): Promise<void> => {
      let pauseMs = intervalMs;
      try {
        const sums = new Map<string, number>();
        for (const { namespace: place, name, usage } of await topPods(client, { namespace, signal: leaving.signal })) {
          // The names of a Deployment's pods end with those of its ReplicaSet and of the pod.
          const owner = `${place}/${name.replace(/-[^-]+-[^-]+$/, "")}`;
          if (usage?.cpu !== undefined) sums.set(owner, (sums.get(owner) ?? 0) + quantityToNumber(usage.cpu));
        }
        setCores(sums);
      } catch {
        pauseMs = retryMs;
      }
      if (!leaving.signal.aborted) timer = setTimeout(() => void measure(), pauseMs);
    };
    void measure();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [client, namespace]);
  return cores;
}
