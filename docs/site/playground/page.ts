// The playground: an editor, a list of examples, and the output of the program that runs in a worker.
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, linter, lintGutter } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import type { LanguageAnswer, LanguageCalls, RunMessage } from "./protocol.js";

interface Example {
  readonly name: string;
  readonly title: string;
  readonly code: string;
}

const find = <E extends HTMLElement>(id: string): E => document.getElementById(id) as E;
const examples = JSON.parse(find("ks-examples").textContent ?? "[]") as Example[];
const base = new URL("./", import.meta.url);

/** Calls into the worker that knows TypeScript. */
class Language {
  readonly #worker = new Worker(new URL("language.js", base));
  readonly #calls = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  #id = 0;

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<LanguageAnswer>) => {
      const call = this.#calls.get(data.id);
      this.#calls.delete(data.id);
      if ("error" in data) call?.reject(new Error(data.error));
      else call?.resolve(data.result as never);
    };
  }

  call<Name extends keyof LanguageCalls>(
    method: Name,
    ...parameters: Parameters<LanguageCalls[Name]>
  ): Promise<ReturnType<LanguageCalls[Name]>> {
    const id = ++this.#id;
    this.#worker.postMessage({ id, method, parameters });
    return new Promise((resolve, reject) => this.#calls.set(id, { resolve, reject }));
  }
}

const language = new Language();
const textOf = (view: { readonly state: EditorState }): string => view.state.doc.toString();

async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const word = context.matchBefore(/[\w$]*/);
  const before = context.state.sliceDoc(Math.max(0, context.pos - 1), context.pos);
  if (!context.explicit && word?.text === "" && !/[."'/]/.test(before)) return null;
  const text = context.state.doc.toString();
  const proposals = await language.call("complete", text, context.pos);
  const options = proposals.map(
    ({ label, type, sortText }): Completion => ({
      label,
      type,
      boost: sortText <= "11" ? 1 : 0,
      info: async () => note(await language.call("describe", text, context.pos, label)),
    }),
  );
  return { from: word?.from ?? context.pos, options, validFor: /^[\w$]*$/ };
}

function note(text: string): HTMLElement {
  const element = document.createElement("pre");
  element.className = "ks-note";
  element.textContent = text;
  return element;
}

const findMistakes = linter(
  async (view): Promise<Diagnostic[]> => {
    const mistakes = await language.call("mistakes", textOf(view));
    find("ks-editor").dataset["checked"] = String(mistakes.length);
    const end = view.state.doc.length;
    return mistakes.map((each) => ({ ...each, from: Math.min(each.from, end), to: Math.min(each.to, end) }));
  },
  { delay: 400 },
);

const describeOnHover = hoverTooltip(async (view, position) => {
  const found = await language.call("hover", textOf(view), position);
  return found === undefined
    ? null
    : { pos: found.from, end: found.to, above: true, create: () => ({ dom: note(found.text) }) };
});

const view = new EditorView({
  parent: find("ks-editor"),
  extensions: [
    keymap.of([{ key: "Mod-Enter", run: () => (void run(), true) }]),
    lineNumbers(),
    history(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    closeBrackets(),
    javascript({ typescript: true }),
    syntaxHighlighting(classHighlighter),
    autocompletion({ override: [complete], closeOnBlur: true }),
    lintGutter(),
    findMistakes,
    describeOnHover,
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, indentWithTab]),
    EditorView.contentAttributes.of({ "aria-label": "Program" }),
  ],
});

let program: Worker | undefined;
/** Counts runs and stops: a stop also counts while the program is being compiled. */
let turn = 0;
const output = find("ks-output");

function print(text: string, level: string): void {
  const atEnd = output.scrollHeight - output.scrollTop - output.clientHeight < 40;
  const line = document.createElement("div");
  line.className = `ks-${level}`;
  line.textContent = text;
  output.append(line);
  while (output.childElementCount > 2_000) output.firstElementChild?.remove();
  if (atEnd) output.scrollTop = output.scrollHeight;
}

function showState(state: "idle" | "running" | "ended" | "failed" | "stopped", text: string): void {
  const status = find("ks-status");
  status.dataset["state"] = state;
  status.textContent = text;
  find<HTMLButtonElement>("ks-stop").disabled = state !== "running" && state !== "ended";
}

function stop(): void {
  turn++;
  program?.terminate();
  program = undefined;
  showState("stopped", "Stopped");
}

function fail(text: string): void {
  print(text, "error");
  showState("failed", "Failed");
}

async function run(): Promise<void> {
  stop();
  output.replaceChildren();
  showState("running", "Running…");
  const mine = turn;
  let code: string;
  try {
    code = await language.call("compile", textOf(view));
  } catch (error) {
    return fail((error as Error).message);
  }
  if (mine !== turn) return;
  const worker = new Worker(new URL("runner.js", base), { type: "module" });
  program = worker;
  worker.onmessage = ({ data }: MessageEvent<RunMessage>) => {
    if (program !== worker) return;
    if (data.type === "print") print(data.text, data.level);
    else if (data.type === "failed") fail(data.text);
    else if (find("ks-status").dataset["state"] === "running")
      showState("ended", `Finished in ${Math.round(data.ms)} ms`);
  };
  worker.postMessage(code);
}

/** Shows an example, or the first one. */
function show(name: string): void {
  const example = examples.find((each) => each.name === name) ?? examples[0];
  if (example === undefined) return;
  stop();
  find<HTMLSelectElement>("ks-example").value = example.name;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: example.code } });
  output.replaceChildren();
  showState("idle", "Press Run");
}

find("ks-run").addEventListener("click", () => void run());
find("ks-stop").addEventListener("click", stop);
find("ks-example").addEventListener("change", (event) => {
  location.hash = (event.target as HTMLSelectElement).value;
});
addEventListener("hashchange", () => show(location.hash.slice(1)));
show(location.hash.slice(1));
