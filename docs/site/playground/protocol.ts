// Messages between the page of the playground and its two workers.

/** Lines that a program prints. */
export type OutputLevel = "log" | "warn" | "error";

/** Messages of the worker that runs a program. */
export type RunMessage =
  | { readonly type: "print"; readonly level: OutputLevel; readonly text: string }
  | { readonly type: "ended"; readonly ms: number }
  | { readonly type: "failed"; readonly text: string };

/** A mistake in the program, by offset. */
export interface Mistake {
  readonly from: number;
  readonly to: number;
  readonly severity: "error" | "warning" | "info";
  readonly message: string;
}

/** A completion. */
export interface Proposal {
  readonly label: string;
  readonly type: string;
  readonly sortText: string;
}

/** Requests to the worker that knows TypeScript, with their answers. */
export interface LanguageCalls {
  mistakes(text: string): Mistake[];
  complete(text: string, offset: number): Proposal[];
  describe(text: string, offset: number, name: string): string;
  hover(text: string, offset: number): { from: number; to: number; text: string } | undefined;
  /** Returns JavaScript whose imports point to the modules of the site. */
  compile(text: string): string;
}

export type LanguageRequest = {
  readonly [Name in keyof LanguageCalls]: {
    readonly id: number;
    readonly method: Name;
    readonly parameters: Parameters<LanguageCalls[Name]>;
  };
}[keyof LanguageCalls];

export type LanguageAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };
