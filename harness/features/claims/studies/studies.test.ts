import { test, expect } from '@playwright/test';
import { findBenchmark, loadCatalog, loadSuite } from '../../../core/plan/catalog/catalog.ts';
import { expandCases } from '../../../core/plan/catalog/expansion.ts';
import { caseName } from '../../../core/model/case.ts';
import { pagesFolder } from '../../../core/project.ts';
import { chooseReader } from '../judging/quantity.ts';
import { studies } from '../findings.ts';

for (const { section, title, benchmark, columns, groups } of studies) {
  test(`${section}, ${title}: every cell is an existing case and metric, and is in a suite`, async () => {
    const catalog = await loadCatalog(pagesFolder());
    const declared = findBenchmark(catalog, benchmark);
    const suites = await Promise.all(
      ['studies', 'studies-full'].map((id) => loadSuite(catalog, id)),
    );
    const suite = new Set(suites.flatMap(({ cases }) => cases.map(caseName)));
    for (const { published, cells } of groups) {
      expect(published).toHaveLength(columns.length);
      expect(cells).toHaveLength(columns.length);
      for (const cell of cells) {
        if (cell === null) continue;
        for (const parameters of [cell.parameters, cell.over ?? cell.parameters]) {
          const [one] = expandCases(declared, parameters);
          expect(one && suite.has(caseName(one)), JSON.stringify(parameters)).toBe(true);
          if (one !== undefined) chooseReader(cell.quantity, { deviceId: 'any', case: one });
        }
      }
    }
  });
}
