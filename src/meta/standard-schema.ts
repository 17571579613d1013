/**
 * The validator interface that zod, valibot, arktype and others implement.
 * @see https://standardschema.dev
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** Properties of the validator. */
  readonly "~standard": {
    /** Version of the interface. */
    readonly version: 1;
    /** Name of the library. */
    readonly vendor: string;
    /** Validates a value. The result has either the value or the issues. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Compile-time only. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** Result of a validation. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One problem with a value. */
export interface StandardIssue {
  /** Description of the problem. */
  readonly message: string;
  /** Path of the invalid value: keys, or objects with a key. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
