// Decides whether the documents of a run may go to the chart now. Asked when they are mapped, and again right before they are written: a
// replay may begin at either step, and the settings of the site may have changed while the run waited.
import { type CheckReport, type StatementKind, type Verdict, verdictOf } from '../note/check-report.ts';
import type { SiteSettings } from '../site/site.ts';
import type { Run } from './run.ts';
import type { RunEnd } from './run-end.ts';

type WriteQuestion = {
  readonly run: Pick<Run, 'isDry' | 'review'>;
  readonly site: { readonly name: string; readonly settings: Pick<SiteSettings, 'mode' | 'write'> };
  /** The report of step check; absent if that step has not run. */
  readonly report: CheckReport | undefined;
};

/** Less of the heard speech than this in the transcript needs a person. */
const MIN_COVERAGE = 0.95;

/** How the run ends instead of writing; undefined if it may write. */
export function endBeforeWrite({ run, site, report }: WriteQuestion): RunEnd | undefined {
  const { mode, write } = site.settings;
  const isReviewed = run.review !== undefined;
  if (run.isDry) return DRY;
  if (mode === 'off') return { status: 'skipped', reason: 'off', message: `${site.name} is off (mode in site.yaml).` };
  const hold = isReviewed || report === undefined ? undefined : holdForReport(report);
  if (hold !== undefined) return hold;
  if (mode === 'shadow') return SHADOW;
  return !isReviewed && write.review === 'hold' ? FOR_REVIEW : undefined;
}

/** The check found what only a clinician can settle. */
function holdForReport(report: CheckReport): RunEnd | undefined {
  const { exceeded, overSilence, coverage } = report;
  if (exceeded.length > 0) {
    const kinds = exceeded.map((kind) => `${kind}: ${reasonsOf(kind, report)}`).join('; ');
    const message = `The note has statements that the recording and the chart do not bear out, and that the site's rules hold: ${kinds}.`;
    return { status: 'held', reason: 'unsupported', message, advice: COMPARE };
  }
  if (coverage !== undefined && coverage < MIN_COVERAGE) {
    const message = `The transcript covers only ${Math.floor(coverage * 100)} % of the speech in the recording.`;
    return { status: 'held', reason: 'coverage', message, advice: COMPARE };
  }
  if (overSilence.length === 0) return undefined;
  const message = `The transcript has words where the recording is silent (${overSilence.length} places).`;
  return { status: 'held', reason: 'coverage', message, advice: COMPARE };
}

/** In plain words, by verdict. */
const VERDICT_WORDS: Readonly<Record<Exclude<Verdict, 'supported'>, string>> = {
  unsupported: 'not found in the recording',
  contradicted: 'said otherwise in the recording',
  misplaced: 'said elsewhere than the note names',
  conflict: 'contradicted by the chart',
};

/** `2 not found in the recording, 1 contradicted by the chart`; reports of earlier versions have only the sum. */
function reasonsOf(kind: StatementKind, { statements, unsupported }: CheckReport): string {
  const held = statements.filter((one) => one.kind === kind && one.effect === 'hold');
  const verdicts = Map.groupBy(held, verdictOf);
  const reasons = Object.entries(VERDICT_WORDS).flatMap(([verdict, words]) => {
    const count = verdicts.get(verdict as Verdict)?.length ?? 0;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  return reasons.length > 0 ? reasons.join(', ') : `${unsupported[kind] ?? 0} ${VERDICT_WORDS.unsupported}`;
}

const COMPARE =
  'A clinician compares the draft with the recording, and approves, edits or rejects it (npm run cli -- runs review <id>).';

const DRY: RunEnd = {
  status: 'skipped',
  reason: 'dry-run',
  message: 'Dry run: nothing was written.',
};

const SHADOW: RunEnd = {
  status: 'skipped',
  reason: 'shadow',
  message: 'Nothing was written: the site is in shadow mode. The documents that would have been written are stored.',
  advice:
    'Review them (npm run cli -- runs show <id>). To write them, set mode: live in site.yaml and replay this run.',
};

const FOR_REVIEW: RunEnd = {
  status: 'held',
  reason: 'review',
  message: 'The draft waits in the engine for the approval of a clinician.',
  advice: 'A reviewer approves, edits or rejects it: npm run cli -- runs review <id>.',
};
