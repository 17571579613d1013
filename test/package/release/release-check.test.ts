import { expect, it } from "vitest";
import { releaseProblems } from "./release-problems.js";

const manifest = {
  version: "0.1.0",
  repository: { type: "git", url: "git+https://git.test/kubestream.git" },
  homepage: "https://kubestream.test",
  bugs: { url: "https://git.test/kubestream/issues" },
};
const ready = {
  manifest,
  templates: manifest,
  changelog: "# Changelog\n\n## 0.1.0 — 2026-11-23\n",
  tag: "v0.1.0",
  changedFiles: [],
};

it("release check accepts a complete manifest, a dated changelog and the right tag", () => {
  expect(releaseProblems(ready)).toEqual([]);
  expect(releaseProblems({ ...ready, tag: undefined })).toEqual([]);
});

it("release check requires repository, homepage and bugs", () => {
  expect(releaseProblems({ ...ready, manifest: { version: "0.1.0" } })).toEqual([
    "package.json: repository is required",
    "package.json: homepage is required",
    "package.json: bugs is required",
  ]);
  expect(releaseProblems({ ...ready, manifest: { ...manifest, homepage: "https://example.com" } })).toEqual([
    'package.json: homepage must be a public https address, not "https://example.com"',
  ]);
  expect(releaseProblems({ ...ready, templates: { version: "0.1.0" } })).toContain(
    "examples/create-kubestream/package.json: repository is required",
  );
});

it("release check requires a dated changelog heading, the matching tag and a clean tree", () => {
  expect(releaseProblems({ ...ready, changelog: "## 0.1.0 — unreleased\n" })).toEqual([
    "CHANGELOG.md: the heading of 0.1.0 needs a date (YYYY-MM-DD)",
  ]);
  expect(releaseProblems({ ...ready, tag: "v0.2.0", changedFiles: [" M README.md"] })).toEqual([
    "tag v0.2.0 doesn't match version 0.1.0",
    "uncommitted changes:  M README.md",
  ]);
});

it("release check requires the same version of create-kubestream", () => {
  expect(releaseProblems({ ...ready, templates: { ...manifest, version: "0.0.9" } })).toEqual([
    "examples/create-kubestream/package.json: version 0.0.9 must be 0.1.0",
  ]);
});
