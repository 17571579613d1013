/** Expected output of an example, line by line: a string or a pattern. Groups with one name stand for the same text. */
export type Output = readonly (string | RegExp)[];
