import tseslint from 'typescript-eslint';

/** Folders whose functions depend on nothing but their arguments. */
const pure = [
  'harness/core/results/**',
  'harness/core/model/**',

  'harness/core/plan/**',
  'harness/core/analysis/**',

  'reports/*.ts',
  'reports/{client,html,sections,wording}/**',
];

const impureGlobals = [
  'Date',
  'process',
  'console',
  'setTimeout',
  'setInterval',
  'performance',
  'fetch',
];

/** A heavy library is named in one place, which loads it only when used. */
const homes = {
  playwright: ['drivers/playwright/playwright.ts', 'harness/lab/**'],
  puppeteer: ['drivers/puppeteer/puppeteer.ts'],
  'puppeteer-core': ['drivers/puppeteer/puppeteer.ts'],
  webdriverio: ['drivers/shared/w3c-session.ts'],
  sqlite3: ['harness/core/store/**'],
  fastify: ['harness/core/http-server.ts'],
  '@observablehq/plot': ['reports/html/**'],
  linkedom: ['reports/html/**', 'reports/golden/markup.ts'],
  nodemailer: ['harness/features/nights/channels.ts'],
  '@peculiar/x509': ['harness/core/app/tls/authority.ts'],
};

/** Programs that a runtime.js starts or needs, and no browser loads. */
const programs = ['server', 'server-process', 'pool-threads', 'load-ab', 'load-autocannon'].map(
  (name) => `pages/password-server/${name}.js`,
);

/** Refused everywhere but in configurations. */
const refusedSyntax = [
  {
    selector: 'ObjectExpression > SpreadElement > ObjectExpression',
    message: 'Write the properties themselves: a spread of them only hides lines.',
  },
  {
    selector: 'ExportDefaultDeclaration',
    message: 'No default exports: a name is the same everywhere.',
  },
  {
    selector: 'CatchClause[body.body.length=0]',
    message:
      'A failure that is swallowed becomes a wrong number: say why it may be ignored, in code.',
  },
];

const banned = (names) => ({
  'no-restricted-imports': [
    'error',
    {
      paths: names.map((name) => ({
        name,
        allowTypeImports: true,
        message: `Only ${homes[name].join(', ')} may import ${name}.`,
      })),
    },
  ],
});

export default tseslint.config(
  {
    ignores: [
      'dist/**',
      'reports/out/**',
      'node_modules/**',
      '.farm/**',
      'test-results/**',
      // `npm run schema` makes it.
      'pages/kit/guest-head.min.js',
      // Unchanged files of npm packages.
      'pages/vendor/*/**',
      // Made by Emscripten: see native/README.md next to it.
      'pages/thread-start/emscripten/**',
    ],
  },
  ...tseslint.configs.strict,
  {
    rules: {
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 12],
      'max-params': ['error', 4],
      'no-restricted-syntax': ['error', ...refusedSyntax],
      'no-console': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
    },
  },
  { files: ['*.config.{js,ts}', 'examples/*.config.js'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['**/*.cjs'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
    languageOptions: { globals: { module: 'writable', require: 'readonly' } },
  },
  {
    files: ['harness/core/cli/**', 'harness/main.ts', 'harness/lab/**', 'examples/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: pure,
    ignores: ['**/*.test.ts', '**/*.e2e.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...impureGlobals.map((name) => ({
          name,
          message: 'This folder is pure: take it as an argument.',
        })),
      ],
      'no-restricted-properties': [
        'error',
        {
          object: 'Math',
          property: 'random',
          message: 'This folder is pure: take a seeded generator.',
        },
      ],
    },
  },
  {
    files: ['reports/**/*.ts', 'harness/core/server/**/*.ts'],
    ignores: ['**/*.test.ts', '**/*.e2e.ts', 'reports/golden/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...refusedSyntax,
        {
          selector: String.raw`TemplateElement[value.raw=/addEventListener|document\./]`,
          message:
            'No compiler and no linter sees a script in a string: put it into reports/client/.',
        },
      ],
    },
  },
  {
    files: ['harness/core/setup/**/*.ts'],
    ignores: ['**/*.test.ts', 'harness/core/setup/ask-program.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...refusedSyntax,
        {
          selector: `:matches(ImportDeclaration, ImportExpression)[source.value=/^(execa|(node:)?child_process)$/]`,
          message:
            'A program would get the whole environment, secrets too: use askProgram or runInstaller.',
        },
      ],
    },
  },
  {
    files: ['pages/**/*.js'],
    ignores: [
      'pages/*/runtime.js',
      'pages/*/program.js',
      'pages/kit/bridge.js',
      'pages/kit/shell-bridge.js',
      'pages/kit/started-program.js',
      ...programs,
    ],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['process', 'Buffer', 'global', 'require', 'setImmediate'].map((name) => ({
          name,
          message: 'Browsers do not have it: use it in a runtime.js beside this file.',
        })),
      ],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(?!\\.)',
              message:
                'Browsers load files of pages/ alone: import it in a runtime.js beside this file.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['harness/**/*.ts', 'drivers/**/*.ts', 'reports/**/*.ts'],
    ignores: ['**/*.test.ts', '**/*.e2e.ts'],
    rules: banned(Object.keys(homes)),
  },
  ...Object.keys(homes).map((name) => ({
    files: homes[name],
    rules: banned(
      Object.keys(homes).filter(
        (other) => !homes[other].some((home) => homes[name].includes(home)),
      ),
    ),
  })),
  {
    files: ['**/*.test.ts', '**/*.e2e.ts', 'drivers/conformance.ts', 'drivers/conformance/**'],
    rules: {
      'max-lines-per-function': 'off',
      'max-lines': ['error', 500],
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
);
