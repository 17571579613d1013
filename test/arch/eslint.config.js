import { fileURLToPath } from "node:url";
import regexp from "eslint-plugin-regexp";
import tsdoc from "eslint-plugin-tsdoc";
import tseslint from "typescript-eslint";

const root = fileURLToPath(new URL("../..", import.meta.url));

const noExports = [
  { selector: "ExportDefaultDeclaration", message: "named exports only" },
  { selector: "ExportAllDeclaration", message: "export by name: the diff of an index.ts is the diff of the API" },
  { selector: "TSEnumDeclaration", message: "use a union of literals" },
  { selector: "TSModuleDeclaration[kind='namespace']", message: "no namespaces" },
  {
    selector: "PropertyDefinition[key.name='__proto__'], Property[key.name='__proto__'][computed=false]",
    message: "never write __proto__",
  },
];

// Each element is an argument, so a list of 100,000 from outside overflows the stack.
const spreadArguments = {
  selector:
    "CallExpression[callee.property.name=/^(push|unshift|splice|concat|max|min|fromCharCode|fromCodePoint)$/] > SpreadElement",
  message: "use pushAll, greatest, least or a loop: a long list overflows the stack",
};

// Searching a list for each of its items is quadratic: 250 kB of distinct words block the server for a second.
const repeatedSearch = {
  selector:
    "BinaryExpression[operator='<'][left.callee.property.name=/^(indexOf|findIndex)$/][right.type='Identifier']",
  message: "use a Set, such as repeats() of checks.ts",
};

const errorClasses = {
  selector: "ThrowStatement > NewExpression[callee.name='Error']",
  message: "throw a class of src/errors, or TypeError/RangeError for misuse",
};

export default tseslint.config(
  { ignores: ["dist/**", "docs/api/**", "src/gen/**", "src/kinds/**", "**/*.cjs", "test/**/data/**", "test/arch/**"] },
  {
    files: ["src/**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: `${root}tsconfig.json` } },
    plugins: { regexp, tsdoc },
    rules: {
      "tsdoc/syntax": "error",
      "no-restricted-syntax": ["error", ...noExports, errorClasses, spreadArguments, repeatedSearch],
      "no-restricted-globals": [
        "error",
        { name: "process", message: "only src/node, src/cli and src/apiserver/node know Node" },
        { name: "Buffer", message: "use Uint8Array" },
        { name: "setTimeout", message: "timers come from internal/clock.ts" },
        { name: "setInterval", message: "timers come from internal/clock.ts" },
        { name: "setImmediate", message: "timers come from internal/clock.ts" },
      ],
      "no-console": "error",
      // A megabyte of one character takes such a pattern minutes. `trimEnd` replaces patterns such as /x+$/.
      "regexp/no-super-linear-backtracking": ["error", { report: "potential" }],
      "regexp/no-super-linear-move": ["error", { report: "potential" }],
      // Constants of a module are camelCase like every other variable. Exported kinds have the name of their type, and
      // INITIAL_EVENTS_END is the public API's only constant in upper case.
      "@typescript-eslint/naming-convention": [
        "error",
        { selector: "variable", modifiers: ["const", "global"], format: ["camelCase"] },
        { selector: "variable", modifiers: ["const", "global", "exported"], format: ["camelCase", "StrictPascalCase"] },
        // Members of a class or module keep their name, such as a constructor's.
        { selector: "variable", modifiers: ["const", "global", "destructured"], format: null },
        { selector: "variable", filter: "^INITIAL_EVENTS_END$", format: null },
      ],
      "prefer-const": ["error", { ignoreReadBeforeAssign: true }],
      // Spreading a string iterates over its code points, which is intended.
      "@typescript-eslint/no-misused-spread": "off",
      // API objects are maps by nature.
      "@typescript-eslint/no-dynamic-delete": "off",
      "@typescript-eslint/no-base-to-string": "off",
      eqeqeq: ["error", "always", { null: "ignore" }],
      "max-lines": ["error", { max: 600, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 100, skipBlankLines: false, skipComments: false }],
      "max-params": ["error", 4],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/consistent-type-imports": [
        "error",
        { fixStyle: "separate-type-imports", disallowTypeAnnotations: false },
      ],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      // An iterator's `next()` and a transport's `send()` must return a promise even if they don't wait.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // Signals reject with whatever reason the caller gave.
      "@typescript-eslint/prefer-promise-reject-errors": "off",
      "@typescript-eslint/only-throw-error": ["error", { allowThrowingUnknown: true }],
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/no-unnecessary-type-arguments": "off",
      // Values from plain JavaScript callers and from servers are checked at run time, whatever the types promise.
      "@typescript-eslint/no-unnecessary-condition": "off",
      // Functions are often taken out of options objects, and few classes use `this`.
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/no-invalid-void-type": "off",
      // The compiler checks indexed access. In loops over bytes, the loop condition checks the bound.
      "@typescript-eslint/no-non-null-assertion": "off",
    },
  },
  {
    // Controllers use what the package exports, and their lists are the parts of one workload.
    files: ["src/cluster/controllers/**/*.ts"],
    rules: { "no-restricted-syntax": ["error", ...noExports, errorClasses] },
  },
  {
    // Default loggers of clients and controllers.
    files: ["src/client/call/warnings.ts", "src/controller/reconcile/controller-log.ts"],
    rules: { "no-console": "off" },
  },
  {
    files: ["src/internal/clock.ts"],
    rules: { "no-restricted-globals": "off" },
  },
  {
    // Decoders pass bytes, start and end by position: a range object would be one more allocation per field.
    files: ["src/codec/{intern,lazy}.ts", "src/codec/{json,protobuf,shared}/*.ts"],
    rules: { "max-params": ["error", 8] },
  },
  {
    files: ["src/node/**/*.ts", "src/certificates/**/*.ts", "src/apiserver/node/**/*.ts"],
    rules: {
      "no-restricted-globals": [
        "error",
        { name: "setTimeout", message: "timers come from internal/clock.ts" },
        { name: "setInterval", message: "timers come from internal/clock.ts" },
      ],
    },
  },
  {
    files: ["src/cli/**/*.ts"],
    rules: { "no-restricted-globals": "off", "no-console": "off" },
  },
  {
    files: ["test/**/*.ts", "examples/**/*.ts", "proto/**/*.ts", "docs/**/*.ts"],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { project: `${root}test/tsconfig.json` } },
    rules: {
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": ["error", { checksVoidReturn: { arguments: false, returns: false } }],
      "no-restricted-syntax": [
        "error",
        {
          selector: "CallExpression[callee.object.name=/^(it|test|describe)$/][callee.property.name='only']",
          message: "no .only",
        },
      ],
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      eqeqeq: ["error", "always", { null: "ignore" }],
    },
  },
  {
    // Type tests declare values for their types.
    files: ["test/types/**/*.ts"],
    rules: { "@typescript-eslint/no-unused-vars": "off" },
  },
);
