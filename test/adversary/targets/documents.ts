import { createApiServer } from "../../../src/apiserver/server.js";
import { readManifests } from "../../../src/apiserver/state/load.js";
import { kindsOfOpenApi } from "../../../src/cli/types/from-open-api.js";
import { writeModule } from "../../../src/cli/types/module-writer.js";
import { kindsInText } from "../../../src/cli/types/read-sources.js";
import { createListerWatcher } from "../../../src/client/lister-watcher.js";
import { readStages } from "../../../src/cluster/stages/read-stages.js";
import { renderTemplate } from "../../../src/cluster/stages/template/render-template.js";
import { generalFunctions } from "../../../src/cluster/stages/template/template-functions.js";
import { ConfigMap } from "../../../src/kinds/core/v1.js";
import { ordinary } from "../shapes.js";
import type { Target } from "../target.js";
import { touch } from "../target.js";
import { jsonWords, yamlWords } from "../vocabularies.js";

const maxBytes = 128 * 1024;
const stageHead =
  "apiVersion: kwok.x-k8s.io/v1alpha1\nkind: Stage\nmetadata: {name: a}\nspec:\n  resourceRef: {kind: Pod}\n";
const template = `${stageHead}  next:\n    statusTemplate: |\n      `;
const stageWords = yamlWords([
  [`${stageHead}  selector:\n    matchLabels: {`, "}\n"],
  [`${stageHead}  selector:\n    matchExpressions: [`, "]\n"],
  [`${stageHead}  delay: {durationFrom: {expressionFrom: '`, "'}}\n"],
]);
const templateWords = {
  frames: [
    [template, "\n"],
    [`${template}{{ $x := list . }}`, "\n"],
  ] as const,
  pairs: [
    ["{{ range .metadata.labels }}", "{{ end }}"],
    ["{{ range $i, $v := .spec.containers }}", "{{ end }}"],
    ["{{ if .spec }}", "{{ else }}b{{ end }}"],
    ["{{ with .metadata }}", "{{ end }}"],
    ["{{ (", ") }}"],
    ["{{ if .a }}x{{ else ", "}}{{ end }}"],
  ] as const,
  values: [
    ...["a", "{{ . }}", "{{ .metadata.name }}", "{{ $x := . }}", '{{ printf "%s%s" . . }}', "{{- -}}", "{{ Quote . }}"],
    ...["{{/* a */}}", "{{ YAML . 1 }}", '{{ index . "a" }}', "{{ $ }}", "{{ or . . }}", "{{ len . }}"],
    ...["{{ $x = list $x $x }}", '{{ $x = dict "a" $x "b" $x }}', "{{ eq $x . }}", "{{ len $x }}"],
  ],
  junk: ["{{", "}}", '"', "`", "|", "(", "\\", "{{ end }}", "{{ else }}", "/*", "*/", "-", "\xff"],
  joints: ["", "\n      "],
};
const pod = {
  metadata: { name: "a", labels: Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`k${String(at)}`, "v"])) },
  spec: { containers: Array.from({ length: 10 }, (_, at) => ({ name: `c${String(at)}` })) },
};

const crd =
  '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"group":"example.com","scope":"Cluster","names":{"kind":"A","plural":"as"},"versions":[{"name":"v1","schema":{"openAPIV3Schema":';
const schemaWords = (before: string, after: string): Target["vocabulary"] => {
  const words = jsonWords([
    [`${before}{"type":"object","properties":{`, `}}${after}`],
    [`${before}{"type":"object","description":`, `}${after}`],
    [before, after],
  ]);
  return {
    ...words,
    pairs: [
      ...words.pairs,
      ...([
        ['{"properties":{"a":', "}}"],
        ['{"type":"array","items":', "}"],
        ['{"additionalProperties":', "}"],
        ['{"allOf":[', "]}"],
      ] as const),
    ],
    values: [
      ...words.values,
      ...[
        '{"$ref":"#/components/schemas/A"}',
        '{"$ref":"#/components/schemas/B"}',
        '{"type":"array"}',
        '{"enum":["*/"]}',
      ],
      ...['{"properties":{"__proto__":{"type":"string"}}}', '{"x-kubernetes-embedded-resource":true}'],
      '{"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["*/"]}',
    ],
    keys: [...(words.keys ?? []), '"$ref":', '"items":', '"enum":', '"description":', '"required":', '"properties":'],
  };
};
const openApi =
  '{"paths":{"/apis/example.com/v1/as/{name}":{"get":{"x-kubernetes-group-version-kind":{"group":"example.com","version":"v1","kind":"A"}}}},"components":{"schemas":{"B":{"$ref":"#/components/schemas/B"},"A":{"x-kubernetes-group-version-kind":[{"group":"example.com","version":"v1","kind":"A"}],"properties":{"a":';
