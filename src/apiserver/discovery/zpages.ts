import { utf8Encode } from "../../internal/bytes.js";
import { failure } from "../errors/status.js";
import type { Encoding } from "../http/encoding.js";
import type { ServerResponse } from "../http/http.js";
import { encodeObject } from "../wire/encodings.js";
import type { Negotiated } from "../wire/negotiate.js";
import { mediaTypes, negotiate } from "../wire/negotiate.js";
import type { DiscoveryContext } from "./services.js";
import { versionInfo } from "./version.js";

const group = "config.k8s.io";
const binaryVersion = versionInfo["gitVersion"]!.slice(1);
const emulationVersion = `${versionInfo["emulationMajor"]!}.${versionInfo["emulationMinor"]!}`;
const paths = ["/flagz", "/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version"];
const encodings: readonly Encoding[] = ["json", "yaml", "cbor"];

/** One of the two pages. */
interface Page {
  readonly kind: "Statusz" | "Flagz";
  readonly fields: () => Readonly<Record<string, unknown>>;
  readonly lines: () => readonly string[];
}

/** As `Thu Jan  1 00:00:00 UTC 2026`. */
function formatDate(date: Date): string {
  const [day, number, month, year, time] = date.toUTCString().replace(",", "").split(" ");
  return `${day!} ${month!} ${String(Number(number)).padStart(2)} ${time!} UTC ${year!}`;
}

function formatUptime(seconds: number): string {
  return `${Math.floor(seconds / 3600)} hr ${String(Math.floor(seconds / 60) % 60).padStart(2, "0")} min ${String(seconds % 60).padStart(2, "0")} sec`;
}

/** Answers `/statusz` and `/flagz`, whatever the method: as text for people, or as a versioned object for who asks for that; `undefined` for other paths. */
export function zPage(context: DiscoveryContext): ServerResponse | undefined {
  const { services, info } = context;
  const { startedMs } = services.healthCounts;
  const uptime = (): number => Math.max(0, Math.floor((context.nowMs - startedMs) / 1000));
  const started = new Date(startedMs);
  if (info.path === "/statusz") {
    return answer(context, {
      kind: "Statusz",
      fields: () => ({
        startTime: started.toISOString().replace(/\.\d+Z$/, "Z"),
        uptimeSeconds: uptime(),
        goVersion: versionInfo["goVersion"],
        binaryVersion,
        emulationVersion,
        paths,
      }),
      lines: () => [
        "",
        `Started: ${formatDate(started)}`,
        `Up: ${formatUptime(uptime())}`,
        `Go version: ${versionInfo["goVersion"]!}`,
        `Binary version: ${binaryVersion}`,
        `Emulation version: ${emulationVersion}`,
        `Paths: ${paths.join(" ")}`,
      ],
    });
  }
  if (info.path !== "/flagz") return undefined;
  return answer(context, {
    kind: "Flagz",
    fields: () => ({ flags: services.flags }),
    lines: () => Object.entries(services.flags).map(([name, value]) => `${name} ${value}`),
  });
}

/** Whether the client wants text: it says so, takes anything, or says nothing. */
function takesText(accept: string): boolean {
  return (
    accept.trim() === "" ||
    accept.split(",").some((part) => ["text/plain", "text/*", "*/*"].includes(part.split(";")[0]!.trim()))
  );
}

/** The refusal in the encoding that was asked for, if it is one of the page's. */
function notAcceptable(accept: string): ServerResponse {
  const { status } = failure(
    406,
    "NotAcceptable",
    "only the following media types are accepted: application/json, application/yaml, text/plain, application/cbor",
  );
  let negotiated: Negotiated = { encoding: "json", mediaType: mediaTypes.json, pretty: true };
  try {
    negotiated = negotiate(accept, { encodings, transforms: false, watch: false }, false, false);
  } catch {
    // It is told in JSON.
  }
  return {
    status: 406,
    headers: [["Content-Type", negotiated.mediaType]],
    body: encodeObject(negotiated.encoding, status, negotiated.pretty),
  };
}

function answer(context: DiscoveryContext, page: Page): ServerResponse {
  const accept = context.request.header("accept") ?? "";
  for (const part of accept.split(",")) {
    const parameters = new Map(
      part
        .split(";")
        .slice(1)
        .map((each) => each.trim().split("=") as [string, string]),
    );
    const version = parameters.get("v") ?? "";
    if (
      parameters.get("g") !== group ||
      parameters.get("as") !== page.kind ||
      !["v1alpha1", "v1beta1"].includes(version)
    )
      continue;
    const type = part.split(";")[0]!.trim();
    const { encoding, mediaType } = negotiate(type, { encodings, transforms: false, watch: false }, false, false);
    if (version === "v1alpha1")
      context.warn(
        `This version of the ${page.kind.toLowerCase()} endpoint is deprecated. Please use a newer version.`,
      );
    const object = {
      kind: page.kind,
      apiVersion: `${group}/${version}`,
      metadata: { name: "apiserver" },
      ...page.fields(),
    };
    return {
      status: 200,
      headers: [["Content-Type", `${mediaType};g=${group};v=${version};as=${page.kind}`]],
      body: encodeObject(encoding, object, false),
    };
  }
  if (!takesText(accept)) return notAcceptable(accept);
  const text = [
    "",
    `apiserver ${page.kind.toLowerCase()}`,
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.",
    ...page.lines(),
    "",
  ].join("\n");
  return { status: 200, headers: [["Content-Type", "text/plain; charset=utf-8"]], body: utf8Encode(text) };
}
