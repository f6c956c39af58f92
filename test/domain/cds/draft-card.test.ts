import { describe, expect, it } from '@jest/globals';
import { overrideReasonOf } from '../../../src/domain/cds/cds-services.ts';
import { type CardContext, draftCard, type PatientDraft } from '../../../src/domain/cds/draft-card.ts';

const DRAFT: PatientDraft = {
  run: 'run-1',
  encounter: 'Encounter/2',
  isInChart: false,
  facts: { triage: 'WHITE', marks: [], missing: 0 },
};
const CONTEXT: CardContext = {
  uuid: '7b1f4a3e-5a0a-4f6c-9a2e-0d2a3c1b9e10',
  encounter: 'Encounter/2',
  isReviewer: true,
  publicUrl: 'https://chartwright.example.org',
  launchUrl: 'https://chartwright.example.org/launch/mercy',
};
const marked = (effect: 'mark' | 'hold', count: number) => ({
  triage: 'WHITE' as const,
  marks: [{ verdict: 'unsupported' as const, effect, count }],
  missing: 0,
});

describe('the card of a draft', () => {
  it('says where the draft is, and links to its review with the visit', () => {
    expect(draftCard(DRAFT, CONTEXT)).toMatchObject({
      uuid: CONTEXT.uuid,
      summary: 'AI draft of this visit waits for your review',
      indicator: 'info',
      detail: 'Nothing of it is in the chart yet.',
      source: { label: 'Chartwright' },
      links: [{ type: 'smart', url: CONTEXT.launchUrl, appContext: 'Encounter/2' }],
    });
  });

  it.each([
    ['a draft in the chart', { isInChart: true }, 'info', 'It is in the chart as an unsigned draft.'],
    ['one doubtful statement', { facts: marked('mark', 1) }, 'warning', 'The check doubts 1 statement of it.'],
    ['what it is held for', { facts: marked('hold', 3) }, 'warning', 'The check doubts 3 statements of it.'],
    [
      'something that is missing',
      { facts: { triage: 'WHITE', marks: [], missing: 1 } },
      'warning',
      '1 thing that may have been said is not in it.',
    ],
    ['a RED triage', { facts: { triage: 'RED', marks: [], missing: 0 } }, 'critical', 'Read it now'],
  ] as const)('names %s', (_, changes, indicator, words) => {
    const card = draftCard({ ...DRAFT, ...changes }, CONTEXT);
    expect([card.indicator, card.detail]).toEqual([indicator, expect.stringContaining(words)]);
  });

  it('is critical for a RED triage whatever else there is, and says that no one has reviewed it', () => {
    const { summary, indicator } = draftCard({ ...DRAFT, facts: { ...marked('hold', 2), triage: 'RED' } }, CONTEXT);
    expect(indicator).toBe('critical');
    expect(summary).toBe('RED triage in the AI draft of this visit, which no one has reviewed yet');
  });

  it('says whose review it is only to a reviewer, and that a visit is another one', () => {
    const { summary } = draftCard(DRAFT, { ...CONTEXT, encounter: 'Encounter/9', isReviewer: false });
    expect(summary).toBe('AI draft of another visit waits for a review');
    expect(draftCard(DRAFT, { ...CONTEXT, encounter: undefined }).summary).toContain('another visit');
  });

  it('has no link, and no empty list, at a site without a launch', () => {
    expect(draftCard(DRAFT, { ...CONTEXT, launchUrl: undefined })).not.toHaveProperty('links');
  });

  it('has a summary that the standard allows, and neither null nor an empty member', () => {
    for (const triage of ['RED', 'WHITE'] as const) {
      const card = draftCard({ ...DRAFT, facts: { ...marked('hold', 99), triage, missing: 99 } }, CONTEXT);
      expect(card.summary.length).toBeLessThan(140);
      expect(JSON.stringify(card)).not.toMatch(/null|""|\[\]|\{\}/);
    }
  });

  it('works for a draft of an earlier version, whose facts are not known', () => {
    const { facts: _, ...older } = DRAFT;
    expect(draftCard(older, CONTEXT).indicator).toBe('info');
  });
});

describe('the reason for putting a card away', () => {
  it('is kept only if it is one of ours', () => {
    expect(overrideReasonOf({ code: 'later', system: 'urn:chartwright:cds-override' })).toBe('later');
    expect(overrideReasonOf({ code: 'later' })).toBe('other');
    expect(overrideReasonOf({ code: 'toString', system: 'urn:chartwright:cds-override' })).toBe('other');
    expect(overrideReasonOf({ code: 'The patient told me …', system: 'urn:other' })).toBe('other');
  });
});
