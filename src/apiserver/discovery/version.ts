/** Response to `/version`: the Kubernetes version of the served API. */
export const versionInfo: Readonly<Record<string, string>> = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.3",
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "kubestream",
  platform: "javascript/any",
};
