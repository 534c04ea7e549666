/**
 * Rules about imports between folders. Held against the code by `harness/imports.test.ts`. If the
 * design changed, change the table here and in CONTRIBUTING.md, in one commit.
 */
const leaves =
  '^harness/core/(errors|json-file|json-shape|regular-file|own-path|farm-folder|project|csv|procfs|system-files|system-packages|other-systems|http-server)\\.ts$';

/** How a user types a command, wherever one is printed. */
const typedCommand = '^harness/core/model/typed-command\\.ts$';

const allowed = [
  // [from, may import]: everything that is not listed is forbidden.
  // Its waits are also those of the C program that lies there.
  ['^pages/calibrate/', ['^pages/(kit|calibrate|thread-start)/', '^pages/protocol\\.d\\.ts$']],
  [
    '^pages/(?!calibrate/)([^/]+)/',
    ['^pages/kit/', '^pages/vendor/', '^pages/$1/', '^pages/protocol\\.d\\.ts$'],
  ],
  ['^drivers/shared/', ['^drivers/(shared/|driver\\.ts$)']],
  ['^drivers/(?!shared|doubles)([^/]+)/', ['^drivers/($1/|shared/|driver\\.ts$)', typedCommand]],
  // For tests only.
  ['^drivers/doubles/', ['^drivers/']],
  ['^harness/core/results/', ['^harness/core/results/']],
  [
    '^reports/(?!client/|explorer/)',
    ['^reports/(?!explorer/)', '^harness/core/results/', typedCommand],
  ],
  // Scripts of a reader's browser; the explorer takes the API's own types for its answers.
  ['^reports/client/', ['^reports/client/', '^harness/core/results/']],
  [
    '^reports/explorer/',
    [
      '^reports/(explorer|client)/',
      '^harness/core/results/',
      '^harness/core/server/api/[\\w-]+-response\\.ts$',
    ],
  ],
  [
    '^harness/core/model/',
    ['^harness/core/(model|results)/', '^pages/protocol\\.d\\.ts$', '^drivers/driver\\.ts$'],
  ],
  ['^harness/core/analysis/stats/', ['^harness/core/(results|model|analysis/stats)/']],
  [
    '^harness/core/analysis/(?!stats/)',
    [
      '^harness/core/(model|analysis)/',
      '^harness/core/plan/plan\\.ts$',
      '^harness/core/results/',
      '^reports/html/number\\.ts$',
    ],
  ],
  [
    '^harness/core/plan/',
    [
      '^harness/core/(plan|model)/',
      '^harness/core/analysis/stats/random\\.ts$',
      // The names of the drivers, none of which it loads.
      '^drivers/index\\.ts$',
      leaves,
    ],
  ],
  ['^harness/core/setup/', ['^harness/core/(setup|model)/', leaves, '^drivers/driver\\.ts$']],
  ...['session', 'server'].map((folder) => [
    `^harness/core/${folder}/`,
    [
      `^harness/core/(${folder}|model)/`,
      ...(folder === 'server' ? ['^harness/core/results/'] : []),
      leaves,
      // Sessions and ports that a killed farm left on other machines are ended without a driver.
      '^drivers/(driver|shared/orphaned-sessions)\\.ts$',
      '^pages/protocol\\.d\\.ts$',
    ],
  ]),
  ['^harness/core/probes/', ['^harness/core/(probes|model)/', leaves, '^drivers/driver\\.ts$']],
  [
    '^harness/core/run/',
    [
      '^harness/core/(run|model|session|probes|server)/',
      leaves,
      '^drivers/driver\\.ts$',
      '^pages/protocol\\.d\\.ts$',
    ],
  ],
  ['^harness/core/store/', ['^harness/core/(store|model)/', leaves]],
  // Imported files are parsed by the declarations that exist already, not by copies of them.
  [
    '^harness/features/bundles/(bundle|exchange)/',
    [
      '^harness/features/bundles/(bundle|exchange)/',
      '^harness/core/(model|analysis)/',
      leaves,
      '^harness/core/plan/catalog/(declaration|expansion)\\.ts$',
      '^harness/core/server/messages\\.ts$',
    ],
  ],
  // Commands parse, call and print; what they do is in app/, the library.
  ['^harness/core/app/', ['^(?!harness/(core/cli|lab|testing|features)/)']],
];
/** Which other features a feature may import: each arrow has its reason. */
const arrows = [
  ['bundles', []],
  // A claim's evidence leaves as a bundle, and a bundle is measured as a claim is.
  ['claims', ['bundles']],
  ['compare', []],
  // Each step of a bisection compares two builds, or versions of a page.
  ['bisect', ['compare']],
  // Profiled and delayed versions of a page are measured as a comparison's are.
  ['blame', ['compare']],
  // A sweep takes one case, as a comparison does.
  ['engines', ['compare']],
  // A night writes JUnit XML, removes the oldest nights, and compares builds that it suspects.
  ['nights', ['bundles', 'compare']],
  ['remote', []],
  // Devices join at the door of another one, which the list of features hands to it.
  ['device-report', []],
  // It asks for everything by commands.
  ['fleet', []],
  // It searches the history of a suite as the command does.
  ['explorer', ['nights']],
];
const tests = '\\.(test|e2e)\\.ts$|^drivers/conformance[./]|/golden/|\\.cases\\.ts$';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'Two files that import each other are one file: merge them, or move what both need below them.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...allowed.map(([from, to]) => ({
      name: `table: ${from}`,
      comment: `${from} may import only ${to.join(', ')}; if the design changed, update the table.`,
      severity: 'error',
      from: { path: from, pathNot: `${tests}|^drivers/index\\.ts$|^pages/.*\\.e2e` },
      to: { pathNot: [...to, 'node_modules'], dependencyTypesNot: ['core', 'npm', 'npm-dev'] },
    })),
    {
      name: 'pure',
      comment: 'A pure folder depends on nothing but its arguments: take what it reads as one.',
      severity: 'error',
      from: {
        path: '^(harness/(core/(results|model|analysis|plan/plan)|features/(claims/(catalogue|judging|studies)|nights/(history|report))/)|reports/(sections|wording|html))',
        // The one place that reads the modules which a report inlines.
        pathNot: `${tests}|^reports/html/script\\.ts$`,
      },
      to: {
        path: '^(fs|child_process|net|https?|os|timers|perf_hooks|worker_threads|readline)(/|$)',
      },
    },
    {
      name: 'only-main-knows-commands',
      comment:
        'Only main.ts, the lab and tests load commands: what a command does is a function of app/.',
      severity: 'error',
      from: {
        path: '^harness/',
        pathNot:
          '^harness/(core/cli/|testing/|features/|lab/|(main|features|write-schemas)\\.ts)|\\.(test|e2e)\\.ts$',
      },
      to: { path: '^harness/core/cli/' },
    },
    {
      name: 'core-knows-no-feature',
      comment:
        'The core knows no feature: what a feature adds stands in the record of its index.ts.',
      severity: 'error',
      from: {
        path: '^(harness|drivers|reports|pages)/',
        pathNot: `^harness/(features/|lab/|testing/|(features|library|matchers|analysis-program)\\.ts)|${tests}`,
      },
      to: { path: '^harness/features/' },
    },
    ...arrows.map(([feature, others]) => ({
      name: `features-stand-alone: ${feature}`,
      comment: 'A feature imports the core; what it needs of another one is listed in the table.',
      severity: 'error',
      from: { path: `^harness/features/${feature}/`, pathNot: tests },
      to: {
        path: '^harness/features/',
        pathNot: `^harness/features/(${[feature, ...others].join('|')})/`,
      },
    })),
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
