import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { createOpenApi } from "../discovery/open-api.js";
import { CustomResourceDefinition } from "../kinds/apiextensions/v1.js";
import { connect } from "../node/connection/connect.js";
import { UsageError } from "./command.js";
import { kindsOfCrd } from "./types/from-crd.js";
import { kindsOfOpenApi } from "./types/from-open-api.js";
import type { Definitions, KindModel } from "./types/kind-model.js";
import { writeModule } from "./types/module-writer.js";
import { readKinds } from "./types/read-sources.js";

const help = `Usage: kubestream types [OPTIONS] [FILE|FOLDER|-]...

Writes TypeScript types and descriptors of custom kinds, from CustomResourceDefinitions in files (YAML or JSON, - is the
standard input) or, without files, from those of a cluster. The same definitions give the same bytes.

  --out PATH                     a file ending in .ts for one module, or a folder for GROUP/VERSION.ts in it; default is
                                 the standard output
  --group GROUP                  only kinds of this group; may be repeated
  --api PATH                     kinds of a group-version from the cluster's OpenAPI, as apis/apps/v1; may be repeated
  --kubeconfig FILE              how to reach the cluster; default as kubectl
  --context NAME                 context of the kubeconfig
  --help                         shows this text`;

/** A module and what it is made of. */
interface Part {
  readonly kinds: KindModel[];
  readonly definitions?: Definitions;
}

/** Runs the subcommand. */
export async function run(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
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
  const wanted = values.group === undefined ? undefined : new Set(values.group);
  const chosen = parts.map(
    (part): Part => ({ ...part, kinds: part.kinds.filter((kind) => wanted?.has(kind.group) ?? true) }),
  );
  if (chosen.every((part) => part.kinds.length === 0))
    throw new UsageError(
      "no kinds found: there is no CustomResourceDefinition of apiextensions.k8s.io/v1 in what was read",
    );
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
            `the cluster has no OpenAPI document ${path}; there are: ${(await openApi.paths()).join(", ")}`,
          );
        return kindsOfOpenApi(document);
      };
      return await Promise.all(values.api.map(read));
    }
    const kinds: KindModel[] = [];
    for await (const crd of client.resource(CustomResourceDefinition).items())
      kinds.push(...kindsOfCrd(crd, crd.metadata?.name ?? "a CustomResourceDefinition"));
    return [{ kinds }];
  } finally {
    await client.close();
  }
}

/** The modules by their paths; `-` is the standard output. */
function modulesOf(parts: readonly Part[], out: string | undefined): [path: string, text: string][] {
  if (out === undefined || out.endsWith(".ts")) {
    if (parts.length > 1) throw new UsageError("several group-versions of --api need a folder as --out");
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
