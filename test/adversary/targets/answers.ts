import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { systemClock } from "../../../src/internal/clock.js";
import type { CredentialSource } from "../../../src/node/credentials/credential.js";
import { createExecCredential } from "../../../src/node/credentials/exec-credential.js";
import { createOidcCredential } from "../../../src/node/credentials/oidc.js";
import { gunzip } from "../../../src/node/transport/gunzip.js";
import type { Frame, Vocabulary } from "../shapes.js";
import type { Target } from "../target.js";
import { jsonWords, yamlWords } from "../vocabularies.js";

const caller = { signal: new AbortController().signal };
const base64 = (value: string): string => Buffer.from(value, "latin1").toString("base64url");
const idToken = `${base64('{"alg":"RS256"}')}.${base64('{"iss":"ISSUER","aud":"a","sub":"b","exp":4102444800,"iat":1}')}.AAAA`;

/** Stands for the origin of the provider, whose port is known when it listens. */
const issuerMark = /ISSUER/g;
const discovery = '{"issuer":"ISSUER","token_endpoint":"ISSUER/token","jwks_uri":"ISSUER/keys"}';
const discoveryWords = jsonWords([
  ['{"issuer":"ISSUER","token_endpoint":"ISSUER/token","token_endpoint_auth_methods_supported":[', "]}"],
  ['{"issuer":"ISSUER","token_endpoint":"', '"}'],
  ['{"issuer":"ISSUER","token_endpoint":', "}"],
  ['{"issuer":"', '"}'],
  ['{"issuer":"ISSUER",', "}"],
]);
const tokenWords = jsonWords([
  [`{"access_token":"a","token_type":"bearer","id_token":"${base64('{"alg":"RS256"}')}.`, '.AAAA"}'],
  ['{"access_token":"a","token_type":"bearer","id_token":"', '"}'],
  [`{"access_token":"a","token_type":"bearer","id_token":"${idToken}","scope":`, "}"],
  [`{"access_token":"a","token_type":"bearer","id_token":"${idToken}",`, "}"],
  ['{"error":"invalid_grant","error_description":', "}"],
]);
const tokenValues: Vocabulary["values"] = [".", "a", base64("[".repeat(3_000)), base64('{"aud":["a","a"]}'), "AAAA"];

const answeredToken = `{"access_token":"a","token_type":"bearer","id_token":"${idToken}"}`;

/** Provider whose answer to one of the two requests of a refresh is hostile. */
function oidcTarget(path: "/.well-known/openid-configuration" | "/token", vocabulary: Vocabulary): Target {
  const provider = createServer();
  let source: CredentialSource | undefined;
  return {
    vocabulary,
    // The text is decoded, parsed by the platform, and copied by the test's provider, in two requests.
    wellFormed: (bytes) => (path === "/token" ? answeredToken : discovery).padEnd(bytes),
    async prepare({ bytes }) {
      await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
      const issuer = `http://127.0.0.1:${String((provider.address() as AddressInfo).port)}`;
      const answer = Buffer.from(Buffer.from(bytes).toString("latin1").replace(issuerMark, issuer), "latin1");
      provider.removeAllListeners("request").on("request", (request, response) => {
        request.resume();
        response.setHeader("content-type", "application/json");
        response.end(request.url === path ? answer : discovery.replace(issuerMark, issuer));
      });
      const config = { "idp-issuer-url": issuer, "client-id": "a", "refresh-token": "r", "client-secret": "s" };
      source = createOidcCredential(
        { where: "user", name: "oidc", config },
        { where: "user", file: "none" },
        { env: {}, clock: systemClock, persist: false },
      );
      return () => source!.current(caller);
    },
    async cleanUp() {
      await source?.close?.();
      provider.closeAllConnections();
      await new Promise((resolve) => provider.close(resolve));
    },
  };
}

