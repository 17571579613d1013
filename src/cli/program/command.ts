/** Subcommand of the `kubestream` program. Its code is loaded when it's called. */
export interface Command {
  /** Summary for the overview, on one line. */
  readonly summary: string;
  /** Loads the subcommand's module. */
  readonly load: () => Promise<CommandModule>;
}

/** Exports of a subcommand's module. */
export interface CommandModule {
  /** Runs the subcommand with its arguments. Resolves with the exit code. */
  readonly run: (words: readonly string[]) => Promise<number>;
}

/** Invalid command line. The program prints the message without a stack and exits with code 2. */
export class UsageError extends Error {
  /** Name of the class. */
  override readonly name: string = "UsageError";
}
