// Writes the public surface of each subpath to `docs/api`, or compares it with what is there (`--check`). The reports come
// from the rolled-up declarations: no comments, sorted by name, so that a diff is a change of the API.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { writeDeclarations } from "./declarations.js";
import { publicModules, root } from "./entries.js";

const reports = join(root, "docs/api");
/** Types that are public only for the embedded server. Reports show them without the internals they refer to. */
const opaque: ReadonlySet<string> = new Set(["AdmissionPlugin"]);
const printer = ts.createPrinter({ removeComments: true });

/** Returns the reports by file name. */
async function createReports(): Promise<Map<string, string>> {
  mkdirSync(join(root, ".build"), { recursive: true });
  const folder = mkdtempSync(join(root, ".build/api-"));
  try {
    await writeDeclarations(folder);
    const modules = publicModules();
    const { options } = ts.convertCompilerOptionsFromJson(
      { ...ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config.compilerOptions, noEmit: true },
      root,
    );
    const program = ts.createProgram(
      modules.map((name) => join(folder, `${name}.d.ts`)),
      options,
    );
    const surface = new Surface(program, folder);
    const result = new Map<string, string>();
    for (const name of modules.filter((each) => !each.startsWith("kinds/")))
      result.set(`${name.replace(/\/?index$/, "").replaceAll("/", "-") || "index"}.d.ts`, surface.report(name));
    const kinds = modules.filter((each) => each.startsWith("kinds/"));
    result.set(
      "kinds.txt",
      kinds
        .map((name) => [`${name.slice("kinds/".length)}:`, ...surface.names(name), ""].join("\n  ").trimEnd())
        .join("\n") + "\n",
    );
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads exports and declarations of the rolled-up files. */
class Surface {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;
  readonly #folder: string;
  /** Symbols that a subpath exports. */
  readonly #public = new Set<ts.Symbol>();

  constructor(program: ts.Program, folder: string) {
    this.#program = program;
    this.#checker = program.getTypeChecker();
    this.#folder = folder;
    for (const name of publicModules()) for (const symbol of this.#exports(name).values()) this.#public.add(symbol);
  }

  names(module: string): string[] {
    return [...this.#exports(module).keys()];
  }

  /** Returns the declarations of a module's exports, then those that they refer to and that no subpath exports. */
  report(module: string): string {
    const exported = this.#exports(module);
    const hidden = new Map<string, ts.Symbol>();
    const pending = [...exported.values()];
    for (let symbol = pending.pop(); symbol !== undefined; symbol = pending.pop()) {
      for (const [name, other] of this.#references(symbol)) {
        if (this.#public.has(other) || hidden.get(name) === other) continue;
        hidden.set(name, other);
        if (!opaque.has(name)) pending.push(other);
      }
    }
    const sorted = [...hidden].sort(([left], [right]) => (left < right ? -1 : 1));
    return [
      ...[...exported].map(([name, symbol]) => this.#print(symbol, name)),
      ...(sorted.length === 0 ? [] : ["// Not exported, but part of the above.\n"]),
      ...sorted.map(([name, symbol]) => this.#print(symbol, name)),
    ].join("\n");
  }

  #exports(module: string): Map<string, ts.Symbol> {
    const file = this.#program.getSourceFile(join(this.#folder, `${module}.d.ts`))!;
    return new Map(
      this.#checker
        .getExportsOfModule(this.#checker.getSymbolAtLocation(file)!)
        .map((symbol): [string, ts.Symbol] => [symbol.name, this.#resolve(symbol)])
        .sort(([left], [right]) => (left < right ? -1 : 1)),
    );
  }

  #resolve(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol;
  }

  /** Finds the declarations at the top of the rolled-up files that a symbol's own declarations name. */
  #references(symbol: ts.Symbol): [string, ts.Symbol][] {
    const found: [string, ts.Symbol][] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) {
        const named = this.#checker.getSymbolAtLocation(node);
        const target = named && this.#resolve(named);
        if (target?.declarations?.some((each) => this.#isTopLevel(each))) found.push([target.name, target]);
      }
      ts.forEachChild(node, visit);
    };
    for (const declaration of symbol.declarations ?? []) visit(declaration);
    return found;
  }

  #isTopLevel(declaration: ts.Declaration): boolean {
    return (
      declaration.getSourceFile().fileName.startsWith(this.#folder) &&
      ts.isSourceFile(ts.isVariableDeclaration(declaration) ? declaration.parent.parent.parent : declaration.parent)
    );
  }

  #print(symbol: ts.Symbol, name: string): string {
    const texts = (symbol.declarations ?? []).map((declaration) => {
      const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
      const text = printer.printNode(ts.EmitHint.Unspecified, node, declaration.getSourceFile());
      return `${text.replace(/^(?:export )?(?:declare )?/, "")}\n`;
    });
    return `${symbol.name === name ? "" : `// ${name}:\n`}${texts.join("")}`;
  }
}

/** Returns the first lines that differ, as a hint. */
function difference(before: string, after: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const removed = old.filter((line) => !now.includes(line)).map((line) => `  - ${line}`);
  const added = now.filter((line) => !old.includes(line)).map((line) => `  + ${line}`);
  return [...removed, ...added].slice(0, 40).join("\n");
}

const current = await createReports();
if (process.argv.includes("--check")) {
  const files = new Set([...current.keys(), ...(existsSync(reports) ? readdirSync(reports) : [])]);
  for (const file of files) {
    const path = join(reports, file);
    const [before, after] = [existsSync(path) ? readFileSync(path, "utf8") : "", current.get(file) ?? ""];
    if (before === after) continue;
    console.error(
      `docs/api/${file} is not current: run \`npm run api:report\` and commit the change\n${difference(before, after)}`,
    );
    process.exitCode = 1;
  }
} else {
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  for (const [file, text] of current) writeFileSync(join(reports, file), text);
}
