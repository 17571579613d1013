import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Tests may name the package as its users do; it is then the source, not a build. */
const alias = [
  { find: /^kubestream\/kinds\/(.+)$/, replacement: `${root}src/kinds/$1.ts` },
  { find: /^kubestream\/(.+)$/, replacement: `${root}src/$1/index.ts` },
  { find: /^kubestream$/, replacement: `${root}src/index.ts` },
];

/**
 * Suites that take too long for `npm test`, such as recorded, simulated and created projects, or that replace modules,
 * which files of one process share: `npm run test:long`.
 */
const longTests = "test/**/*.long.test.ts";

/**
 * Starts the files that take half a minute first. In a fresh clone, where no run has measured them, one of them would
 * start when the others have ended.
 */
class LongestFirst extends BaseSequencer {
  static readonly #longest = [
    "test/package/examples/examples.long.test.ts",
    "test/package/program.test.ts",
    "test/scenarios/embedded.test.ts",
  ];

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = ({ moduleId }: TestSpecification): number =>
      LongestFirst.#longest.some((name) => moduleId.endsWith(name)) ? 0 : 1;
    return (await super.sort(files)).sort((a, b) => a.project.name.localeCompare(b.project.name) || rest(a) - rest(b));
  }
}

/** Time after which `expect.poll` gives up. The default, a second, is too short for a busy machine. */
const expect = { poll: { timeout: 30_000 } };

/** Settings for tests of the sources. The limits end what hangs; they say nothing of how fast a machine is. */
const ofSources = { testTimeout: 90_000, hookTimeout: 90_000, expect };

/** Settings for tests that run the packed package. */
const ofPackage = {
  globalSetup: ["test/package/global-setup.ts"],
  setupFiles: ["test/setup/no-leaks.ts"],
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect,
};

export default defineConfig({
  root,
  test: {
    // The default leaves one processor idle, which on two is half of them.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    reporters: process.env["CI"] === undefined ? ["default"] : ["dot"],
    projects: [
      {
        resolve: { alias },
        test: {
          name: "unit",
          root,
          include: [
            "test/unit/**/*.test.ts",
            "test/scenarios/**/*.test.ts",
            "test/adversary/**/*.test.ts",
            "test/golden/**/*.test.ts",
            "test/examples/**/*.test.ts",
            "test/setup/**/*.test.ts",
            "examples/**/*.test.ts",
          ],
          exclude: [longTests],
          // Loading the sources for each file took as long as the tests themselves.
          isolate: false,
          setupFiles: ["test/setup/no-leaks.ts"],
          ...ofSources,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "long",
          root,
          include: [longTests],
          exclude: ["test/package/**"],
          setupFiles: ["test/setup/no-leaks.ts"],
          ...ofSources,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "package",
          root,
          include: ["test/package/**/*.test.ts"],
          exclude: [longTests],
          ...ofPackage,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "package-long",
          root,
          include: ["test/package/**/*.long.test.ts"],
          ...ofPackage,
        },
      },
      {
        resolve: { alias },
        test: {
          name: "e2e",
          root,
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/e2e/global-setup.ts"],
          setupFiles: ["test/setup/no-leaks.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect,
          fileParallelism: false,
        },
      },
    ],
  },
});
