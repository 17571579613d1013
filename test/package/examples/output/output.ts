/** Expected output of an example, line by line: a string or a pattern. */
export type Output = readonly (string | RegExp)[];
