import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { inventorySchema } from './core/plan/inventory/declaration.ts';
import { projectRoot } from './core/project.ts';
import { configSchema } from './core/cli/config.ts';
import { commands } from './features.ts';

// `npm run schema`: the files are committed for editors, and tests hold them against the declarations.
const program = new Command('farm');
const declared = await Promise.all(
  commands.map(async ({ name, load }) => {
    const command = program.command(name);
    (await load()).declare(command, () => Promise.resolve());
    return command;
  }),
);
const schemas = {
  'harness/core/plan/inventory/devices.schema.json': inventorySchema(),
  'crossfarm.config.schema.json': configSchema(declared),
};
for (const [path, schema] of Object.entries(schemas)) {
  writeFileSync(join(projectRoot(), path), `${JSON.stringify(schema, null, 2)}\n`);
}
