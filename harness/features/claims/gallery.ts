import type { AddExhibits, GalleryReading } from '../../core/app/extensions.ts';
import { withStore } from '../../core/app/records.ts';
import { npxCrossfarm } from '../../core/model/typed-command.ts';
import type { RunRecord } from '../../core/model/run.ts';
import type { EvidenceFindings } from '../../core/results/index.ts';
import { headingOf } from '../../../reports/html/page.ts';
import type { Exhibit } from '../../../reports/gallery.ts';
import { withoutSecrets } from '../bundles/bundle/redaction.ts';
import { claims } from './catalogue/index.ts';
import {
  type AskedClaim,
  claimsHeadline,
  drawTiles,
  renderClaims,
  tilesStyle,
} from './claim-cards.ts';
import { describeEvidence } from './judging/evidence.ts';

/** Adds the cards of all claims, and the newest saved finding that was measured again. */
export const addExhibits: AddExhibits = async (reading) => [
  await claimsExhibit(reading),
  await findingExhibit(reading),
];

interface Answered {
  readonly record: RunRecord;
  readonly evidence: EvidenceFindings;
}

async function claimsExhibit(reading: GalleryReading): Promise<Exhibit> {
  const { writtenAt, farmVersion } = reading;
  const asked: AskedClaim[] = [];
  for (const claim of claims) {
    const newest = newestOf(await readAnswers([claim.id], reading));
    const command = newest?.evidence.command ?? `${npxCrossfarm} claims reproduce ${claim.id}`;
    const answer = newest === null ? null : { evidence: newest.evidence, run: newest.record.run };
    asked.push({ claim, command, answer });
  }
  return {
    kind: 'page',
    part: 'claims',
    file: 'claims.html',
    html: renderClaims(asked, { writtenAt, farmVersion }),
    name: 'Claims',
    finding: claimsHeadline(asked),
    about:
      'Each claim is a card: the published number beside the measured one, and the command that asks again.',
    preview: drawTiles(asked, 'claims.html'),
    style: tilesStyle,
  };
}

/** Of all saved findings, the one that was measured again last. */
async function findingExhibit(reading: GalleryReading): Promise<Exhibit> {
  const name = 'A saved finding';
  const ids = new Set<string>();
  for (const database of reading.databases) {
    for (const { id } of await withStore(database, (store) => store.listAnomalies())) ids.add(id);
  }
  const newest = newestOf(await readAnswers([...ids], reading));
  if (newest === null) {
    const because = `none was measured again; ${npxCrossfarm} findings lists those that are saved.`;
    return { kind: 'missing', part: 'samples', name, because };
  }
  const { renderEvidence } = await import('./evidence-page.ts');
  const html = await renderEvidence(newest.evidence);
  return {
    kind: 'page',
    part: 'samples',
    file: 'finding.html',
    html,
    name,
    finding: headingOf(html),
    about: 'What a night or a comparison found, measured again in blocks.',
  };
}

/** The newest answers that each database has to these questions: those in which something counts. */
async function readAnswers(
  ids: readonly string[],
  { databases, writtenAt, farmVersion }: GalleryReading,
): Promise<readonly Answered[]> {
  const answers: Answered[] = [];
  for (const database of databases) {
    await withStore(database, async (store) => {
      for (const id of ids) {
        const stored = await store.readAnswer(id);
        if (stored?.question === undefined) continue;
        const record = withoutSecrets(stored);
        const evidence = describeEvidence(record, stored.question, { writtenAt, farmVersion });
        const counts = evidence.assertions.some(({ measured }) => measured !== null);
        if (counts) answers.push({ record, evidence });
      }
    });
  }
  return answers;
}

function newestOf(answers: readonly Answered[]): Answered | null {
  const startedAt = ({ record }: Answered): string => record.run.startedAt;
  return answers.toSorted((a, b) => startedAt(b).localeCompare(startedAt(a)))[0] ?? null;
}
