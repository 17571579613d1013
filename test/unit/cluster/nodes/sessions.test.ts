import { describe, expect, it } from "vitest";
import { listen } from "../../../../src/apiserver/node/listen.js";
import { createCluster } from "../../../../src/cluster/create-cluster.js";
import type { ImageScript, ProcessContext } from "../../../../src/cluster/nodes/containers/images.js";
import { type Container, Event, Pod } from "../../../../src/kinds/core/v1.js";
import { connect } from "../../../../src/node/connection/connect.js";
import { logs } from "../../../../src/streams/logs.js";
import { connectPort } from "../../../../src/streams/port-forward.js";
import { attach, exec } from "../../../../src/streams/remote-command.js";
import { runCommand } from "../../../../src/streams/run-command.js";

const target = { namespace: "default", name: "web" };
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

async function start(image: ImageScript, spec: Partial<Container> = {}) {
  const cluster = await createCluster({ time: "virtual", seed: 1, images: { "web:*": image }, controllers: [] });
  const containers = [{ name: "main", image: "web:1", ...spec }];
  await cluster.client
    .resource(Pod)
    .namespace("default")
    .create({ metadata: { name: "web" }, spec: { containers } });
  await cluster.settled();
  return cluster;
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += decode(chunk);
  return text;
}

describe("exec in a simulated container", () => {
  it("has the variables of a container whose process doesn't need them", async () => {
    await using cluster = await start({}, { env: [{ name: "COLOUR", value: "blue" }] });
    const { stdout } = await runCommand(cluster.client, target, { command: ["sh", "-c", "echo $COLOUR"] });
    expect(decode(stdout)).toBe("blue\n");
  });

  it.each([
    { command: ["echo", "a", "b"], code: 0, stdout: "a b\n", stderr: "" },
    { command: ["/bin/hostname"], code: 0, stdout: "web\n", stderr: "" },
    { command: ["sh", "-c", "echo one; echo two; exit 3"], code: 3, stdout: "one\ntwo\n", stderr: "" },
    { command: ["cat"], input: "text", code: 0, stdout: "text", stderr: "" },
    { command: ["cat", "/etc/hosts"], code: 1, stdout: "", stderr: "cat: /etc/hosts: No such file or directory\n" },
    { command: ["false"], code: 1, stdout: "", stderr: "" },
    {
      command: ["bash"],
      code: 127,
      stdout: "",
      stderr: 'exec failed: unable to start container process: exec: "bash": executable file not found in $PATH\n',
    },
    {
      command: ["/app/run"],
      code: 127,
      stdout: "",
      stderr:
        'exec failed: unable to start container process: exec: "/app/run": stat /app/run: no such file or directory\n',
    },
  ])("runs $command by default", async ({ command, input, code, stdout, stderr }) => {
    await using cluster = await start({});
    const result = await runCommand(cluster.client, target, { command, ...(input !== undefined && { input }) });
    expect({ code: result.code, stdout: decode(result.stdout), stderr: decode(result.stderr) }).toEqual({
      code,
      stdout,
      stderr,
    });
  });

  it.each([
    ["a command", "exec"],
    ["the main process", "run"],
  ] as const)("holds %s back while its client doesn't read", async (_what, part) => {
    const block = new Uint8Array(64 * 1024);
    const blocks = 200;
    let writes = 0;
    let hold = (): void => undefined;
    const held = new Promise<void>((resolve) => (hold = resolve));
    const image: ImageScript = {
      async [part]({ stdin, stdout }: ProcessContext) {
        for await (const _ of stdin) break;
        for (; writes < blocks; writes++) {
          let isWritten = false;
          stdout.write(block);
          const writing = stdout.ready.then(() => (isWritten = true));
          for (let turn = 0; turn < 50 && !isWritten; turn++) await new Promise((resolve) => setImmediate(resolve));
          if (!isWritten) hold();
          await writing;
        }
        hold();
        return 0;
      },
    };
    await using cluster = await start(image, { stdin: true });
    const session = await (part === "run"
      ? attach(cluster.client, target, { stdin: true })
      : exec(cluster.client, target, { command: ["flood"], stdin: true }));
    await session.write("go");
    await held;
    expect(writes).toBeLessThan(blocks / 2);
    let length = 0;
    for await (const chunk of session.stdout) length += chunk.length;
    expect(length).toBe(blocks * block.length);
  });

  it("runs a script with the command, the environment, the input and the size of the terminal", async () => {
    const sizes: unknown[] = [];
    await using cluster = await start(
      {
        async exec({ args, env, stdin, stdout, stderr, tty, onResize }) {
          onResize((size) => sizes.push(size));
          for await (const bytes of stdin) stdout.write(decode(bytes).toUpperCase());
          stderr.write(`${args.join(" ")} ${env["TEAM"]} ${tty}`);
          return 3;
        },
      },
      { env: [{ name: "TEAM", value: "blue" }] },
    );
    const session = await exec(cluster.client, target, { command: ["shell", "-i"], stdin: true, tty: true });
    await session.resize({ width: 80, height: 24 });
    await session.write("hello ");
    await session.end();
    expect(await readAll(session.stdout)).toBe("HELLO shell -i blue true");
    expect(await session.exited).toMatchObject({ code: 3 });
    expect(sizes).toEqual([{ width: 80, height: 24 }]);
  });

  it("aborts the script when the client leaves, and when the container stops", async () => {
    const reasons: unknown[] = [];
    await using cluster = await start({
      exec: ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            reasons.push(signal.reason.message);
            reject(signal.reason as Error);
          }),
        ),
    });
    const left = await exec(cluster.client, target, { command: ["wait"] });
    await cluster.settled();
    await left.close();
    const stopped = await exec(cluster.client, target, { command: ["wait"] });
    await cluster.settled();
    await cluster.pods("").crash({ exitCode: 1 });
    expect(await stopped.exited).toMatchObject({ code: 143 });
    expect(reasons).toEqual(["the client is gone", "the container has ended"]);
  });

  it("fails for a container that isn't running", async () => {
    await using cluster = await start({ pull: "1h" });
    const session = await exec(cluster.client, target, { command: ["true"] });
    await expect(session.exited).rejects.toThrow(
      'Internal error occurred: unable to upgrade connection: container not found ("main")',
    );
  });

  it("fails without a WebSocket, and for a node that is lost", async () => {
    await using cluster = await start({});
    await expect(
      cluster.client.request({
        method: "GET",
        path: "/api/v1/namespaces/default/pods/web/exec",
        query: { command: "true", stdout: true },
      }),
    ).rejects.toThrow("Upgrade request required");
    await cluster.nodes("node-1").partition();
    await expect(exec(cluster.client, target, { command: ["true"] })).rejects.toThrow(
      'no kubelet is reachable on node "node-1"',
    );
  });
});

