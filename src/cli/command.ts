/** One subcommand of the `kubestream` program, loaded only when it is called. */
export interface Command {
  /** One line for the overview. */
  readonly summary: string;
  /** Loads the code of the subcommand. */
  readonly load: () => Promise<CommandModule>;
}

/** What the file of a subcommand exports. */
export interface CommandModule {
  /** Runs with the words after the subcommand's name; resolves with the exit code. */
  readonly run: (words: readonly string[]) => Promise<number>;
}

/** Words on the command line that make no sense: the message is shown without a stack, and the exit code is 2. */
export class UsageError extends Error {
  /** Name of the class. */
  override readonly name: string = "UsageError";
}
