// kubectl's commands that reach into containers, for clusters in this process and those that joined another API server.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packTar, unpackTar } from "modern-tar";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ImageScript, ImageScripts, ProcessContext } from "../../src/cluster/nodes/containers/images.js";
import { type KubectlRun, runKubectl } from "./kubectl.js";

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

/** Creates the image `shell:1`, whose containers have files and can be spoken to. */
export function shellImage(): ImageScripts {
  const files = new Map<string, Uint8Array>();
  const said = new Map<string, (text: string) => void>();
  const commands: Record<string, (process: ProcessContext) => number | Promise<number>> = {
    say({ args, pod }) {
      said.get(pod.metadata!.name!)!(`${args[1]}\n`);
      return 0;
    },
    fail({ stderr }) {
      stderr.write("failing\n");
      return 3;
    },
    async upper({ stdin, stdout }) {
      for await (const chunk of stdin) stdout.write(decode(chunk).toUpperCase());
      return 0;
    },
    test: ({ args }) => (args.at(-1) === "/data" ? 0 : 1),
    async tar({ args, stdin, stdout }) {
      if (args[1]!.startsWith("x") || args[1]!.startsWith("-x")) {
        for (const { header, data } of await unpackTar(await readAll(stdin)))
          files.set(`/data/${header.name}`, data ?? new Uint8Array());
        return 0;
      }
      const name = args.at(-1)!;
      const body = files.get(name);
      if (body === undefined) return 2;
      stdout.write(await packTar([{ header: { name: name.slice(1), size: body.length, type: "file" }, body }]));
      return 0;
    },
  };
  const shell: ImageScript = {
    async run({ args, pod, stdin, stdout, signal }) {
      if (args[0] === "shout") {
        for await (const chunk of stdin) stdout.write(decode(chunk).toUpperCase());
        return;
      }
      if (args[0] === "shout-once") {
        const { value = new Uint8Array() } = await stdin[Symbol.asyncIterator]().next();
        stdout.write(decode(value).toUpperCase());
        return;
      }
      stdout.write("serving\n");
      said.set(pod.metadata!.name!, (text) => stdout.write(text));
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      stdout.write("stopped\n");
    },
    exec: (process) => commands[process.args[0]!]?.(process) ?? 127,
    ports: {
      async 8080({ input, write }) {
        for await (const chunk of input) await write(new TextEncoder().encode(decode(chunk).toUpperCase()));
      },
    },
  };
  return { "shell:*": shell };
}

/** Program and configuration for `describeContainerCommands`. */
export interface KubectlPlace {
  readonly kubectl: string;
  readonly kubeconfig: () => string;
  /** Namespace for the pods. */
  readonly namespace: () => string;
}