const member = (content: string): string => gzipSync(Buffer.from(content, "latin1")).toString("latin1");
const zipped = member('{"kind":"PodList","items":[]}');
const bomb = member("\0".repeat(1024 * 1024));
const gzipHead = "\x1f\x8b\x08\0\0\0\0\0\0\xff";
/** Last block of deflate data that stores bytes as they are. */
const stored = (content: string): string => {
  const length = Buffer.alloc(4);
  length.writeUInt16LE(content.length);
  length.writeUInt16LE(content.length ^ 0xffff, 2);
  return length.toString("latin1") + content;
};
const gzipWords: Vocabulary = {
  frames: [
    ["", ""],
    [gzipHead, ""],
    ["\x1f\x8b\x08\x18\0\0\0\0\0\xff", ""],
    [bomb.slice(0, -8), bomb.slice(-8)],
  ],
  pairs: [],
  values: [
    ...[zipped, bomb, member(""), `\0${stored("")}`, `\0${stored("x".repeat(500))}`, "\x03\0", "x".repeat(300)],
    (at) => member(`v${String(at)}`),
  ],
  junk: ["\0", "\x1f\x8b", gzipHead, zipped.slice(0, -4), "\x07", `${zipped.slice(0, -1)}\xff`],
  joints: [""],
  announcements: [(count) => `\0${String.fromCharCode(count & 255, (count >> 8) & 255)}`],
};

const pluginFrames: readonly Frame[] = [
  ["apiVersion: client.authentication.k8s.io/v1\nkind: ExecCredential\nstatus:\n  token: ", "\n"],
  ["apiVersion: client.authentication.k8s.io/v1\nkind: ExecCredential\nstatus:\n  token: t\n  a: {", "}\n", "members"],
];
const plugin = '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":';
const certificate = "-----BEGIN CERTIFICATE-----\\n";
const pluginWords = jsonWords([
  [`${plugin}{"token":"t","a":`, "}}"],
  [`${plugin}{"token":"`, '"}}'],
  [`${plugin}{"expirationTimestamp":"`, '","token":"t"}}'],
  [`${plugin}{"clientCertificateData":"${certificate}`, '","clientKeyData":"k"}}'],
  [`${plugin}`, "}"],
]);

/** Plugin that prints hostile output. Its own work isn't part of the measurement. */
function pluginTarget(target: Pick<Target, "vocabulary" | "maxBytes">): Target {
  let folder: string | undefined;
  let source: CredentialSource | undefined;
  return {
    ...target,
    async prepare({ bytes }) {
      folder = await mkdtemp(join(tmpdir(), "kubestream-plugin-"));
      const file = join(folder, "output");
      await writeFile(file, bytes);
      source = createExecCredential(
        {
          where: "user.exec",
          command: "cat",
          args: [file],
          env: [],
          apiVersion: "client.authentication.k8s.io/v1",
          provideClusterInfo: false,
          interactiveMode: "Never",
        },
        {
          server: new URL("https://127.0.0.1"),
          where: "cluster",
          insecureSkipTlsVerify: false,
          disableCompression: false,
          user: { where: "user", file: "none" },
        },
        { env: process.env, clock: systemClock, settings: { execStderr: "ignore" } },
      );
      return () => source!.current(caller);
    },
    async cleanUp() {
      await source?.close?.();
      if (folder !== undefined) await rm(folder, { recursive: true });
    },
  };
}

/** Answers to the client from other places than an API server: OIDC providers, plugins, compressed bodies. */
export const answers: Record<string, Target> = {
  "oidc-discovery": oidcTarget("/.well-known/openid-configuration", discoveryWords),
  "oidc-token": oidcTarget("/token", { ...tokenWords, values: [...tokenWords.values, ...tokenValues] }),
  gunzip: {
    chunked: true,
    // 64 MiB may come out of any input, however short.
    wellFormed: () => member("\0".repeat(64 * 1024 * 1024)),
    vocabulary: gzipWords,
    prepare:
      ({ chunks }) =>
      async () => {
        for await (const chunk of gunzip(inChunks(chunks))) void chunk;
      },
  },
  "exec-output": pluginTarget({ vocabulary: pluginWords }),
  "exec-output-yaml": pluginTarget({ vocabulary: yamlWords(pluginFrames) }),
};

async function* inChunks(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
