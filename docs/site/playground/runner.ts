// Worker of the playground: runs one program and sends what it prints. The page ends it to stop the program.
import { format } from "./format.js";
import type { OutputLevel, RunMessage } from "./protocol.js";

const send = (message: RunMessage): void => self.postMessage(message);

const levels: Readonly<Record<"log" | "info" | "debug" | "warn" | "error", OutputLevel>> = {
  log: "log",
  info: "log",
  debug: "log",
  warn: "warn",
  error: "error",
};
for (const [name, level] of Object.entries(levels))
  console[name as keyof typeof levels] = (...values: unknown[]) =>
    send({ type: "print", level, text: values.map((value) => format(value)).join(" ") });

const fail = (error: unknown): void => send({ type: "failed", text: format(error) });
self.addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  fail(event.reason);
});
self.addEventListener("error", (event) => {
  event.preventDefault();
  fail(event.error ?? event.message);
});

self.onmessage = async ({ data }: MessageEvent<string>): Promise<void> => {
  const url = URL.createObjectURL(new Blob([data], { type: "text/javascript" }));
  const begin = performance.now();
  try {
    await import(url);
    send({ type: "ended", ms: performance.now() - begin });
  } catch (error) {
    fail(error);
  } finally {
    URL.revokeObjectURL(url);
  }
};
