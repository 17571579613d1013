import { Deployment } from "kubestream/kinds/apps/v1";
import { useAccess, useInformer, useMutation } from "kubestream/react";
import { type ReactElement, memo, useEffect, useState } from "react";
import { type ListProps, isSelected, selectionOf } from "./app.js";
import { useCpu } from "./usage.js";

export function Workloads({ scope, search, selected, onSelect }: ListProps): ReactElement {
  const { items, isSynced, status } = useInformer(Deployment, scope);
  const cpu = useCpu(scope.namespace);
  const shown = items.filter(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`.includes(search));
  return (
    <section aria-labelledby="workloads">
      <h2 id="workloads">
        Deployments <small>{shown.length}</small>
      </h2>
      {!isSynced && <p>{status.type === "refused" ? "You may not list Deployments." : "Loading…"}</p>}
      <ul className="cards">
        {shown.map((deployment) => (
          <Card
            key={deployment.metadata?.uid}
            deployment={deployment as Deployment}
            current={isSelected(selected, "Deployment", deployment)}
            cpu={cpu.get(`${deployment.metadata?.namespace}/${deployment.metadata?.name}`)}
            onSelect={onSelect}
          />
        ))}
      </ul>
    </section>
  );
}

interface CardProps extends Pick<ListProps, "onSelect"> {
  readonly deployment: Deployment;
  readonly current: boolean;
  /** Cores that its pods use; absent if nothing was measured. */
  readonly cpu: number | undefined;
}

/** Renders again only when its Deployment has changed: unchanged objects keep their identity. */
const Card = memo(function Card({ deployment, current, cpu, onSelect }: CardProps): ReactElement {
  const { metadata, spec, status } = deployment;
  const [namespace, name] = [metadata?.namespace ?? "", metadata?.name ?? ""];
  const [wanted, ready, updated] = [spec?.replicas ?? 1, status?.readyReplicas ?? 0, status?.updatedReplicas ?? 0];
  const { allowed } = useAccess("update", Deployment, { namespace });
  const scale = useMutation(Deployment, {
    change: (object, by: number) => {
      object.spec = { ...object.spec!, replicas: Math.max(0, (object.spec?.replicas ?? 1) + by) };
    },
  });
  const state = ready < wanted ? "behind" : updated < wanted ? "rolling" : "well";
  return (
    <li className={`card ${state} ${current ? "current" : ""}`}>
      <button type="button" className="name" onClick={() => onSelect(selectionOf("Deployment", deployment))}>
        {name}
      </button>
      <span className="place">{namespace}</span>
      <code>{spec?.template.spec?.containers[0]?.image}</code>
      <span className="count">
        {ready}/{wanted}
      </span>
      {cpu === undefined ? (
        <Sparkline value={ready} label={`ready: ${ready}`} />
      ) : (
        <Sparkline key="cpu" value={cpu} label={`CPU: ${Math.round(cpu * 1_000)}m`} />
      )}
      {allowed === true && (
        <span className="scale">
          <button type="button" aria-label={`fewer replicas of ${name}`} onClick={() => scale.mutate({ namespace, name }, -1)}>
            −
          </button>
          <button type="button" aria-label={`more replicas of ${name}`} onClick={() => scale.mutate({ namespace, name }, 1)}>
            +
          </button>
        </span>
      )}
      {scale.error instanceof Error && (
        <p role="alert" className="problem">
          {scale.error.message}
        </p>
      )}
    </li>
  );
});

const points = 40;

/** Draws the last values of a number, one per second. */
function Sparkline({ value, label }: { readonly value: number; readonly label: string }): ReactElement {
  const [history, setHistory] = useState<readonly number[]>([value]);
  useEffect(() => {
    setHistory((before) => [...before.slice(1 - points), value]);
    const timer = setInterval(() => setHistory((before) => [...before.slice(1 - points), value]), 1_000);
    return () => clearInterval(timer);
  }, [value]);
  const top = Math.max(0.001, ...history);
  const line = history.map((each, index) => `${index * (100 / (points - 1))},${22 - (each / top) * 20}`).join(" ");
  return (
    <svg className="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{label}</title>
      <polyline points={line} />
    </svg>
  );
}
