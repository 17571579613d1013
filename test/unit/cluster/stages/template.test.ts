import { expect, it } from "vitest";
import { parseTemplate } from "../../../../src/cluster/stages/template/parse-template.js";
import { renderTemplate } from "../../../../src/cluster/stages/template/render-template.js";
import { generalFunctions } from "../../../../src/cluster/stages/template/template-functions.js";

const pod = {
  metadata: { name: "web", annotations: { "example.com/reason": "Broken" } },
  spec: { containers: [{ name: "a" }, { name: "b" }], priority: 5 },
};

function render(template: string): string {
  const nodes = parseTemplate(template, (name) => Object.hasOwn(generalFunctions, name));
  return renderTemplate(nodes, pod, generalFunctions);
}

it.each([
  ["prints a field", "{{ .metadata.name }}", "web"],
  ["prints a missing field as Go does", "{{ .metadata.owner.name }}", "<no value>"],
  ["trims white space around an action", "a  {{- .metadata.name -}}  b", "awebb"],
  ["leaves out comments", "a{{/* not shown */}}b", "ab"],
  [
    "ranges over a list with an index",
    "{{ range $i, $c := .spec.containers }}{{ $i }}={{ $c.name }} {{ end }}",
    "0=a 1=b ",
  ],
  [
    "ranges over a map by key",
    "{{ range $k, $v := .metadata.annotations }}{{ $k }}:{{ $v }}{{ end }}",
    "example.com/reason:Broken",
  ],
  ["takes the other branch for an empty range", "{{ range .spec.volumes }}x{{ else }}none{{ end }}", "none"],
  [
    "takes one branch of several",
    "{{ if eq .spec.priority 4 }}a{{ else if eq .spec.priority 5 }}b{{ else }}c{{ end }}",
    "b",
  ],
  ["moves the dot with with", "{{ with .metadata }}{{ .name }}{{ end }}{{ with .none }}x{{ else }}y{{ end }}", "weby"],
  ["assigns a variable of an outer block", "{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}", "2"],
  ["keeps a variable inside its block", "{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ end }}{{ $x }}", "1"],
  ["reaches the object through $", "{{ range .spec.containers }}{{ $.metadata.name }}{{ end }}", "webweb"],
  ["passes a value through functions", '{{ .metadata.name | printf "%s-%d" "x" | upper }}', "X-WEB"],
  ["indexes by a key with dots", '{{ index .metadata.annotations "example.com/reason" }}', "Broken"],
  ["chooses the first value that isn't empty", '{{ or .spec.nodeName "" "none" }}', "none"],
  ["takes a missing first value of and as false", "{{ if and .spec.nodeName true }}x{{ else }}y{{ end }}", "y"],
  ["takes the last value of and if all are true", "{{ and true .metadata.name }}", "web"],
  ["takes fields of a group", "{{ (index .spec.containers 1).name }}", "b"],
  ["quotes texts and numbers", "{{ Quote .metadata.name }} {{ .spec.priority | Quote }}", '"web" "5"'],
  ["indents YAML", "x:{{ YAML .metadata.annotations 1 }}", "x:\n  example.com/reason: Broken"],
])("a template of a stage %s", (_, template, expected) => {
  expect(render(template)).toBe(expected);
});

it.each([
  ["{{ index .spec.containers 7 }}", "line 1: index 7 is out of range: the list has 2 items"],
  ["\n{{ $y }}", "line 2: undefined variable $y"],
  ['{{ lt 1 "a" }}', "line 1: 1 and a can't be compared"],
  ["{{ end }}", "line 1: unexpected {{ end }}"],
  ["a\n{{ .a", "line 2: }} is missing"],
  ["{{ (or 1 }}", "line 1: ) is missing"],
  ["{{ .a | }}", "line 1: a value is missing"],
  ["{{ .a % 2 }}", 'line 1: unexpected "% 2 "'],
])("a template of a stage refuses %s", (template, message) => {
  expect(() => render(template)).toThrow(message);
});

it.each([
  [
    "20 ranges within one another",
    `${"{{ range $.spec.containers }}".repeat(20)}x${"{{ end }}".repeat(20)}`,
    "the template has more than 100000 parts to render",
  ],
  [
    "a text that doubles 30 times",
    `{{ $x := "0123456789" }}${'{{ $x = printf "%s%s" $x $x }}'.repeat(30)}{{ $x }}`,
    "a value is larger than 3 MiB",
  ],
  [
    "a list that doubles 40 times",
    `{{ $x := list "a" }}${"{{ $x = list $x $x }}".repeat(40)}{{ len $x }}`,
    "a value is larger than 3 MiB",
  ],
  [
    "a map that doubles 40 times and is compared",
    `{{ $x := dict "a" 1 }}${'{{ $x = dict "a" $x "b" $x }}'.repeat(40)}{{ eq $x $x }}`,
    "a value is larger than 3 MiB",
  ],
  [
    "1,000 times the length of a long text",
    `{{ $x := "0123456789" }}${'{{ $x = printf "%s%s" $x $x }}'.repeat(15)}${"{{ len (upper $x) }}".repeat(1_000)}`,
    "the template reads more than 48 MiB",
  ],
  [
    "10,000 branches within one another",
    `${"{{ if true }}".repeat(10_000)}${"{{ end }}".repeat(10_000)}`,
    "line 1: nested deeper than 100 levels",
  ],
])("a template of a stage refuses %s", (_, template, message) => {
  expect(() => render(template)).toThrow(message);
});
