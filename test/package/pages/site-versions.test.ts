import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { compareVersions, writeVersions } from "../../../docs/site/versions.js";

/** Makes a folder with the given versions of the site. */
function siteWith(versions: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "kubestream-site-"));
  for (const version of versions) {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, "index.html"), "");
  }
  return folder;
}

it("the site's versions are sorted from the newest to the oldest", () => {
  const sorted = ["10.0.0", "2.0.0", "2.0.0-rc.10", "2.0.0-rc.2", "1.10.0", "1.9.3", "1.9.0"];
  expect([...sorted].reverse().sort(compareVersions)).toEqual(sorted);
});

it.each([
  { versions: ["0.1.0"], latest: "0.1.0" },
  { versions: ["1.0.0-rc.1", "0.9.0"], latest: "0.9.0" },
  { versions: ["1.0.0-rc.2", "1.0.0-rc.1"], latest: "1.0.0-rc.2" },
])("the site's start page leads from $versions to $latest", ({ versions, latest }) => {
  const folder = siteWith(versions);
  mkdirSync(join(folder, "assets"));
  expect(writeVersions(folder)).toEqual(versions);
  expect(JSON.parse(readFileSync(join(folder, "versions.json"), "utf8"))).toEqual(versions);
  expect(readFileSync(join(folder, "index.html"), "utf8")).toContain(`url=${latest}/"`);
});
