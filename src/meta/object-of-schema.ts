/** TypeScript type of a value that a structural schema describes, as far as types can express it. */
export type ValueOfSchema<S> = S extends { readonly nullable: true } ? PlainValue<S> | null : PlainValue<S>;

type PlainValue<S> = S extends { readonly "x-kubernetes-int-or-string": true }
  ? number | string
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly type: "string" }
      ? string
      : S extends { readonly type: "integer" | "number" }
        ? number
        : S extends { readonly type: "boolean" }
          ? boolean
          : S extends { readonly items: infer I }
            ? ValueOfSchema<I>[]
            : S extends { readonly properties: infer P }
              ? Simplify<Properties<P, RequiredOf<S>> & Rest<S>>
              : S extends { readonly additionalProperties: infer A }
                ? Record<string, A extends boolean ? unknown : ValueOfSchema<A>>
                : S extends { readonly type: "object" }
                  ? Record<string, unknown>
                  : unknown;

type RequiredOf<S> = S extends { readonly required: readonly (infer R)[] } ? R : never;

type Properties<P, R> = { -readonly [K in keyof P as K extends R ? K : never]: ValueOfSchema<P[K]> } & {
  -readonly [K in keyof P as K extends R ? never : K]?: ValueOfSchema<P[K]> | undefined;
};

type Rest<S> = S extends { readonly "x-kubernetes-preserve-unknown-fields": true } ? Record<string, unknown> : unknown;

type Simplify<T> = { [K in keyof T]: T[K] };
