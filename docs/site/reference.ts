// Prepares the API reference: names modules by their import paths and adds an overview of the kinds to each group.
import {
  type Application,
  Comment,
  type CommentDisplayPart,
  Converter,
  type DeclarationReflection,
  type DocumentReflection,
  type ProjectReflection,
  ReflectionKind,
} from "typedoc";

/** A kind of the API with its descriptor and its type. */
export interface KindEntry {
  readonly type: DeclarationReflection;
  readonly descriptor: DeclarationReflection;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** One line for each module, for its own page and for the list of modules. */
const summaries: Readonly<Record<string, string>> = {
  kubestream: "The client: resource handles, errors, options, patches, `fetch` and in-process transports.",
  "kubestream/apiserver": "The embedded API server: a function from request to response.",
  "kubestream/apiserver/msw": "The embedded server as handlers of Mock Service Worker.",
  "kubestream/apiserver/node": "The embedded server on a port. Node only.",
  "kubestream/cache": "Informers, stores and indexes.",
  "kubestream/codec": "JSON, and the types that all encodings share.",
  "kubestream/codec/cbor": "The CBOR codec.",
  "kubestream/codec/protobuf": "The Protobuf codec, and its tables for each API group.",
  "kubestream/controller": "Controllers, work queues, managers, leader election and events.",
  "kubestream/cluster": "A cluster in this process: API server, controllers, scheduler and simulated nodes.",
  "kubestream/discovery": "Kinds that are known only at run time, and the server's OpenAPI documents.",
  "kubestream/flowcontrol": "API Priority and Fairness: lookup, dumps, the flow schema of a request, and a planner.",
  "kubestream/interceptors": "Logs, metrics, traces, rate limits and bearer tokens.",
  "kubestream/manifests": "Parses, formats, applies and deletes manifests of any kind.",
  "kubestream/mux": "One WebSocket for all requests of a page, to any number of clusters.",
  "kubestream/node": "`connect()`, kubeconfig, credentials and connection pools. Node only.",
  "kubestream/objects": "Create-or-update, finalizers, owner references, apply conflicts.",
  "kubestream/operations": "kubectl's verbs: drain, evict, scale, rollouts, approve, access reviews, top.",
  "kubestream/react": "Hooks for React. Needs `react`.",
  "kubestream/react-query": "Live queries for TanStack Query.",
  "kubestream/rx": "Observables. Needs `rxjs`.",
  "kubestream/stores": "Live data for user interfaces: external stores, optimistic writes, tables, access.",
  "kubestream/proxy": "A proxy between the pages of a dashboard and clusters.",
  "kubestream/streams": "Logs, exec, attach and port forwarding of pods.",
  "kubestream/webhook": "Admission, conversion and authentication webhooks.",
};

/** Registers the changes with typedoc. */
export function prepareReference(app: Application): void {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }: { project: ProjectReflection }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) module.name = importPath(module.name);
  });
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }: { project: ProjectReflection }) => {
    const modules = kindModules(project);
    for (const module of (project.children ?? []).filter((each) => !modules.includes(each))) {
      const summary = summaries[module.name];
      if (summary === undefined) throw new Error(`${module.name} has no summary in docs/site/reference.ts`);
      module.comment = new Comment([text(summary)]);
    }
    for (const module of modules) module.comment = new Comment(overview(module));
    const all = (project.documents ?? []).find(({ name }) => name === "Kinds");
    if (all !== undefined) fillKinds(all, modules);
  });
}

/** `src/cache/index.ts` is named `cache`, `index` or `cache/index` by typedoc, and `kubestream/cache` by its users. */
function importPath(name: string): string {
  const path = name.replace(/(^|\/)index$/, "");
  return path === "" ? "kubestream" : `kubestream/${path}`;
}

/** Returns the list of modules as Markdown. */
export function listModules(project: ProjectReflection): CommentDisplayPart[] {
  const kinds = kindModules(project);
  const modules = (project.children ?? []).filter((each) => !kinds.includes(each));
  return [
    text("| Import | Contents |\n|---|---|\n"),
    ...modules.flatMap((module) => [
      text("| "),
      link(module),
      text(` | ${Comment.combineDisplayParts(module.comment?.summary).split("\n")[0] ?? ""} |\n`),
    ]),
    text("\n\n## Kinds\n\n| Import | Kinds |\n|---|---|\n"),
    ...kinds.flatMap((module) => [
      text("| "),
      link(module),
      text(" | "),
      ...kindsOf(module).flatMap(({ type }, index) => [text(index === 0 ? "" : ", "), link(type)]),
      text(" |\n"),
    ]),
  ];
}

/** Returns the modules of the kinds, sorted by group and version. */
export function kindModules(project: ProjectReflection): DeclarationReflection[] {
  return (project.children ?? [])
    .filter(({ name }) => name.startsWith("kubestream/kinds/"))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the kinds of a module. */
export function kindsOf(module: DeclarationReflection): KindEntry[] {
  return (module.children ?? [])
    .filter(({ kind }) => kind === ReflectionKind.Variable)
    .flatMap((descriptor) => {
      const type = module.children?.find((each) => each.name === descriptor.name && each !== descriptor);
      const text = descriptor.type?.toString() ?? "";
      const path = Comment.combineDisplayParts(descriptor.comment?.summary);
      if (type === undefined) return [];
      return [
        { type, descriptor, plural: /([a-z0-9]+)`/.exec(path)?.[1] ?? "", namespaced: text.includes('"Namespaced"') },
      ];
    });
}

const text = (value: string): CommentDisplayPart => ({ kind: "text", text: value });
const code = (value: string): CommentDisplayPart => ({ kind: "code", text: value });
const link = (target: DeclarationReflection, label = target.name): CommentDisplayPart => ({
  kind: "inline-tag",
  tag: "@link",
  target,
  text: label,
});

/** Returns the table that opens the page of a group: each kind, its type, its descriptor and its resource. */
function overview(module: DeclarationReflection): CommentDisplayPart[] {
  const kinds = kindsOf(module);
  const names = kinds.slice(0, 2).map(({ type }) => type.name);
  const example = `\`\`\`ts\nimport { ${names.join(", ")} } from "${module.name}";\n\`\`\``;
  return [
    text(
      `${kinds.length} kinds of \`${module.name.replace("kubestream/kinds/", "")}\`. Each name is both a type and a `,
    ),
    text("descriptor that `client.resource()` takes.\n\n"),
    code(example),
    text("\n\n| Kind | Descriptor | Resource | Scope |\n|---|---|---|---|\n"),
    ...kinds.flatMap((kind) => row(kind)),
  ];
}

function row({ type, descriptor, plural, namespaced }: KindEntry): CommentDisplayPart[] {
  const scope = namespaced ? "namespaced" : "cluster";
  return [text("| "), link(type), text(" | "), link(descriptor, "descriptor"), text(` | \`${plural}\` | ${scope} |\n`)];
}

/** Fills the page that lists all kinds. */
function fillKinds(page: DocumentReflection, modules: readonly DeclarationReflection[]): void {
  for (const module of modules) {
    const [group = "", version = ""] = module.name.replace("kubestream/kinds/", "").split("/");
    page.content.push(
      text(`\n\n## ${group}/${version}\n\n`),
      code(`\`\`\`ts\nimport { … } from "${module.name}";\n\`\`\``),
      text("\n\n| Kind | Descriptor | Resource | Scope |\n|---|---|---|---|\n"),
      ...kindsOf(module).flatMap((kind) => row(kind)),
    );
  }
}
