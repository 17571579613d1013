import { utf8Encode } from "../../internal/bytes.js";
import type { ServerResponse } from "../http/http.js";
import { textResponse } from "../http/http.js";
import type { DiscoveryContext } from "./services.js";

const profiles = [
  "allocs",
  "block",
  "cmdline",
  "goroutine",
  "heap",
  "mutex",
  "profile",
  "symbol",
  "threadcreate",
  "trace",
];

const index = `<html>
<head>
<title>/debug/pprof/</title>
</head>
<body>
/debug/pprof/
<table>
<thead><td>Count</td><td>Profile</td></thead>
${profiles.map((name) => `<tr><td>0</td><td><a href='${name}?debug=1'>${name}</a></td></tr>`).join("\n")}
</table>
</body>
</html>
`;

/** Answers `/debug/pprof/` with the index that profilers look for, and what is below it as unknown: nothing of Go runs here. `undefined` for other paths. */
export function profileDocument({ info, request }: DiscoveryContext): ServerResponse | undefined {
  if (info.path === "/debug/flags/v" && request.method !== "PUT") {
    const { status, headers, body } = textResponse(406, "unsupported http method\n");
    return {
      status,
      headers: headers.map(([name, value]) => [name, name === "Content-Type" ? "text/plain" : value]),
      body,
    };
  }
  if (info.path === "/debug/pprof" && request.method !== "GET" && request.method !== "HEAD")
    return { status: 302, headers: [["Location", "/debug/pprof/"]], body: undefined };
  if (info.path === "/debug/pprof")
    return {
      status: 302,
      headers: [
        ["Location", "/debug/pprof/"],
        ["Content-Type", "text/html; charset=utf-8"],
      ],
      body: utf8Encode('<a href="/debug/pprof/">Found</a>.\n\n'),
    };
  if (info.path === "/debug/pprof/")
    return {
      status: 200,
      headers: [
        ["X-Content-Type-Options", "nosniff"],
        ["Content-Type", "text/html; charset=utf-8"],
      ],
      body: utf8Encode(index),
    };
  return info.path.startsWith("/debug/pprof/") ? textResponse(404, "Unknown profile\n") : undefined;
}
