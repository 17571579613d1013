import { createServer } from "node:http";
import { UsageError } from "../program/command.js";
import { ancestors, programEnd } from "../program/program-end.js";

const help = `Usage: kubestream etcd --listen-client-urls URL [FLAGS]

Stands in for the etcd that envtest starts next to a kube-apiserver. It answers health checks and stores nothing, because
the embedded server keeps its objects in memory. Other flags of etcd are accepted without effect.`;

const listenFlag = "--listen-client-urls";

/** Runs the subcommand until a signal ends it, or the end of the process that started it. */
export async function run(words: readonly string[]): Promise<number> {
  const parents = ancestors();
  if (words.includes("--help") || words.includes("-h")) {
    console.log(help);
    return 0;
  }
  const at = words.indexOf(listenFlag);
  const given =
    at >= 0 ? words[at + 1] : words.find((word) => word.startsWith(`${listenFlag}=`))?.slice(listenFlag.length + 1);
  const servers = (given ?? "http://127.0.0.1:2379").split(",").map((text) => ({ text, url: parseUrl(text) }));
  const listening = servers.map(({ text, url }) => {
    const server = createServer((_, response) => {
      response.setHeader("Content-Type", "application/json");
      response.end('{"health":"true","reason":""}');
    });
    return new Promise<typeof server>((resolve, reject) => {
      server.once("error", (error) => reject(new UsageError(`${listenFlag} ${text}: ${error.message}`)));
      server.listen(Number(url.port || "2379"), url.hostname.replace(/^\[|\]$/g, ""), () => resolve(server));
    });
  });
  const opened = await Promise.all(listening);
  await programEnd(parents, true);
  for (const server of opened) {
    server.close();
    server.closeAllConnections();
  }
  return 0;
}

function parseUrl(text: string): URL {
  if (!URL.canParse(text) || new URL(text).protocol !== "http:")
    throw new UsageError(`${listenFlag} ${text}: must be a URL with http`);
  return new URL(text);
}
