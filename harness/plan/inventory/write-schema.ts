import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../project.ts';
import { inventorySchema } from './declaration.ts';

// `npm run schema`: the file is committed for editors, and a test holds it against the declaration.
writeFileSync(
  join(projectRoot(), 'harness/plan/inventory/devices.schema.json'),
  `${JSON.stringify(inventorySchema(), null, 2)}\n`,
);
