/** State of the repository before a release. */
export interface Release {
  /** Contents of package.json. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Contents of the package.json of create-kubestream, which is published with it. */
  readonly templates: Readonly<Record<string, unknown>>;
  /** Text of CHANGELOG.md. */
  readonly changelog: string;
  /** Tag of the release, if it exists already. */
  readonly tag: string | undefined;
  /** Lines of `git status --porcelain`. */
  readonly changedFiles: readonly string[];
}

/** Returns the reasons against publishing, one sentence each. The array is empty if all is ready. */
export function releaseProblems({ manifest, templates, changelog, tag, changedFiles }: Release): string[] {
  const problems = [
    ...addressProblems("package.json", manifest),
    ...addressProblems("examples/create-kubestream/package.json", templates),
  ];
  const version = String(manifest["version"]);
  if (templates["version"] !== version)
    problems.push(
      `examples/create-kubestream/package.json: version ${String(templates["version"])} must be ${version}`,
    );
  if (!/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/.test(version))
    problems.push(`package.json: version ${version} is not semver`);
  const [, newest = "", date = ""] = /^## (\S+) — (.+)$/m.exec(changelog) ?? [];
  if (newest !== version)
    problems.push(`CHANGELOG.md: the newest heading is ${newest || "missing"}, expected ${version}`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date))
    problems.push(`CHANGELOG.md: the heading of ${version} needs a date (YYYY-MM-DD)`);
  if (tag !== undefined && tag !== `v${version}`) problems.push(`tag ${tag} doesn't match version ${version}`);
  if (changedFiles.length > 0) problems.push(`uncommitted changes: ${changedFiles.slice(0, 5).join(", ")}`);
  return problems;
}

function addressProblems(file: string, manifest: Readonly<Record<string, unknown>>): string[] {
  const problems: string[] = [];
  for (const [field, pattern] of [
    ["repository", /^git\+https:\/\/[^/]+\/.+/],
    ["homepage", /^https:\/\/[^/]+/],
    ["bugs", /^https:\/\/[^/]+/],
  ] as const) {
    const value = manifest[field];
    const url = typeof value === "object" && value !== null ? (value as { url?: unknown }).url : value;
    if (url === undefined) problems.push(`${file}: ${field} is required`);
    else if (typeof url !== "string" || !pattern.test(url) || /example\.(?:com|org|net)/.test(url))
      problems.push(`${file}: ${field} must be a public https address, not ${JSON.stringify(url)}`);
  }
  return problems;
}
