// Finds Chromium, or installs Debian's.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Exit code that the project's checks interpret as "skipped". */
export const skippedCode = 77;

export const flags: readonly string[] = [
  "--headless=new",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--no-first-run",
  "--disable-extensions",
  "--disable-background-networking",
  "--no-proxy-server",
];

function findChromium(): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const onPath = (process.env["PATH"] ?? "").split(":").flatMap((folder) => names.map((name) => join(folder, name)));
  return [process.env["CHROMIUM"], ...onPath].find((file) => file !== undefined && file !== "" && existsSync(file));
}

/** Returns the reason why Chromium could not be installed, or undefined. */
function install(): string | undefined {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return "no Chromium, and none can be installed here";
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  try {
    for (const words of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]])
      execFileSync("apt-get", words, { env: environment, stdio: "ignore", timeout: 240_000 });
    return undefined;
  } catch (error) {
    return `apt-get could not install chromium: ${firstLine(error)}`;
  }
}

/** Returns the reason why the browser can't show a page on this machine, or undefined. */
function unfit(browser: string): string | undefined {
  const profile = mkdtempSync(join(tmpdir(), "kubestream-browser-"));
  try {
    const shown = execFileSync(
      browser,
      [...flags, `--user-data-dir=${profile}`, "--dump-dom", "data:text/html,<p>shown"],
      { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 60_000, killSignal: "SIGKILL" },
    );
    return shown.includes("shown") ? undefined : `${browser} shows no page here`;
  } catch (error) {
    return `${browser} does not run here: ${firstLine(error)}`;
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

function firstLine(error: unknown): string {
  return error instanceof Error ? error.message.split("\n")[0]! : String(error);
}

/** Runs a check with a working Chromium, or reports that it is skipped. Sets the exit code. */
export async function withChromium(check: (browser: string) => Promise<boolean>): Promise<void> {
  let problem = findChromium() === undefined ? install() : undefined;
  const browser = findChromium();
  if (browser === undefined) problem ??= "apt-get installed chromium, but it is not on the PATH";
  else problem = unfit(browser);
  if (problem !== undefined) {
    console.log(`skipped: ${problem}`);
    process.exitCode = skippedCode;
    return;
  }
  console.log(execFileSync(browser!, ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim());
  process.exitCode = (await check(browser!)) ? 0 : 1;
}
