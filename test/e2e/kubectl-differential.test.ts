import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { kubectlSteps } from "../support/kubectl-steps.js";
import type { KubectlServer } from "./kubectl.js";
import { runKubectl, startForKubectl } from "./kubectl.js";
import { findKubectl } from "./real-apiserver.js";

const { kubeconfig, missing } = inject("real");
const kubectl = findKubectl();
const lacks = missing ?? (kubectl === undefined ? "there is no kubectl" : undefined);

/** What differs from server to server, or from run to run, is replaced by its kind. */
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
      // What a real server shows of the change are its own structs, which are not part of the API.
      .replace(/(pod updates may not change fields other than[^\n]*)[\s\S]*(?=exit)/, "$1\n")
      .replace(/\/tmp\/[^ \n]+/g, "<file>")
      .replace(/[ \t]+$/gm, "")
      .replace(/ +/g, " ")
  );
}

/** Kinds and fields of an explanation: the descriptions of built-in kinds are each server's own. */
function outline(text: string): string {
  return text
    .split("\n")
    .filter((line) => /^[A-Z]+:|^ *\S+\t<|^error|^exit/i.test(line))
    .join("\n");
}

/** Removes the patched object, which a real server prints in front of the reason for refusing it. */
function withoutPatchedObject(text: string): string {
  return text.replace(/(patch: Invalid value: )[^]*?(strict decoding error)/g, "$1$2");
}

describe.skipIf(lacks !== undefined)(
  `kubectl tells the same of both servers${lacks === undefined ? "" : ` (skipped: ${lacks})`}`,
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
