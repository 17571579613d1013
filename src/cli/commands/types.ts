import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createOpenApi } from "../../discovery/open-api.js";
import { pushAll } from "../../internal/push-all.js";
import { CustomResourceDefinition } from "../../kinds/apiextensions/v1.js";
import { connect } from "../../node/connection/connect.js";
import { UsageError } from "../program/command.js";
import { parseOptions } from "../program/parse-options.js";
import { kindsOfCrd } from "../types/from-crd.js";
import { kindsOfOpenApi } from "../types/from-open-api.js";
import type { Definitions, KindModel } from "../types/kind-model.js";
import { writeModule } from "../types/module-writer.js";
import { readKinds } from "../types/read-sources.js";

const help = `Usage: kubestream types [OPTIONS] [FILE|FOLDER|-]...

Generates TypeScript types and kind descriptors for custom resources. It reads the CustomResourceDefinitions in the
given files and folders (YAML or JSON; - is standard input), or, without any, those of a cluster. The output is
deterministic, so you can commit it.

Options:
  --out PATH                     write one module to PATH if it ends in .ts, else one per group-version to
                                 PATH/GROUP/VERSION.ts (default: standard output)
  --group GROUP                  include only kinds of this API group; can be repeated
  --api PATH                     read the kinds of a group-version, such as apis/apps/v1, from the cluster's OpenAPI
                                 document instead of CustomResourceDefinitions; can be repeated
  --kubeconfig FILE              use this kubeconfig (default: the same as kubectl)
  --context NAME                 use this context of the kubeconfig
  -h, --help                     show this help

Examples:
  kubestream types crds/ --out src/kinds
  kubestream types --context staging --group example.com --out src/kinds`;

/** Kinds of one module and the definitions their schemas refer to. */
interface Part {
  readonly kinds: KindModel[];
  readonly definitions?: Definitions;
}

/** Runs the subcommand. */
export async function run(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions({
    args: [...words],
    allowPositionals: true,
    options: {
      out: { type: "string" },
      group: { type: "string", multiple: true },
      api: { type: "string", multiple: true },
      kubeconfig: { type: "string" },
      context: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    console.log(help);
    return 0;
  }
  const parts = positionals.length > 0 ? [{ kinds: readKinds(positionals) }] : await readCluster(values);
  const isEmpty = ({ kinds }: Part): boolean => kinds.length === 0;
  if (parts.every(isEmpty))
    throw new UsageError("no kinds found: the input contains no CustomResourceDefinition of apiextensions.k8s.io/v1");
  const wanted = values.group === undefined ? undefined : new Set(values.group);
  const chosen = parts.map(
    (part): Part => ({ ...part, kinds: part.kinds.filter((kind) => wanted?.has(kind.group) ?? true) }),
  );
  if (chosen.every(isEmpty)) throw new UsageError(`--group ${values.group!.join(", ")}: no kinds found`);
  for (const [path, text] of modulesOf(chosen, values.out)) {
    if (path === "-") process.stdout.write(text);
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      console.error(`wrote ${path}`);
    }
  }
  return 0;
}

async function readCluster(values: {
  kubeconfig?: string | undefined;
  context?: string | undefined;
  api?: string[] | undefined;
}): Promise<Part[]> {
  const client = await connect({
    ...(values.kubeconfig === undefined ? {} : { kubeconfig: values.kubeconfig }),
    ...(values.context === undefined ? {} : { context: values.context }),
  });
  try {
    if (values.api !== undefined) {
      const openApi = createOpenApi(client);
      const read = async (path: string): Promise<Part> => {
        const document = await openApi.document(path);
        if (document === undefined)
          throw new UsageError(
            `the cluster has no OpenAPI document ${path}; available: ${(await openApi.paths()).join(", ")}`,
          );
        return kindsOfOpenApi(document);
      };
      return await Promise.all(values.api.map(read));
    }
    const kinds: KindModel[] = [];
    for await (const crd of client.resource(CustomResourceDefinition).items())
      pushAll(kinds, kindsOfCrd(crd, crd.metadata?.name ?? "a CustomResourceDefinition"));
    return [{ kinds }];
  } finally {
    await client.close();
  }
}

/** Returns the modules and their paths; `-` is standard output. */
function modulesOf(parts: readonly Part[], out: string | undefined): [path: string, text: string][] {
  if (out === undefined || out.endsWith(".ts")) {
    if (parts.length > 1) throw new UsageError("--out must be a folder when --api is repeated");
    return parts.map(({ kinds, definitions }) => [out ?? "-", writeModule(kinds, definitions)]);
  }
  const modules: [string, string][] = [];
  for (const { kinds, definitions } of parts) {
    const places = new Map<string, KindModel[]>();
    for (const kind of kinds) {
      const place = join(kind.group === "" ? "core" : kind.group, `${kind.version}.ts`);
      places.set(place, [...(places.get(place) ?? []), kind]);
    }
    for (const [place, own] of places) modules.push([join(out, place), writeModule(own, definitions)]);
  }
  return modules.sort(([a], [b]) => (a < b ? -1 : 1));
}
