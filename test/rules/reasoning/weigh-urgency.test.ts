import { describe, expect, it } from '@jest/globals';
import type { HistoryFacts } from '../../../src/rules/extraction/history-facts.ts';
import type { Knowledge, UrgencyModel } from '../../../src/rules/knowledge/knowledge.ts';
import { judgeTriage } from '../../../src/rules/reasoning/judge-triage.ts';
import { soundsUrgent } from '../../../src/rules/reasoning/weigh-urgency.ts';
import { fc } from '../../support/fast-check.ts';
import { anyHeard, anyHeardFinding, anyKnowledge, hearingMore, turned } from './arbitrary-knowledge.ts';
import { aFinding, aHeard, aKnowledge, LUNGS } from './made-up-knowledge.ts';

const URGENCY: UrgencyModel = {
  start: -2,
  urgentFrom: 0,
  shortest: 2,
  longest: 5,
  findings: new Map([
    ['cough', 0.5],
    ['fever', 1.5],
  ]),
  words: {
    en: new Map([
      ['grey', 1.5],
      ['floor', 0.5],
      ['refill', -1],
    ]),
    es: new Map([['gris', 3]]),
    pt: new Map(),
  },
};
const KNOWLEDGE: Knowledge = { ...LUNGS, urgency: URGENCY };
const nothingUnseen = { isAllUnseen: false };

function saidAs(words: readonly string[]): HistoryFacts['words'] {
  return new Map(words.map((word) => [word, word]));
}

function saying(words: string, findings: Parameters<typeof aHeard>[0] = {}): HistoryFacts {
  return aHeard({ ...findings, words: saidAs(words.split(' ')) });
}

function alarmsOf(facts: HistoryFacts, knowledge = KNOWLEDGE): readonly string[] {
  return judgeTriage(knowledge, facts, nothingUnseen).alarms.map(({ kind }) => kind);
}

describe('The urgency model', () => {
  it('adds up the weights of findings and words', () => {
    const findings = { cough: 'present', fever: 'uncertain' } as const;
    expect(soundsUrgent(KNOWLEDGE, saying('floor bakery', { findings }))).toBe(true);
    expect(soundsUrgent(KNOWLEDGE, saying('refill bakery', { findings }))).toBe(false);
    expect(soundsUrgent(KNOWLEDGE, saying('grey floor'))).toBe(true);
    expect(soundsUrgent(KNOWLEDGE, saying('grey bakery'))).toBe(false);
  });

  it('counts nothing for absent findings', () => {
    const isUrgent = (presence: 'absent' | 'present') =>
      soundsUrgent(KNOWLEDGE, saying('floor bakery', { findings: { fever: presence } }));
    expect(isUrgent('absent')).toBe(false);
    expect(isUrgent('present')).toBe(true);
  });

  it('counts only words in the language of the text', () => {
    expect(soundsUrgent(KNOWLEDGE, saying('gris calle'))).toBe(false);
    expect(soundsUrgent(KNOWLEDGE, saying('gris calle', { language: 'es' }))).toBe(true);
    expect(soundsUrgent(KNOWLEDGE, saying('gris calle', { language: undefined }))).toBeUndefined();
  });

  it.each(['grey', 'grey floor a b c d'])(
    'says nothing of a history that is shorter or longer than those of its training: %s',
    (words) => {
      expect(soundsUrgent(KNOWLEDGE, saying(words))).toBeUndefined();
    },
  );

  it('says nothing without training data', () => {
    expect(soundsUrgent(LUNGS, saying('grey floor'))).toBeUndefined();
  });

  it('never turns from urgent to calm through an additional finding', () => {
    fc.assert(
      fc.property(anyHeard, anyHeardFinding, (facts, more) => {
        const history = { ...facts, words: saidAs(['grey', 'floor']) };
        if (soundsUrgent(KNOWLEDGE, history) === true)
          expect(soundsUrgent(KNOWLEDGE, hearingMore(history, more))).toBe(true);
      }),
    );
  });
});

describe('The triage with an urgency model', () => {
  const calm = 'refill bakery';
  const urgent = 'grey floor';

  it('is urgent if a history without alarm sounds like an emergency', () => {
    const findings = { cough: 'present' } as const;
    expect(alarmsOf(saying(urgent, { findings }))).toEqual(['sounds-urgent']);
    expect(alarmsOf(saying(calm, { findings }))).toEqual([]);
    expect(alarmsOf(saying(urgent, { findings, isHealth: false }))).toEqual([]);
  });

  it('is not applied to a conversation', () => {
    const findings = { cough: 'present' } as const;
    expect(alarmsOf(saying(urgent, { findings, isConversation: true }))).toEqual([]);
  });

  it('drops weak precautions, but no danger, if a history sounds calm', () => {
    const findings = { cough: 'present' } as const;
    expect(alarmsOf(saying('bakery mill', { findings, isHardlyRecognised: true }), LUNGS)).toEqual([
      'little-recognised',
    ]);
    expect(alarmsOf(saying(calm, { findings, isHardlyRecognised: true }))).toEqual([]);
    expect(alarmsOf(saying(calm, { findings: { 'coughing-blood': 'present' } }))).toEqual(['danger']);
  });

  it('remains urgent if nothing was recognised, however the history sounds', () => {
    expect(alarmsOf(saying(calm))).toEqual(['nothing-recognised']);
  });

  it('is urgent for a few words that describe the patient without a reason for the visit', () => {
    const findings = [aFinding('smoker', { kind: 'circumstance' }), aFinding('cough')];
    const knowledge = { ...aKnowledge({ findings }), urgency: URGENCY };
    expect(alarmsOf(saying('bakery', { findings: { smoker: 'present' } }), knowledge)).toEqual(['nothing-recognised']);
    expect(alarmsOf(saying('bakery mill', { findings: { smoker: 'present' } }), knowledge)).toEqual([]);
    expect(alarmsOf(saying('bakery', { findings: { smoker: 'present', cough: 'absent' } }), knowledge)).toEqual([]);
  });

  it('does not depend on the order of the findings', () => {
    fc.assert(
      fc.property(
        anyKnowledge,
        anyHeard,
        fc.shuffledSubarray(['grey', 'floor', 'refill', 'bakery']),
        (known, facts, words) => {
          const knowledge = { ...known, urgency: URGENCY };
          const story = { ...facts, words: saidAs(words) };
          const other = { ...turned(facts), words: saidAs(words.toReversed()) };
          expect(judgeTriage(knowledge, other, nothingUnseen)).toEqual(judgeTriage(knowledge, story, nothingUnseen));
        },
      ),
    );
  });
});
