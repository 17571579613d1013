const { join } = require("node:path");
const parentRules = require("./parent-rules.cjs");
const sizeRules = require("./size-rules.cjs");

// The folder rules of docs/architecture.md: a folder is a layer, and imports only go down. Imports not listed here are forbidden.
const allowed = {
  internal: [],
  gen: [],
  certificates: [],
  meta: ["internal"],
  errors: ["internal", "meta"],
  patch: ["internal", "meta", "errors"],
  transport: ["internal", "meta", "errors"],
  mux: ["internal", "errors", "transport"],
  codec: ["internal", "meta", "errors", "gen"],
  kinds: ["meta"],
  interceptors: ["internal", "meta", "errors", "transport"],
  client: ["internal", "meta", "errors", "patch", "codec", "transport"],
  objects: ["gen", "internal", "meta", "errors", "patch", "kinds", "client"],
  operations: ["internal", "meta", "errors", "kinds", "client", "objects", "cache"],
  discovery: ["internal", "meta", "errors", "client"],
  manifests: ["internal", "meta", "errors", "patch", "client", "objects", "cache", "discovery"],
  fairness: ["internal"],
  flowcontrol: ["internal", "meta", "errors", "client", "fairness"],
  cache: ["internal", "meta", "errors", "codec", "client"],
  streams: ["internal", "meta", "errors", "codec", "transport", "kinds", "client", "cache"],
  controller: ["internal", "meta", "errors", "patch", "client", "cache", "kinds"],
  stores: ["internal", "meta", "errors", "client", "cache", "operations", "kinds"],
  react: ["internal", "meta", "errors", "client", "stores"],
  "react-query": ["meta", "stores"],
  rx: ["internal", "meta", "errors", "client", "cache", "controller"],
  webhook: ["internal", "meta", "errors", "patch"],
  proxy: ["internal", "meta", "errors", "transport", "mux", "interceptors", "client"],
  node: [
    "internal",
    "meta",
    "errors",
    "patch",
    "certificates",
    "codec",
    "transport",
    "kinds",
    "client",
    "cache",
    "streams",
    "controller",
    "webhook",
    "proxy",
  ],
  apiserver: ["internal", "meta", "errors", "certificates", "codec", "gen", "kinds", "fairness"],
  cluster: [
    "internal",
    "meta",
    "errors",
    "patch",
    "transport",
    "codec",
    "kinds",
    "client",
    "objects",
    "operations",
    "discovery",
    "manifests",
    "cache",
    "streams",
    "controller",
    "apiserver",
  ],
};

// Each package is imported in the folders that wrap it, and nowhere else.
const packages = {
  rxjs: ["rx"],
  react: ["react"],
  undici: ["node"],
  ws: ["node", "apiserver/node"],
  "modern-tar": ["node/pods"],
  oauth4webapi: ["node/credentials"],
  "@noble/hashes": ["apiserver/discovery", "cluster/controllers", "fairness"],
  msw: ["apiserver/msw"],
  protobufjs: ["codec/protobuf", "gen/proto"],
  "cbor-x": ["codec/cbor"],
  "fast-json-patch": ["patch"],
  yaml: ["internal"],
  re2js: ["apiserver/internal"],
};

const folderRules = Object.entries(allowed).map(([folder, targets]) => ({
  name: `folder-${folder}`,
  severity: "error",
  from: { path: `^src/${folder}/` },
  to: { path: "^src/", pathNot: [`^src/${folder}/`, ...targets.map((target) => `^src/${target}/`)] },
}));

const packageRules = Object.entries(packages).map(([name, folders]) => ({
  name: `package-${name}`,
  severity: "error",
  from: { path: "^src/", pathNot: folders.map((folder) => `^src/${folder}/`) },
  to: { path: `(^|/)node_modules/${name}/` },
}));

module.exports = {
  forbidden: [
    ...folderRules,
    ...packageRules,
    ...parentRules(join(__dirname, "../..")),
    ...sizeRules(join(__dirname, "../..")),
    { name: "no-cycle", severity: "error", from: {}, to: { circular: true } },
    {
      name: "no-folder-cycle",
      comment: "two rooms never import each other",
      severity: "error",
      scope: "folder",
      from: { path: "^src/" },
      to: { circular: true },
    },
    {
      name: "no-unknown-folder",
      comment: "a new folder under src needs a place in the map",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: ["^src/index[.]ts$", "^src/cli/", ...Object.keys(allowed).map((folder) => `^src/${folder}/`)],
      },
      to: {},
    },
    {
      name: "no-index-import",
      comment: "index files are for users; inside src import the exact file",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "/index[.]ts$", pathNot: "node_modules" },
    },
    {
      name: "node-only-in-adapters",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(node|cli|certificates|apiserver/node)/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "apiserver-adapters-stay-apart",
      comment: "the server itself must load in a browser: only the adapter folders know Node or msw",
      severity: "error",
      from: { path: "^src/apiserver/", pathNot: "^src/apiserver/(node|msw)/" },
      to: { path: "^src/apiserver/(node|msw)/" },
    },
    {
      name: "cli-is-a-leaf",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/cli/" },
      to: { path: "^src/cli/" },
    },
    {
      name: "no-dev-dependency",
      severity: "error",
      from: { path: "^src/" },
      to: {
        dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
        pathNot: "node_modules/(msw|rxjs|react|yaml|@noble|@types)/",
      },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { conditionNames: ["import", "types", "default"], exportsFields: ["exports"] },
  },
};
