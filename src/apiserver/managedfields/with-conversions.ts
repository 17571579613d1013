import type { ApiObject } from "../objects/api-object.js";

/** Converts an object to another version. */
export type Convert = (object: ApiObject, apiVersion: string) => ApiObject;

class ConversionNeeded extends Error {
  readonly object: ApiObject;
  readonly apiVersion: string;

  constructor(object: ApiObject, apiVersion: string) {
    super(`${apiVersion} is needed`);
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/**
 * Runs synchronous work that needs asynchronous conversions: it restarts whenever it meets an object that isn't
 * converted yet. The work must be deterministic and without side effects. Errors of `convert` are thrown at the point
 * of use.
 */
export async function withConversions<T>(
  convert: (object: ApiObject, apiVersion: string) => Promise<ApiObject>,
  work: (convert: Convert) => T,
): Promise<T> {
  const known = new Map<string, () => ApiObject>();
  const keyOf = (object: ApiObject, apiVersion: string): string => `${apiVersion}\n${JSON.stringify(object)}`;
  for (;;) {
    let needed: ConversionNeeded;
    try {
      return work((object, apiVersion) => {
        const found = known.get(keyOf(object, apiVersion));
        if (found === undefined) throw new ConversionNeeded(object, apiVersion);
        return found();
      });
    } catch (error) {
      if (!(error instanceof ConversionNeeded)) throw error;
      needed = error;
    }
    const { object, apiVersion } = needed;
    known.set(keyOf(object, apiVersion), await outcomeOf(convert(object, apiVersion)));
  }
}

async function outcomeOf(work: Promise<ApiObject>): Promise<() => ApiObject> {
  try {
    const object = await work;
    return () => object;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