/** Defines tests of logs, exec, attach, cp and port-forward for a cluster that has the image of `shellImage`. */
export function describeContainerCommands({ kubectl, kubeconfig, namespace }: KubectlPlace): void {
  let home: string;

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), "kubestream-home-"));
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  const call = (words: readonly string[], input?: string): Promise<KubectlRun> =>
    runKubectl(kubectl, kubeconfig(), home, ["--namespace", namespace(), ...words], input);

  async function run(...words: string[]): Promise<string> {
    const { code, out, err } = await call(words);
    if (code !== 0) throw new Error(`kubectl ${words.join(" ")} ended with ${code}: ${err}${out}`);
    return out;
  }

  /** A kubectl that runs until it's stopped. */
  function start(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const child = spawn(kubectl, ["--namespace", namespace(), ...words], {
      env: { ...process.env, KUBECONFIG: kubeconfig(), HOME: home, ...env },
      timeout: 60_000,
    });
    let text = "";
    let wake: (() => void) | undefined;
    let isOver = false;
    const ended = new Promise<number>((resolve) => child.on("close", (code) => resolve(code ?? -1)));
    const add = (chunk: Buffer): void => {
      text += String(chunk);
      wake?.();
    };
    child.stdout.on("data", add);
    child.stderr.on("data", add);
    void ended.then(() => {
      isOver = true;
      wake?.();
    });
    return {
      ended,
      output: () => text,
      /** Resolves when the output has a match. */
      async shows(pattern: RegExp): Promise<RegExpExecArray> {
        for (;;) {
          const found = pattern.exec(text);
          if (found !== null) return found;
          if (isOver) throw new Error(`kubectl ${words.join(" ")} ended: ${text}`);
          await new Promise<void>((resolve) => (wake = resolve));
        }
      },
      async stop() {
        child.kill();
        await ended;
      },
    };
  }

  async function createShell(name: string): Promise<void> {
    await run("run", name, "--image=shell:1");
    await run("wait", `pod/${name}`, "--for=condition=Ready");
  }

  it("follows the log of a container to its end", async () => {
    await createShell("follow");
    const follow = start(["logs", "-f", "follow"]);
    await follow.shows(/serving/);
    await run("exec", "follow", "--", "say", "hello");
    await follow.shows(/hello/);
    await run("delete", "pod", "follow");
    expect(await follow.ended).toBe(0);
    expect(follow.output()).toBe("serving\nhello\nstopped\n");
  });

  it.each([
    { over: "WebSockets", env: "true" },
    { over: "SPDY", env: "false" },
  ])("runs commands and forwards ports over $over", async ({ over, env }) => {
    const name = `ports-${over.toLowerCase()}`;
    await createShell(name);
    const exec = start(["exec", name, "--", "fail"], { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: env });
    expect(await exec.ended).toBe(3);
    expect(exec.output()).toBe("failing\ncommand terminated with exit code 3\n");
    const forward = start(["port-forward", name, ":8080"], { KUBECTL_PORT_FORWARD_WEBSOCKETS: env });
    const [, port = ""] = await forward.shows(/Forwarding from 127\.0\.0\.1:(\d+)/);
    // Two connections share the tunnel.
    const first = ask(Number(port), "one");
    const second = ask(Number(port), "two");
    expect([await first, await second]).toEqual(["ONE", "TWO"]);
    await forward.stop();
    const refused = start(["port-forward", name, ":9"], { KUBECTL_PORT_FORWARD_WEBSOCKETS: env });
    const [, closed = ""] = await refused.shows(/Forwarding from 127\.0\.0\.1:(\d+)/);
    expect(await ask(Number(closed), "one")).toBe("");
    await refused.shows(/connection refused/);
    await refused.stop();
    await run("delete", "pod", name, "--now");
  });

  it("sends standard input to a command, and copies files to a container and back", async () => {
    await createShell("files");
    expect(await call(["exec", "-i", "files", "--", "upper"], "text")).toMatchObject({ code: 0, out: "TEXT" });
    const [source, copy] = [join(home, "notes.txt"), join(home, "copy.txt")];
    writeFileSync(source, "line\n".repeat(50_000));
    await run("cp", source, "files:/data");
    await run("cp", "files:/data/notes.txt", copy);
    expect(readFileSync(copy, "utf8")).toBe(readFileSync(source, "utf8"));
    await run("delete", "pod", "files", "--now");
  });

  it("attaches to the main process", async () => {
    const words = ["run", "shout", "-i", "--rm", "--restart=Never", "--image=shell:1", "--command", "--", "shout"];
    const { code, out } = await call(words, "attached\n");
    expect(code).toBe(0);
    expect(out).toContain("ATTACHED\n");
  });

  it("attaches to a debug container of a pod, of its copy and of a node", async () => {
    await createShell("broken");
    // kubectl leaves the input of debug containers open.
    const shout = ["-i", "--image=shell:1", "--", "shout-once"];
    expect(await call(["debug", "broken", ...shout], "in the pod\n")).toMatchObject({
      code: 0,
      out: expect.stringContaining("IN THE POD\n"),
    });
    const copied = await call(["debug", "broken", "--copy-to=copy", "--container=debugger", ...shout], "in the copy\n");
    expect(copied).toMatchObject({ code: 0, out: expect.stringContaining("IN THE COPY\n") });
    const node = await run("get", "pod", "broken", "-o", "jsonpath={.spec.nodeName}");
    const onNode = await call(["debug", `node/${node}`, "--profile=general", ...shout], "on the node\n");
    expect(onNode).toMatchObject({ code: 0, out: expect.stringContaining("ON THE NODE\n") });
    await run("delete", "pods", "--all", "--now");
  });

  it("runs a common command of an image without a script", async () => {
    await run("run", "hello", "--image=busybox", "--restart=Never", "--", "echo", "hello");
    await run("wait", "pod/hello", "--for=jsonpath={.status.phase}=Succeeded");
    expect(await run("logs", "hello")).toBe("hello\n");
    await run("delete", "pod", "hello", "--now");
  });
}

/** Sends a text to a local port, and returns the answer. */
function ask(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    socket.on("data", (chunk) => {
      answer += String(chunk);
      if (answer.length >= text.length) socket.end();
    });
    // A connection that ends early has no answer.
    socket.on("error", () => undefined).on("close", () => resolve(answer));
  });
}
