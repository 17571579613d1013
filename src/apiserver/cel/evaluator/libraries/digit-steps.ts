const digitsPerStep = 100;

/** Returns the steps that calculating with the number in a text takes. */
export function digitSteps({ length }: string): number {
  return Math.floor(length / digitsPerStep) ** 2;
}
