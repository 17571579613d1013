/**
 * Returns true under `NODE_ENV=development` or `NODE_ENV=test`; false elsewhere, including runtimes without
 * `process.env`.
 */
export function isDevelopment(): boolean {
  const environment = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[
    "NODE_ENV"
  ];
  return environment === "development" || environment === "test";
}
