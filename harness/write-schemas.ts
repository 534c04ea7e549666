import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { inventorySchema } from './core/plan/inventory/declaration.ts';
import { pagesFolder, projectRoot } from './core/project.ts';
import { minifiedHead } from './core/server/adapter.ts';
import { minifyHead } from './lab/minify-head.ts';
import { configSchema } from './core/cli/config.ts';
import { declareCommands } from './core/cli/command-tree.ts';
import { commands } from './features.ts';

// `npm run schema`: the files are committed for editors, and tests hold them against the declarations.
const program = new Command('farm').enablePositionalOptions();
await declareCommands(program, commands, { run: () => Promise.resolve() });
const schemas = {
  'harness/core/plan/inventory/devices.schema.json': inventorySchema(),
  'crossfarm.config.schema.json': configSchema(program.commands),
};
writeFileSync(join(pagesFolder(), 'kit', minifiedHead), await minifyHead());
for (const [path, schema] of Object.entries(schemas)) {
  writeFileSync(join(projectRoot(), path), `${JSON.stringify(schema, null, 2)}\n`);
}
