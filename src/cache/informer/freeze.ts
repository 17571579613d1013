/** Freezes an object recursively, so that code that modifies a shared object throws right there. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key]);
  return value;
}

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
