import { describe, expect, it } from "vitest";
import { defaultProcess, runCommand } from "../../../../src/cluster/nodes/containers/default-process.js";
import { noInput, runProcess } from "../../../../src/cluster/nodes/containers/process.js";
import { createVirtualClock } from "../../../support/virtual-clock.js";

async function run(args: readonly string[]) {
  const written = { stdout: "", stderr: "" };
  const output = (stream: keyof typeof written) => ({
    write: (data: string | Uint8Array) => void (written[stream] += String(data)),
    ready: Promise.resolve(),
  });
  const code = await runProcess(runCommand, {
    clock: createVirtualClock(Date.UTC(2026, 0, 2, 3, 4, 5)),
    pod: { metadata: { name: "web" } },
    container: { name: "main" },
    args,
    env: { NAME: "a  b", LEVEL: "info" },
    restartCount: 0,
    stdout: output("stdout"),
    stderr: output("stderr"),
    signal: new AbortController().signal,
    ...noInput(),
  });
  return { code, ...written };
}

describe("a shell command of known commands", () => {
  it.each<[string, { stdout?: string; stderr?: string; code?: number }]>([
    ["echo one; echo two\n\necho three", { stdout: "one\ntwo\nthree\n" }],
    ["echo 'no database' >&2; exit 3", { stderr: "no database\n", code: 3 }],
    ["echo The app is running! && sleep 0 && exit 42", { stdout: "The app is running!\n", code: 42 }],
    ["false && echo skipped || echo recovered", { stdout: "recovered\n" }],
    ["true || exit 1; echo on", { stdout: "on\n" }],
    ["cat /missing 2>/dev/null; exit", { code: 1 }],
    ["cat /missing > /dev/null 2>&1", { code: 1 }],
    ["cat /missing 2>&1", { stdout: "cat: /missing: No such file or directory\n", code: 1 }],
    [
      `echo "it's \\"$NAME\\" \\$5" '$NAME' $LEVEL/\${LEVEL}s a\\ b`,
      { stdout: `it's "a  b" $5 $NAME info/infos a b\n` },
    ],
    ['echo "$MISSING" done', { stdout: " done\n" }],
    ["date", { stdout: "Fri Jan  2 03:04:05 UTC 2026\n" }],
    ["env", { stdout: "NAME=a  b\nLEVEL=info\n" }],
  ])("runs %j", async (script, { stdout = "", stderr = "", code = 0 }) => {
    expect(await run(["sh", "-c", script])).toEqual({ stdout, stderr, code });
  });

  it.each([
    "echo $(hostname)",
    "echo `hostname`",
    "echo a | cat",
    "echo a > /tmp/file",
    "sleep 1 &",
    "while true; do sleep 1; done",
    "exit $CODE",
    "env NAME=b ./server",
    "echo 'unfinished",
    "echo a &&",
    "",
  ])("leaves %j, which needs a shell, to a script", async (script) => {
    const container = { name: "main", command: ["sh", "-c", script] };
    expect(defaultProcess({}, container)).toBeUndefined();
    expect(await run(container.command)).toMatchObject({ code: 127 });
  });

  it("knows the variables of its container", () => {
    const command = ["sh", "-c", "echo $(GREETING)"];
    expect(defaultProcess({}, { name: "main", command, env: [{ name: "GREETING", value: "hello" }] })).toBeDefined();
  });
});
