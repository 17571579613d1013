// Run commands in a container: collect the output, or talk to a shell.
import { connect } from "kubestream/node";
import { exec, runCommand } from "kubestream/streams";

const client = await connect();
const pod = { namespace: "web", name: "pod-0" };
const decoder = new TextDecoder();

// Like `kubectl exec pod-0 -- tr a-z A-Z`, with standard input.
const upper = await runCommand(client, pod, { command: ["tr", "a-z", "A-Z"], input: "hello\n" });
console.log("tr:", upper.code, decoder.decode(upper.stdout).trim());

const failed = await runCommand(client, pod, { command: ["sh", "-c", "echo oops >&2; exit 3"] });
console.log("sh:", failed.code, decoder.decode(failed.stderr).trim());

// A session with a shell. For a terminal add `tty: true`, which merges the outputs, and call `resize`.
const shell = await exec(client, pod, { command: ["sh"], stdin: true, stderr: false });
await shell.write("echo one\necho two\nexit 4\n");
let output = "";
for await (const chunk of shell.stdout) output += decoder.decode(chunk, { stream: true });
console.log("shell:", output.trim().split("\n"), (await shell.exited).code);
await client.close();
