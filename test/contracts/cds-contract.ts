// The contract of what cards in the EHR need: the drafts of a patient, and what was done with the cards.
import { describe, expect, it } from '@jest/globals';
import type { DraftFacts } from '../../src/domain/run/draft-facts.ts';
import { REVIEWABLE_REASONS } from '../../src/domain/run/reviewable.ts';
import type { RunEnd } from '../../src/domain/run/run-end.ts';
import type { CdsFeedback } from '../../src/ports/cds-feedback.ts';
import type { PatientDraftQuery, PatientDrafts } from '../../src/ports/patient-drafts.ts';
import { aResult, determined, finished, type RunsSubject, SITE, WRITTEN } from './queue-contract.ts';

type CdsSubject = RunsSubject & { readonly patientDrafts: PatientDrafts; readonly cdsFeedback: CdsFeedback };

const FOR_REVIEW: RunEnd = { status: 'held', reason: 'review', message: 'It waits for a review.' };
const CONSENT: RunEnd = { status: 'held', reason: 'consent', message: 'There is no consent.' };
const PLAIN: DraftFacts = { triage: 'WHITE', marks: [], missing: 0 };
const RED: DraftFacts = { triage: 'RED', marks: [], missing: 2 };
const CARD = '7b1f4a3e-5a0a-4f6c-9a2e-0d2a3c1b9e10';
const OTHER_CARD = '0d2a3c1b-5a0a-4f6c-9a2e-7b1f4a3e9e10';

let visits = 0;
async function aDraft(
  subject: CdsSubject,
  parts: { readonly patient?: string; readonly facts?: DraftFacts; readonly end?: RunEnd } = {},
) {
  visits += 1;
  const { patient = 'Patient/ana', facts = PLAIN, end = FOR_REVIEW } = parts;
  const claim = await determined(subject, `Encounter/cds-${visits}`, patient);
  const times = { startedAt: subject.now(), finishedAt: subject.now() };
  await finished(subject, claim, 'read-chart', 'map');
  await subject.queue.finishStep(claim, { name: 'map', ...times, result: aResult<never>('map'), draft: facts }, 'map');
  await subject.queue.leave(claim, end);
  return { run: claim.run.id, encounter: claim.run.encounter };
}

function aQuery(parts: Partial<PatientDraftQuery> = {}): PatientDraftQuery {
  return { site: SITE, patient: 'Patient/ana', reasons: REVIEWABLE_REASONS, withWritten: true, limit: 5, ...parts };
}

export function cdsContract(name: string, makeSubject: () => Promise<CdsSubject>): void {
  describe(`the drafts of a patient in ${name}`, () => {
    const listed = async (subject: CdsSubject, parts?: Partial<PatientDraftQuery>) =>
      (await subject.patientDrafts.list(aQuery(parts))).map(({ run }) => run);

    it('are those of this patient at this site that wait, RED first, with their facts and where they are', async () => {
      const subject = await makeSubject();
      const plain = await aDraft(subject, { end: WRITTEN });
      const red = await aDraft(subject, { facts: RED });
      await aDraft(subject, { patient: 'Patient/ben' });
      await aDraft(subject, { end: CONSENT });
      expect(await subject.patientDrafts.list(aQuery())).toEqual([
        { ...red, isInChart: false, facts: RED },
        { ...plain, isInChart: true, facts: PLAIN },
      ]);
      expect(await listed(subject, { site: 'other' })).toEqual([]);
    });

    it('are limited to a visit, to those outside of the chart, and in their number', async () => {
      const subject = await makeSubject();
      const [first, second] = [await aDraft(subject, { end: WRITTEN }), await aDraft(subject)];
      expect(await listed(subject, { encounter: second.encounter })).toEqual([second.run]);
      expect(await listed(subject, { withWritten: false })).toEqual([second.run]);
      expect(await listed(subject, { limit: 1 })).toEqual([first.run]);
    });

    it('are gone once a clinician has decided', async () => {
      const subject = await makeSubject();
      const { run } = await aDraft(subject);
      const { revision = 0 } = (await subject.runs.find(run, 'all')) ?? {};
      const review = {
        decision: 'approve',
        practitioner: 'Practitioner/1',
        reviewer: 'Ana',
        at: '2026-03-02T10:00:00Z',
      };
      await subject.runs.review({ id: run, review: { ...review, revision } as never });
      expect(await listed(subject)).toEqual([]);
    });
  });

  describe(`the feedback about cards in ${name}`, () => {
    const service = 'chartwright-drafts-patient-view';
    const feedback = { site: SITE, service, card: CARD, outcome: 'overridden', at: new Date() } as const;

    it('is counted by service, outcome and reason for each site, and feedback that comes again replaces the first', async () => {
      const { cdsFeedback } = await makeSubject();
      await cdsFeedback.record([feedback, { ...feedback, card: OTHER_CARD, reason: 'later' }]);
      expect(await cdsFeedback.counts(SITE)).toEqual([
        { service, outcome: 'overridden', count: 1 },
        { service, outcome: 'overridden', reason: 'later', count: 1 },
      ]);
      await cdsFeedback.record([
        { ...feedback, reason: 'known' },
        { ...feedback, outcome: 'accepted' },
      ]);
      expect(await cdsFeedback.counts(SITE)).toEqual([
        { service, outcome: 'accepted', count: 1 },
        { service, outcome: 'overridden', reason: 'later', count: 1 },
      ]);
      expect(await cdsFeedback.counts('other')).toEqual([]);
    });

    it('is nothing if there is none', async () => {
      const { cdsFeedback } = await makeSubject();
      await cdsFeedback.record([]);
      expect(await cdsFeedback.counts(SITE)).toEqual([]);
    });
  });
}
