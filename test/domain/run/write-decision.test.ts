import { describe, expect, it } from '@jest/globals';
import type { CheckReport } from '../../../src/domain/note/check-report.ts';
import type { RunReview } from '../../../src/domain/run/run.ts';
import { endBeforeWrite } from '../../../src/domain/run/write-decision.ts';
import type { SiteSettings, WriteSettings } from '../../../src/domain/site/site.ts';

const CLEAN: CheckReport = { statements: [], unsupported: {}, exceeded: [], overSilence: [] };
const REVIEW: RunReview = {
  decision: 'approve',
  time: '2026-01-15T10:30:00Z',
  reviewer: 'Practitioner/7',
  revision: 1,
};

type Case = {
  readonly mode?: SiteSettings['mode'];
  readonly review?: WriteSettings['review'];
  readonly run?: { readonly isDry?: boolean; readonly review?: RunReview };
  readonly report?: Partial<CheckReport>;
};

function decide({ mode = 'live', review = 'preliminary', run = {}, report = {} }: Case) {
  const write: WriteSettings = {
    note: [],
    diagnosis: [],
    provenance: true,
    conditions: 'always',
    probability: 'band',
    differential: 'resources',
    review,
  };
  return endBeforeWrite({
    run: { isDry: false, ...run },
    site: { name: 'mercy', settings: { mode, write } },
    report: { ...CLEAN, ...report },
  });
}

const TOO_MUCH: Partial<CheckReport> = { exceeded: ['dose'], unsupported: { dose: 3 } };

describe('whether the documents of a run may go to the chart', () => {
  it('a live site that writes drafts writes a note without findings', () => {
    expect(decide({})).toBeUndefined();
  });

  it.each([
    ['a dry run never writes', { run: { isDry: true, review: REVIEW } }, 'skipped', 'dry-run'],
    ['a site that is off never writes', { mode: 'off', run: { review: REVIEW } }, 'skipped', 'off'],
    ['a site in shadow mode never writes', { mode: 'shadow', run: { review: REVIEW } }, 'skipped', 'shadow'],
    ['a note with too many unsupported statements is held', { report: TOO_MUCH }, 'held', 'unsupported'],
    ['findings are held in shadow mode as well', { mode: 'shadow', report: TOO_MUCH }, 'held', 'unsupported'],
    ['a transcript that covers too little of the speech is held', { report: { coverage: 0.949 } }, 'held', 'coverage'],
    ['a transcript with words over silence is held', { report: { overSilence: [4] } }, 'held', 'coverage'],
    ['a site that keeps drafts back holds them for review', { review: 'hold' }, 'held', 'review'],
  ] as const satisfies readonly (readonly [string, Case, string, string])[])('%s', (_title, given, status, reason) => {
    expect(decide(given)).toMatchObject({ status, reason });
  });

  it.each([
    ['a site that holds drafts', { review: 'hold' }],
    ['a note with too many unsupported statements', { report: TOO_MUCH }],
    ['a transcript with words over silence', { report: { overSilence: [4] } }],
  ] as const satisfies readonly (readonly [string, Case])[])(
    'the decision of a clinician releases %s',
    (_title, given) => {
      expect(decide({ ...given, run: { review: REVIEW } })).toBeUndefined();
    },
  );

  it('the message says of each kind that holds how many statements there are, and why', () => {
    const place = { section: 'PLAN', from: 0, to: 4, effect: 'hold' } as const;
    const report: Partial<CheckReport> = {
      exceeded: ['dose', 'allergy'],
      statements: [
        { ...place, kind: 'dose', verdict: 'unsupported' },
        { ...place, kind: 'dose', verdict: 'contradicted' },
        { ...place, kind: 'allergy', verdict: 'conflict' },
        { ...place, kind: 'allergy', verdict: 'unsupported', effect: 'mark' },
      ],
    };
    const kinds =
      'dose: 1 not found in the recording, 1 said otherwise in the recording; allergy: 1 contradicted by the chart.';
    expect(decide({ report })).toMatchObject({ message: expect.stringContaining(kinds) });
    expect(decide({ report: TOO_MUCH })).toMatchObject({
      message: expect.stringContaining('dose: 3 not found in the recording'),
    });
  });

  it('a coverage of exactly 95 % is enough', () => {
    expect(decide({ report: { coverage: 0.95 } })).toBeUndefined();
  });
});
