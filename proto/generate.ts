import { generateBootstrap } from "./generate/bootstrap.js";
import { generateDescriptions, loadDocs } from "./generate/docs.js";
import { generateGoTypes } from "./generate/go-types.js";
import { generateKinds } from "./generate/kinds.js";
import { load } from "./generate/load.js";
import { generateOpenApi } from "./generate/openapi.js";
import { Output } from "./generate/output.js";
import { generatePodTemplate } from "./generate/pod-template.js";
import { generateProtobuf } from "./generate/protobuf.js";
import { generateResources } from "./generate/resources.js";

// Run by `npm run generate`; `npm run generate -- --check` writes nothing and fails where a file would change.
const model = load();
const output = new Output();
const docs = loadDocs(model);
generateKinds(model, docs, output);
generateResources(model, output);
generateOpenApi(model, output);
generateDescriptions(docs, output);
generateBootstrap(output);
generateGoTypes(model, output);
generatePodTemplate(output);
await generateProtobuf(output);

const changed = output.finish({ check: process.argv.includes("--check") });
if (process.argv.includes("--check") && changed.length > 0) {
  console.error(`out of date, run "npm run generate":\n${changed.map((path) => `  ${path}`).join("\n")}`);
  process.exitCode = 1;
} else {
  console.log(`${String(output.size)} files, ${String(changed.length)} changed`);
}
