/** Freezes an object and all it holds, so that whoever changes a shared object is told at once. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key]);
  return value;
}

/** Whether the program runs under `NODE_ENV=development` or `NODE_ENV=test`. Always false where there is no such thing. */
export function isDevelopment(): boolean {
  const environment = (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[
    "NODE_ENV"
  ];
  return environment === "development" || environment === "test";
}
