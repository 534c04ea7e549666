/**
 * Who may import whom. Held against the code by `harness/imports.test.ts`.
 * If the design changed, change the table here and in README.md, in one commit.
 */
const allowed = [
  // [from, may import]: everything that is not listed is forbidden.
  ['^pages/([^/]+)/', ['^pages/kit/', '^pages/vendor/', '^pages/$1/', '^pages/protocol\\.d\\.ts$']],
  // What several drivers share is not a driver.
  [
    '^drivers/(?!doubles/)',
    [
      '^drivers/(driver|step|launch-recipes|chromium-trace|child-program|sole-program|webdriver-servers|driver-server|w3c-session|remote-webdriver|remains|grid-\\w+|appium-\\w+|running-browser|playwright-\\w+|puppeteer-\\w+)\\.ts$',
    ],
  ],
  // For tests only; Appium itself loads the one that names it.
  ['^drivers/doubles/', ['^drivers/', '^appium/driver\\.js$']],
  ['^reports/', ['^reports/']],
  ['^harness/model/', ['^harness/model/', '^pages/protocol\\.d\\.ts$']],
  ['^harness/stats/', ['^harness/stats/', '^harness/model/']],
  [
    '^harness/(inventory|catalog)/',
    ['^harness/$1/', '^harness/model/', '^harness/(errors|json-file|project)\\.ts$'],
  ],
  ['^harness/plan/', ['^harness/plan/', '^harness/model/', '^harness/stats/random\\.ts$']],
  [
    '^harness/setup/',
    [
      '^harness/setup/',
      '^harness/model/',
      '^harness/(errors|project)\\.ts$',
      '^drivers/driver\\.ts$',
    ],
  ],
  [
    '^harness/(session|probes|server)/',
    [
      '^harness/$1/',
      '^harness/model/',
      '^harness/errors\\.ts$',
      // What a killed farm had elsewhere is ended without a driver.
      '^drivers/(driver|remains)\\.ts$',
      '^pages/protocol\\.d\\.ts$',
      // The API answers with tables, too. A rule of its own would not narrow what this one forbids.
      '^harness/exchange/csv\\.ts$',
    ],
  ],
  // Other machines are read as this one is, by the same parsers and roles.
  ['^harness/nodes/', ['^harness/(nodes|model|probes)/', '^harness/session/farm-mark\\.ts$']],
  [
    '^harness/runner/',
    [
      '^harness/(runner|model|session|probes|server)/',
      '^drivers/driver\\.ts$',
      '^pages/protocol\\.d\\.ts$',
    ],
  ],
  // What is read on a phone has the form of this machine's own readings.
  ['^harness/phones/', ['^harness/(phones|model|probes)/', '^drivers/driver\\.ts$']],
  // A bundle is parsed by the declarations that exist already; nothing of it is a second truth.
  [
    '^harness/bundle/',
    [
      '^harness/bundle/',
      '^harness/model/',
      '^harness/(errors|json-file)\\.ts$',
      '^harness/catalog/(declaration|expansion)\\.ts$',
      '^harness/server/messages\\.ts$',
    ],
  ],
  // What a night does with its run; the commands lend it the means.
  [
    '^harness/nights/',
    [
      '^harness/(nights|model|session|analysis|stats|exchange)/',
      '^harness/(errors|project)\\.ts$',
      '^harness/runner/deadline\\.ts$',
      '^harness/bundle/whole-file\\.ts$',
      '^reports/findings\\.ts$',
    ],
  ],
  // What is taken in has the form that a bundle's parts have.
  [
    '^harness/exchange/',
    [
      '^harness/(exchange|model|analysis)/',
      '^harness/(errors|json-file)\\.ts$',
      '^harness/bundle/(declaration|trials-declaration|format|pack|restore)\\.ts$',
      '^harness/catalog/declaration\\.ts$',
      '^harness/server/messages\\.ts$',
    ],
  ],
  ['^harness/progress/', ['^harness/(progress|model|runner)/']],
  ['^harness/store/', ['^harness/store/', '^harness/model/', '^harness/errors\\.ts$']],
  [
    '^harness/(analysis|claims)/',
    ['^harness/(analysis|claims|model|stats|plan)/', '^reports/findings\\.ts$'],
  ],
];

const tests = '\\.(test|e2e)\\.ts$|conformance\\.ts$|/golden/|\\.cases\\.ts$';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'Two files that import each other are one file: merge them, or move what both need below them.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    ...allowed.map(([from, to]) => ({
      name: `table: ${from}`,
      comment: `${from} may import only ${to.join(', ')}; if the design changed, update the table.`,
      severity: 'error',
      from: { path: from, pathNot: `${tests}|^drivers/index\\.ts$|^pages/.*\\.e2e` },
      to: { pathNot: [...to, 'node_modules'], dependencyTypesNot: ['core', 'npm', 'npm-dev'] },
    })),
    {
      name: 'only-commands-wire',
      comment:
        'Only commands and main.ts know commands; a command is wiring, so nothing else may need it.',
      severity: 'error',
      from: {
        path: '^harness/',
        pathNot: '^harness/(commands/|main\\.ts|bench/|testing/)|\\.(test|e2e)\\.ts$',
      },
      to: { path: '^harness/commands/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // The declarations of a vendored package name files that only its author has.
    exclude: { path: '^(dist|node_modules|reports/out)/|^pages/vendor/.*\\.d\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.d.ts'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
