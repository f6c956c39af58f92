import { describe, expect, it } from '@jest/globals';
import type { Presence } from '../../../src/rules/extraction/history-facts.ts';
import { weighOwnEvidence } from '../../../src/rules/reasoning/own-evidence.ts';
import { rank } from '../../../src/rules/reasoning/rank-conditions.ts';
import { aCondition, aFinding, aHeard, aKnowledge } from './made-up-knowledge.ts';

const EVERYWHERE = Array.from({ length: 50 }, (_, index) => aCondition(`other-${index}`, { findings: { fever: 1 } }));
const KNOWLEDGE = aKnowledge({
  findings: [
    ...['fever', 'stiff-neck', 'photophobia', 'rash', 'seizure'].map((id) => aFinding(id)),
    aFinding('rigid-neck', { implies: ['stiff-neck'] }),
  ],
  conditions: [
    ...EVERYWHERE,
    aCondition('meningitis', {
      needs: ['fever'],
      findings: { fever: 1.5, 'stiff-neck': 0.6, 'rigid-neck': 0.5, photophobia: 0.5, rash: -1 },
      mustNotMiss: true,
      consider: { with: ['seizure', 'fever'] },
    }),
  ],
});

function evidenceFor(findings: Readonly<Record<string, Presence>>) {
  const facts = aHeard({ findings });
  const [one] = rank(KNOWLEDGE, facts, ({ id }) => id === 'meningitis');
  if (one === undefined) throw new Error('it is ranked');
  return weighOwnEvidence(one, facts, KNOWLEDGE);
}

describe('The own evidence of a dangerous condition', () => {
  it.each<[string, Readonly<Record<string, Presence>>, string]>([
    ['is none for a finding that goes with everything', { fever: 'present' }, 'none'],
    ['is slight for one weak finding', { 'stiff-neck': 'present' }, 'slight'],
    ['is clear for several weak findings together', { 'stiff-neck': 'present', photophobia: 'present' }, 'clear'],
    ['counts a finding and what it implies once', { 'stiff-neck': 'present', 'rigid-neck': 'present' }, 'slight'],
    ['is none for what is uncertain', { 'stiff-neck': 'uncertain', photophobia: 'uncertain' }, 'none'],
    ['is none for what is denied', { 'stiff-neck': 'absent', photophobia: 'absent' }, 'none'],
    ['is clear for a rare finding with which it must be considered', { seizure: 'present' }, 'clear'],
  ])('%s', (_, findings, expected) => {
    expect(evidenceFor(findings)).toBe(expected);
  });
});

describe('The own evidence beside a leading condition', () => {
  const facts = aHeard({ findings: { 'stiff-neck': 'present', photophobia: 'present' } });
  const weigh = (leading: Readonly<Record<string, number>>) => {
    const [one] = rank(KNOWLEDGE, facts, ({ id }) => id === 'meningitis');
    if (one === undefined) throw new Error('it is ranked');
    return weighOwnEvidence(one, facts, KNOWLEDGE, aCondition('leading', { findings: leading }));
  };

  it('is without findings that the leading condition explains', () => {
    expect(weigh({ 'stiff-neck': 0.1, photophobia: 2 })).toBe('none');
    expect(weigh({ 'rigid-neck': 1, photophobia: 2 })).toBe('none');
    expect(weigh({ photophobia: 2 })).toBe('slight');
  });

  it('has findings that speak against the leading condition, or say nothing of it', () => {
    expect(weigh({ photophobia: -1 })).toBe('clear');
  });
});