/** The errors of the readers are turned into messages by their callers. */
const refuses = (error: unknown): boolean =>
  error instanceof TypeError && !/undefined|null|not a function|iterable/.test(error.message);

const list = '{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[';

/** Documents and folders from strangers: stages, definitions, manifests; and the pages of a read-only source. */
export const documents: Record<string, Target> = {
  stages: {
    maxBytes,
    vocabulary: stageWords,
    wellFormed: (bytes) =>
      ordinary(bytes, [`${stageHead}  selector:\n    matchLabels:\n`, ""], (at) => `      k${String(at)}: v\n`),
    prepare:
      ({ text }) =>
      () => {
        for (const { matches, delayFrom } of readStages(text)) {
          matches(pod);
          delayFrom?.(pod);
        }
      },
  },
  "stage-template": {
    maxBytes,
    vocabulary: templateWords,
    wellFormed: (bytes) => ordinary(bytes, [template, ""], "{{ .metadata.name }} {{ YAML .metadata 1 }} "),
    prepare: ({ text }) => {
      return () => {
        for (const { template: nodes } of readStages(text))
          if (nodes !== undefined) renderTemplate(nodes, pod, generalFunctions);
      };
    },
    // A template that can't be rendered is an event of its stage.
    refuses: (error) => error instanceof Error && !(error instanceof RangeError && /stack|length/.test(error.message)),
  },
  "types-manifests": {
    maxBytes,
    vocabulary: schemaWords(crd, "}}]}}"),
    wellFormed: (bytes) =>
      ordinary(bytes, [`${crd}{"properties":{`, "}}}}]}}", ","], (at) => `"k${String(at)}":{"type":"string"}`),
    prepare:
      ({ text }) =>
      () =>
        writeModule(kindsInText(text, "crds.json")),
    refuses,
  },
  "types-openapi": {
    maxBytes,
    vocabulary: schemaWords(openApi, "}}}}}"),
    wellFormed: (bytes) =>
      ordinary(bytes, [`${openApi}{"properties":{`, "}}}}}}}", ","], (at) => `"k${String(at)}":{"type":"string"}`),
    prepare: ({ text }) => {
      let document: object;
      try {
        document = JSON.parse(text) as object;
      } catch {
        return () => undefined;
      }
      return () => {
        const { kinds, definitions } = kindsOfOpenApi(document);
        writeModule(kinds, definitions);
      };
    },
    refuses,
  },
  "server-manifests": {
    maxBytes,
    vocabulary: yamlWords([
      ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata: {a: ", "}\n"],
      ["apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  ", "\n"],
      ["apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers: [", "]\n"],
    ]),
    wellFormed: (bytes) =>
      ordinary(
        bytes,
        ["apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n", ""],
        (at) => `  k${String(at)}: v\n`,
      ),
    prepare: ({ text }) => {
      const server = createApiServer({ controllers: false });
      return async () => {
        try {
          await server.load(readManifests(text));
        } finally {
          await server.close();
        }
      };
    },
    refuses,
  },
  "lister-watcher": {
    vocabulary: jsonWords([
      [list, "]}"],
      ["{", "}"],
      ['{"type":"ADDED","object":{"metadata":{"name":"a","uid":', "}}}\n"],
    ]),
    prepare: ({ bytes }) => {
      const source = createListerWatcher(ConfigMap, {
        transport: {
          send: async () => ({
            status: 200,
            headers: { get: (name) => (name === "content-type" ? "application/json" : null) },
            body: {
              async *[Symbol.asyncIterator]() {
                yield bytes;
              },
            },
          }),
          close: async () => undefined,
        },
      });
      return async () => {
        const { signal } = new AbortController();
        for await (const slice of source.listChunks({ signal })) touch(slice);
      };
    },
  },
};
