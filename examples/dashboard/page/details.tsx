import { Deployment } from "kubestream/kinds/apps/v1";
import { Event, Pod } from "kubestream/kinds/core/v1";
import { formatManifests, parseManifests } from "kubestream/manifests";
import { type ApplyConflict, applyConflicts, formatLabelSelector } from "kubestream/objects";
import { useInformer, useLiveStores, useObject } from "kubestream/react";
import { followPodLogs, type PodLogLine, runCommand } from "kubestream/streams";
import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from "react";
import type { Selection } from "./app.js";

interface DetailsProps {
  readonly selected: Selection;
  readonly onClose: () => void;
}

const tabs = { Pod: ["Logs", "Terminal", "Events", "YAML"], Deployment: ["YAML", "Logs", "Events"] } as const;

/** Details of an object. They take the focus, so that keyboards and screen readers continue there. */
export function Details({ selected, onClose }: DetailsProps): ReactElement {
  const { kind, namespace, name } = selected;
  const names: readonly string[] = tabs[kind];
  const [tab, setTab] = useState(names[0]!);
  const aside = useRef<HTMLElement>(null);
  useEffect(() => aside.current?.focus(), []);
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const next = names[(names.indexOf(tab) + step + names.length) % names.length]!;
    setTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <aside ref={aside} tabIndex={-1} aria-label={`${kind} ${name}`}>
      <h2>
        {name} <small>{namespace}</small>
        <button type="button" aria-label="close" onClick={onClose}>
          ×
        </button>
      </h2>
      <div role="tablist" aria-label="Details" onKeyDown={onKeyDown}>
        {names.map((each) => (
          <button
            key={each}
            type="button"
            role="tab"
            id={`tab-${each}`}
            aria-controls="details"
            aria-selected={tab === each}
            tabIndex={tab === each ? 0 : -1}
            onClick={() => setTab(each)}
          >
            {each}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="details" aria-labelledby={`tab-${tab}`}>
        {tab === "Logs" && kind === "Pod" && <Logs namespace={namespace} fieldSelector={`metadata.name=${name}`} />}
        {tab === "Logs" && kind === "Deployment" && <DeploymentLogs {...selected} />}
        {tab === "Terminal" && <Terminal {...selected} />}
        {tab === "Events" && <Events {...selected} />}
        {tab === "YAML" && <Editor {...selected} />}
      </div>
    </aside>
  );
}

/** Follows the logs of all pods of a Deployment. */
function DeploymentLogs(target: Selection): ReactElement {
  const selector = useObject(Deployment, target, {}, ({ object }) => object?.spec?.selector);
  if (selector === undefined) return <pre />;
  return <Logs namespace={target.namespace} labelSelector={formatLabelSelector(selector)} />;
}

interface LogsProps {
  readonly namespace: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Follows the logs of some pods, with a color for each if there can be several. */
function Logs({ namespace, labelSelector, fieldSelector }: LogsProps): ReactElement {
  const { client } = useLiveStores();
  const [lines, setLines] = useState<readonly (Pick<PodLogLine, "text"> & Partial<PodLogLine>)[]>([]);
  const end = useRef<HTMLPreElement>(null);
  useEffect(() => {
    const add = (line: Pick<PodLogLine, "text">): void => setLines((before) => [...before.slice(-499), line]);
    const fail = (error: unknown): void => add({ text: `— ${(error as Error).message} —` });
    const logs = followPodLogs(client, { namespace, labelSelector, fieldSelector, tailLines: 100, onError: fail });
    void (async () => {
      for await (const line of logs) add(line);
    })().catch(fail);
    return () => {
      setLines([]);
      void logs.return?.();
    };
  }, [client, namespace, labelSelector, fieldSelector]);
  useEffect(() => {
    if (lines.length > 0) end.current?.scrollTo(0, end.current.scrollHeight);
  }, [lines]);
  return (
    <pre ref={end} role="log" tabIndex={0}>
      {lines.map(({ pod, time, text, color = 0 }, index) => (
        <div key={`${pod}/${time}/${index}`}>
          {labelSelector !== undefined && pod !== undefined && <b style={{ color: `color-mix(in srgb, hsl(${color * 30} 80% 45%) 70%, currentcolor)` }}>{pod} </b>}
          {text}
        </div>
      ))}
    </pre>
  );
}

/** Runs commands in the pod, one at a time. */
function Terminal({ namespace, name }: Selection): ReactElement {
  const { client } = useLiveStores();
  const [output, setOutput] = useState("Try: hostname, echo hello\n");
  const [command, setCommand] = useState("");
  const run = async (): Promise<void> => {
    const words = command.trim().split(/\s+/);
    if (words[0] === "" || words[0] === undefined) return;
    setCommand("");
    const text = new TextDecoder();
    const result = await runCommand(client, { namespace, name }, { command: words }).then(
      ({ stdout, stderr, code }) => `${text.decode(stdout)}${text.decode(stderr)}${code === 0 ? "" : `exit code ${code}\n`}`,
      (error: unknown) => `${(error as Error).message}\n`,
    );
    setOutput((before) => `${before}$ ${words.join(" ")}\n${result}`);
  };
  return (
    <form
      className="terminal"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <pre role="log" tabIndex={0}>{output}</pre>
      <label>
        $
        <input aria-label="command" value={command} autoComplete="off" onChange={(event) => setCommand(event.target.value)} />
      </label>
    </form>
  );
}

function Events({ namespace, name, kind }: Selection): ReactElement {
  const { items } = useInformer(Event, { namespace });
  const own = items.filter(({ involvedObject }) => involvedObject.name === name && involvedObject.kind === kind);
  const sorted = [...own].sort((a, b) => (b.lastTimestamp ?? "").localeCompare(a.lastTimestamp ?? ""));
  return (
    <ul className="events" tabIndex={0} aria-label="Events">
      {sorted.map((event) => (
        <li key={event.metadata.uid} className={event.type ?? ""}>
          <strong>{event.reason}</strong> {event.message}
          {(event.count ?? 1) > 1 && <small> ×{event.count}</small>}
        </li>
      ))}
      {sorted.length === 0 && <li>No events.</li>}
    </ul>
  );
}

/** Edits an object as YAML, and applies it. A field of another manager is a conflict, which the user may take over. */
function Editor({ namespace, name, kind }: Selection): ReactElement {
  const { client } = useLiveStores();
  const { object } = useObject<Pod | Deployment>(kind === "Pod" ? Pod : Deployment, { namespace, name });
  const [text, setText] = useState<string>();
  const [message, setMessage] = useState("");
  const [conflicts, setConflicts] = useState<readonly ApplyConflict[]>([]);
  if (object === undefined) return <p>This {kind} is gone.</p>;
  const { managedFields: _fields, ...metadata } = object.metadata ?? {};
  const current = formatManifests([{ apiVersion: kind === "Pod" ? "v1" : "apps/v1", kind, metadata, spec: object.spec } as never]);
  const apply = async (force: boolean): Promise<void> => {
    setConflicts([]);
    try {
      const [edited] = await parseManifests(text ?? current, { source: "the editor" });
      // Applied fields belong to the dashboard, so only what the user may own is sent.
      const { resourceVersion: _version, uid: _uid, creationTimestamp: _time, generation: _generation, ...rest } = edited!.metadata;
      const handle = kind === "Pod" ? client.resource(Pod) : client.resource(Deployment);
      await handle.namespace(namespace).apply({ ...edited, metadata: rest } as never, { fieldManager: "dashboard", force });
      setText(undefined);
      setMessage("Applied.");
    } catch (error) {
      const found = applyConflicts(error);
      setConflicts(found);
      setMessage(found.length > 0 ? "Other managers own these fields:" : (error as Error).message);
    }
  };
  return (
    <div className="editor">
      <textarea aria-label="YAML" spellCheck={false} value={text ?? current} onChange={(event) => setText(event.target.value)} />
      <p role="status">{message}</p>
      {conflicts.length > 0 && (
        <ul>
          {conflicts.map(({ field, manager }) => (
            <li key={field + manager}>
              <code>{field}</code> belongs to {manager}
            </li>
          ))}
        </ul>
      )}
      <p>
        <button type="button" disabled={text === undefined} onClick={() => void apply(false)}>
          Apply
        </button>
        {conflicts.length > 0 && (
          <button type="button" onClick={() => void apply(true)}>
            Take over
          </button>
        )}
        {text !== undefined && (
          <button type="button" onClick={() => setText(undefined)}>
            Discard
          </button>
        )}
      </p>
    </div>
  );
}
