import { afterEach, onTestFailed, type TestContext } from "vitest";
import { getCurrentTest } from "vitest/suite";

/**
 * Returns the seed of a random test: that of the environment variable `KUBESTREAM_SEED`, or `usual`. Inside a test, the
 * message of its failure names the seed; outside, that of each test of the file or the group.
 */
export function chooseSeed(usual: number): number {
  const seed = Number(process.env["KUBESTREAM_SEED"] ?? usual);
  const name = ({ task }: Pick<TestContext, "task">): void => {
    for (const error of task.result?.errors ?? []) error.message += ` (KUBESTREAM_SEED=${String(seed)} repeats it)`;
  };
  if (getCurrentTest() === undefined) afterEach(name);
  else onTestFailed(name);
  return seed;
}
