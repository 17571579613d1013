import { createClient, fetchTransport } from "kubestream";
import { Namespace } from "kubestream/kinds/core/v1";
import { createMux } from "kubestream/mux";
import { KubestreamProvider, useInformer } from "kubestream/react";
import { createLiveStores, type LiveStores } from "kubestream/stores";
import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Details } from "./details.js";
import { Pods } from "./pods.js";
import { Workloads } from "./workloads.js";

/** Object that the details show. */
export interface Selection {
  readonly kind: "Pod" | "Deployment";
  readonly namespace: string;
  readonly name: string;
}

/** One WebSocket carries the requests to all clusters, so that watches don't use up the browser's connections. */
const mux = createMux({ transport: fetchTransport({ url: "/clusters" }) });
const opened = new Map<string, LiveStores>();

/** Returns the live data of a cluster. */
function storesOf(cluster: string): LiveStores {
  const transport = mux.transport(cluster);
  const stores = opened.get(cluster) ?? createLiveStores(createClient({ transport, fieldManager: "dashboard" }));
  opened.set(cluster, stores);
  return stores;
}

// A page that the browser keeps for the back button would hold its connection.
addEventListener("pagehide", () => void mux.close());
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

export function App(): ReactElement {
  const [clusters, setClusters] = useState<readonly string[]>([]);
  const [cluster, setCluster] = useState("");
  const [problem, setProblem] = useState("");
  useEffect(() => {
    fetch("/clusters")
      .then((response) => response.json() as Promise<{ clusters: { name: string }[] }>)
      .then(({ clusters: found }) => {
        setClusters(found.map(({ name }) => name));
        setCluster(found[0]?.name ?? "");
      })
      .catch((error: unknown) => setProblem(String(error)));
  }, []);
  if (cluster === "") return <p role="status">{problem === "" ? "Connecting…" : problem}</p>;
  return (
    <KubestreamProvider stores={storesOf(cluster)} key={cluster}>
      <Frame clusters={clusters} cluster={cluster} onCluster={setCluster} />
    </KubestreamProvider>
  );
}

interface FrameProps {
  readonly clusters: readonly string[];
  readonly cluster: string;
  readonly onCluster: (cluster: string) => void;
}

function Frame({ clusters, cluster, onCluster }: FrameProps): ReactElement {
  const [namespace, setNamespace] = useState("");
  const [search, setSearch] = useState("");
  const [selected, setSelected] = useState<Selection>();
  const opener = useRef<Element>(null);
  const field = useRef<HTMLInputElement>(null);
  const select = useCallback((next: Selection) => {
    opener.current = document.activeElement;
    setSelected(next);
  }, []);
  /** Closes the details, and gives the focus back to the button that opened them. */
  const close = useCallback(() => {
    setSelected(undefined);
    if (opener.current instanceof HTMLElement) opener.current.focus();
  }, []);
  const { items: namespaces, status } = useInformer(Namespace);
  const connection = useSyncExternalStore(mux.subscribe, () => mux.status.type);
  const shown = connection === "disconnected" || connection === "waiting" ? "backingOff" : status.type;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
      if (event.key === "/" && !typing) {
        event.preventDefault();
        field.current?.focus();
      }
      if (event.key === "Escape" && !typing) close();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [close]);
  const scope = useMemo(() => (namespace === "" ? {} : { namespace }), [namespace]);

  return (
    <>
      <header>
        <h1>kubestream</h1>
        <label>
          Cluster
          <select value={cluster} onChange={(event) => onCluster(event.target.value)}>
            {clusters.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          Namespace
          <select value={namespace} onChange={(event) => setNamespace(event.target.value)}>
            <option value="">all</option>
            {namespaces.map(({ metadata }) => (
              <option key={metadata?.uid}>{metadata?.name}</option>
            ))}
          </select>
        </label>
        <label className="search">
          Search
          <input ref={field} type="search" value={search} placeholder="press /" onChange={(event) => setSearch(event.target.value)} />
        </label>
        <Theme />
        <span className={`status ${shown}`} role="status">
          {shown === "watching" ? "live" : shown === "backingOff" ? "reconnecting" : shown}
        </span>
      </header>
      <main className={selected === undefined ? "" : "split"}>
        <Workloads scope={scope} search={search} onSelect={select} selected={selected} />
        <Pods scope={scope} search={search} onSelect={select} selected={selected} />
        {selected && (
          <Details key={`${selected.kind}/${selected.namespace}/${selected.name}`} selected={selected} onClose={close} />
        )}
      </main>
    </>
  );
}

function Theme(): ReactElement {
  const [dark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    document.documentElement.dataset["theme"] = dark ? "dark" : "light";
  }, [dark]);
  return (
    <button type="button" aria-pressed={dark} onClick={() => setDark(!dark)}>
      {dark ? "Light" : "Dark"}
    </button>
  );
}

/** Properties of the lists. */
export interface ListProps {
  readonly scope: { readonly namespace?: string };
  readonly search: string;
  readonly selected: Selection | undefined;
  readonly onSelect: (selected: Selection) => void;
}

interface Named {
  readonly metadata?: { readonly name?: string | undefined; readonly namespace?: string | undefined } | undefined;
}

/** Returns true if an object is the selected one. */
export function isSelected(selected: Selection | undefined, kind: Selection["kind"], { metadata }: Named): boolean {
  return selected?.kind === kind && selected.name === metadata?.name && selected.namespace === (metadata?.namespace ?? "");
}

/** Returns the selection for an object. */
export function selectionOf(kind: Selection["kind"], { metadata }: Named): Selection {
  return { kind, namespace: metadata?.namespace ?? "", name: metadata?.name ?? "" };
}