describe("attach to a simulated container", () => {
  it("connects to the streams of the process until it ends", async () => {
    await using cluster = await start(
      {
        async run({ stdin, stdout, stderr }) {
          for await (const bytes of stdin) {
            stdout.write(`read ${decode(bytes)}\n`);
            if (decode(bytes) === "quit") break;
            stderr.write("more\n");
          }
          return 0;
        },
      },
      { stdin: true },
    );
    const session = await attach(cluster.client, target, { stdin: true });
    await session.write("first");
    await cluster.settled();
    await session.write("quit");
    expect(await readAll(session.stdout)).toBe("read first\nread quit\n");
    expect(await readAll(session.stderr)).toBe("more\n");
    expect(await session.exited).toMatchObject({ code: 0 });
  });

  it("sends the output to several clients and to the log", async () => {
    await using cluster = await start({
      async run({ stdout, stdin, sleep }) {
        for await (const _ of stdin) throw new Error("stdin isn't open");
        await sleep("10s");
        stdout.write("done\n");
        return 0;
      },
    });
    const sessions = await Promise.all([1, 2].map(() => attach(cluster.client, target)));
    await cluster.settled();
    await cluster.advance("10s");
    expect(await Promise.all(sessions.map(({ stdout }) => readAll(stdout)))).toEqual(["done\n", "done\n"]);
    expect(await readAll(await logs(cluster.client, target))).toBe("done\n");
  });
});

describe("port of a simulated container", () => {
  const ports: ImageScript["ports"] = {
    async 6379({ input, write }) {
      for await (const bytes of input) {
        await write(encode(`+${decode(bytes)}`));
        return;
      }
    },
    81: () => {
      throw new Error("broken");
    },
  };

  it("serves a connection", async () => {
    await using cluster = await start({ ports });
    await using connection = await connectPort(cluster.client, target, 6379);
    await connection.write(encode("PING"));
    expect(await readAll(connection.data)).toBe("+PING");
  });

  it.each([
    [80, "failed to connect to localhost:80 inside the pod: connection refused"],
    [81, "broken"],
  ])("reports the failure of port %i to the client", async (port, message) => {
    await using cluster = await start({ ports });
    await using connection = await connectPort(cluster.client, target, port);
    await expect(readAll(connection.data)).rejects.toThrow(message);
  });
});

it("an ephemeral container starts in a running pod and can be attached to", async () => {
  await using cluster = await start({
    async run({ container, stdout, sleep, signal }) {
      while (!signal.aborted) {
        await sleep("1s");
        stdout.write(`${container.name}\n`);
      }
    },
  });
  const ephemeralContainers = [{ name: "debugger", image: "web:debug" }];
  await cluster.client
    .resource(Pod)
    .namespace("default")
    .subresource("ephemeralcontainers")
    .patch("web", { type: "strategic", patch: { spec: { ephemeralContainers } } });
  const pod = await cluster.until(
    Pod,
    "default/web",
    (pod) => pod?.status?.ephemeralContainerStatuses?.[0]?.state?.running !== undefined,
  );
  expect(pod?.status?.ephemeralContainerStatuses?.[0]).toMatchObject({ name: "debugger", image: "web:debug" });
  await cluster.settled();
  const { items } = await cluster.client.resource(Event).namespace("default").list();
  const started = items
    .filter(({ reason }) => reason === "Started")
    .map(({ involvedObject }) => involvedObject.fieldPath);
  expect(started).toEqual(["spec.containers{main}", "spec.ephemeralContainers{debugger}"]);
  const session = await attach(cluster.client, target, { container: "debugger" });
  await cluster.settled();
  await cluster.advance("2s");
  expect(decode((await session.stdout.next()).value as Uint8Array)).toBe("debugger\n");
  await session.close();
});

it("exec, attach and port forwarding work over a real connection", async () => {
  await using cluster = await start(
    {
      async exec({ stdin, stdout }) {
        for await (const bytes of stdin) stdout.write(bytes);
        return 7;
      },
      ports: {
        async 80({ input, write }) {
          await write((await input.next()).value as Uint8Array);
        },
      },
    },
    {},
  );
  await using listener = await listen(cluster.server);
  await using client = await connect({ server: listener.url });
  const input = new Uint8Array(3_000_000).fill(65);
  const result = await runCommand(client, target, { command: ["copy"], input });
  expect(result.code).toBe(7);
  expect(Buffer.compare(result.stdout, input)).toBe(0);
  const session = await attach(client, target);
  await session.close();
  await using connection = await connectPort(client, target, 80);
  await connection.write(encode("ping"));
  expect(await readAll(connection.data)).toBe("ping");
});
