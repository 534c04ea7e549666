/** The API against requests that a stranger's program makes up from its own document. */
import '../../../features.ts';
import { execa } from 'execa';
import { expect, test } from '@playwright/test';
import { explorerFolder } from '../../project.ts';
import { apiSources } from '../../../features/explorer/serve-sources.ts';
import { openHistory } from '../../store/history/history.ts';
import { openStore } from '../../store/store.ts';
import { aStoredHistory } from '../../../testing/stored-history.ts';
import { startExplorer } from './app.ts';

const program = process.env['CROSSFARM_SCHEMATHESIS'] ?? 'schemathesis';

const found = await execa(program, ['--version'], { reject: false });

test.skip(
  found.exitCode !== 0,
  'schemathesis is not installed: pip install schemathesis; CROSSFARM_SCHEMATHESIS names another place',
);

test('schemathesis finds no answer that the document does not promise', async () => {
  test.setTimeout(150_000);
  const path = await aStoredHistory();
  const [history, store] = [await openHistory(path), await openStore(path)];
  const options = { explorer: explorerFolder(), version: '0.0.0', everyMs: 20 };
  const server = await startExplorer({ ...options, sources: await apiSources(history, store) }, 0);
  try {
    const { exitCode, stdout } = await execa(
      program,
      [
        ...['run', `${server.origin}/api/openapi.json`, '--checks', 'all'],
        ...['--max-examples', '10', '--seed', '1', '--no-color'],
      ],
      { reject: false, timeout: 140_000, cwd: test.info().outputPath() },
    );
    expect(exitCode, stdout).toBe(0);
  } finally {
    await server.close();
    await store.close();
    await history.close();
  }
});
