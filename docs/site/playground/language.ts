// Worker of the playground: TypeScript's language service over the program in the editor and the package's declarations.
import ts from "typescript";
import type { LanguageAnswer, LanguageCalls, LanguageRequest, Mistake, Proposal } from "./protocol.js";

const main = "/main.ts";
const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts", "lib.dom.asynciterable.d.ts"],
  strict: true,
  skipLibCheck: true,
  types: [],
  paths: {
    kubestream: ["/types/kubestream/index.d.ts"],
    "kubestream/kinds/*": ["/types/kubestream/kinds/*.d.ts"],
    "kubestream/*": ["/types/kubestream/*/index.d.ts"],
    rxjs: ["/types/rxjs/index.d.ts"],
  },
};

/** Creates the service. `files` are the declarations by path, `modules` the addresses of the modules by import name. */
function createLanguage(files: ReadonlyMap<string, string>, modules: Readonly<Record<string, string>>): LanguageCalls {
  let source = "";
  let version = 0;
  const folders = new Set([...files.keys()].flatMap(parents));
  const read = (path: string): string | undefined => (path === main ? source : files.get(path));
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [main],
    getScriptVersion: (path) => (path === main ? String(version) : "0"),
    getScriptSnapshot: (path) => {
      const text = read(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => "/",
    getDefaultLibFileName: () => "/lib/lib.es2023.d.ts",
    fileExists: (path) => read(path) !== undefined,
    directoryExists: (path) => folders.has(path),
    readFile: read,
  };
  const service = ts.createLanguageService(host);
  const update = (text: string): void => {
    if (text === source) return;
    source = text;
    version++;
  };
  const preferences: ts.UserPreferences = { includeCompletionsForModuleExports: false };
  return {
    mistakes(text) {
      update(text);
      return [...service.getSyntacticDiagnostics(main), ...service.getSemanticDiagnostics(main)].map(toMistake);
    },
    complete(text, offset) {
      update(text);
      const word = /[\w$]*$/.exec(text.slice(0, offset))?.[0].toLowerCase() ?? "";
      const found = service.getCompletionsAtPosition(main, offset, preferences)?.entries ?? [];
      return found
        .filter(({ name }) => name.toLowerCase().startsWith(word))
        .slice(0, 300)
        .map(({ name, kind, sortText }): Proposal => ({ label: name, type: iconOf(kind), sortText }));
    },
    describe(text, offset, name) {
      update(text);
      const details = service.getCompletionEntryDetails(
        main,
        offset,
        name,
        undefined,
        undefined,
        preferences,
        undefined,
      );
      return details === undefined ? "" : describe(details.displayParts, details.documentation);
    },
    hover(text, offset) {
      update(text);
      const info = service.getQuickInfoAtPosition(main, offset);
      if (info === undefined) return undefined;
      const { start, length } = info.textSpan;
      return { from: start, to: start + length, text: describe(info.displayParts, info.documentation) };
    },
    compile: (text) => compile(text, modules),
  };
}

function parents(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/") || "/");
}

function toMistake({ start = 0, length = 1, category, messageText }: ts.Diagnostic): Mistake {
  return {
    from: start,
    to: start + Math.max(length, 1),
    severity: category === ts.DiagnosticCategory.Error ? "error" : "warning",
    message: ts.flattenDiagnosticMessageText(messageText, "\n"),
  };
}

function describe(signature: ts.SymbolDisplayPart[] | undefined, text: ts.SymbolDisplayPart[] | undefined): string {
  return [ts.displayPartsToString(signature), ts.displayPartsToString(text)].filter((part) => part !== "").join("\n\n");
}

function iconOf(kind: ts.ScriptElementKind): string {
  if (kind === ts.ScriptElementKind.memberFunctionElement || kind === ts.ScriptElementKind.functionElement)
    return "function";
  if (kind === ts.ScriptElementKind.memberVariableElement) return "property";
  if (kind === ts.ScriptElementKind.interfaceElement || kind === ts.ScriptElementKind.typeElement) return "interface";
  if (kind === ts.ScriptElementKind.classElement || kind === ts.ScriptElementKind.keyword) return kind;
  return "variable";
}

/** Removes the types and replaces import names by addresses, also in `import()` and `export … from`. */
function compile(text: string, modules: Readonly<Record<string, string>>): string {
  const unknown = new Set<string>();
  const address = (name: string): string => {
    const found = modules[name];
    if (found === undefined) unknown.add(name);
    return found ?? name;
  };
  const rename: ts.TransformerFactory<ts.SourceFile> = (context) => (file) => {
    const visit = (node: ts.Node): ts.Node => {
      const { parent } = node;
      const names =
        ts.isStringLiteral(node) &&
        parent !== undefined &&
        (ts.isImportDeclaration(parent) ||
          ts.isExportDeclaration(parent) ||
          (ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.ImportKeyword));
      return names ? context.factory.createStringLiteral(address(node.text)) : ts.visitEachChild(node, visit, context);
    };
    return ts.visitEachChild(file, visit, context);
  };
  const { outputText } = ts.transpileModule(text, {
    fileName: main,
    compilerOptions: { ...options, paths: {}, verbatimModuleSyntax: false },
    transformers: { before: [rename] },
  });
  const [name] = unknown;
  if (name === undefined) return outputText;
  const hint = /node/.test(name) ? " It needs Node: use createApiServer() with handlerTransport() here." : "";
  throw new Error(`Cannot import "${name}" in the playground.${hint}`);
}

interface Loaded {
  readonly files: Readonly<Record<string, string>>;
  readonly modules: Readonly<Record<string, string>>;
}

async function load(): Promise<LanguageCalls> {
  const base = new URL("./", import.meta.url);
  const response = await fetch(new URL("types.json", base));
  const { files, modules } = (await response.json()) as Loaded;
  const addresses = Object.entries(modules).map(([name, path]) => [name, new URL(path, base).href]);
  return createLanguage(new Map(Object.entries(files)), Object.fromEntries(addresses) as Record<string, string>);
}

const language = load();

self.onmessage = async ({ data }: MessageEvent<LanguageRequest>): Promise<void> => {
  const { id, method, parameters } = data;
  let answer: LanguageAnswer;
  try {
    const call = (await language)[method] as (...words: unknown[]) => unknown;
    answer = { id, result: call(...parameters) };
  } catch (error) {
    answer = { id, error: error instanceof Error ? error.message : String(error) };
  }
  self.postMessage(answer);
};
