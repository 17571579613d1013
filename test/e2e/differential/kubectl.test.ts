import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { kubectlSteps } from "../../support/kubectl-steps.js";
import type { KubectlServer } from "../kubectl.js";
import { runKubectl, startForKubectl } from "../kubectl.js";
import { findKubectl } from "../real-apiserver.js";

const { kubeconfig, missing } = inject("real");
const kubectl = findKubectl();
const lacks = missing ?? (kubectl === undefined ? "there is no kubectl" : undefined);

/** Replaces values that differ between servers or runs with placeholders. */
function neutral(text: string): string {
  return (
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
      .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z| [+-]\d{4} [A-Z]+)?/g, "<time>")
      .replace(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "<time>")
      .replace(/https?:\/\/(127\.0\.0\.1|localhost):\d+/g, "<server>")
      .replace(/(resourceVersion"?: "?)\d+/g, "$1<version>")
      .replace(/(Resource Version: +)\d+/g, "$1<version>")
      .replace(/\b10\.\d+\.\d+\.\d+\b/g, "<address>")
      .replace(/(nodePort"?: |NodePort: +\S+ +|80:)3\d{4}/g, "$1<port>")
      .replace(/<(unknown|invalid)>|\b\d+(m?s|m\d*s?|h)\b/g, "<age>")
      .replace(/"(gitCommit|gitTreeState|buildDate|goVersion|compiler|platform)": "[^"]*"/g, "")
      .replace(/resourceVersion\\":\\"\d+/g, "<version>")
      // A real server prints its own Go structs here, which aren't part of the API.
      .replace(/(pod updates may not change fields other than[^\n]*)[\s\S]*(?=exit)/, "$1\n")
      .replace(/\/tmp\/[^ \n]+/g, "<file>")
      .replace(/[ \t]+$/gm, "")
      .replace(/ +/g, " ")
  );
}

/** Keeps the kinds and fields of an explanation. Descriptions of built-in kinds differ between servers. */
function outline(text: string): string {
  return text
    .split("\n")
    .filter((line) => /^[A-Z]+:|^ *\S+\t<|^error|^exit/i.test(line))
    .join("\n");
}

/** Removes the patched object, which a real server prints before the reason for the refusal. */
function withoutPatchedObject(text: string): string {
  return text.replace(/(patch: Invalid value: )[^]*?(strict decoding error)/g, "$1$2");
}

describe.skipIf(lacks !== undefined)(
  `kubectl prints the same for both servers${lacks === undefined ? "" : ` (skipped: ${lacks})`}`,
  () => {
    let own: KubectlServer;

    async function run(config: string, words: readonly string[], input: string | undefined): Promise<string> {
      const { code, out, err } = await runKubectl(
        kubectl!,
        config,
        join(own.folder, config === kubeconfig ? "real" : "own"),
        words,
        input,
      );
      return neutral(`${out}${err}exit ${String(code)}`);
    }

    beforeAll(async () => {
      own = await startForKubectl(false);
    });

    afterAll(() => own?.close());

    it.each(kubectlSteps.map((step) => [step.words.join(" "), step] as const))(
      "kubectl %s",
      async (_name, { words, input }) => {
        const shown = words.includes("explain") ? outline : withoutPatchedObject;
        const [real, ours] = await Promise.all(
          [kubeconfig!, own.kubeconfig].map((config) => run(config, words, input)),
        );
        expect(shown(ours!)).toBe(shown(real!));
      },
      180_000,
    );
  },
);
