import { describe, expect, it } from '@jest/globals';
import type { HistoryFacts, Presence } from '../../../src/rules/extraction/history-facts.ts';
import { judgeTriage } from '../../../src/rules/reasoning/judge-triage.ts';
import { fc } from '../../support/fast-check.ts';
import { anyHeard, anyHeardFinding, anyKnowledge, hearingMore, turned } from './arbitrary-knowledge.ts';
import { aCondition, aFinding, aHeard, aKnowledge, LUNGS } from './made-up-knowledge.ts';

/** Fixed, so that each run tests the same cases. */

const nothingUnseen = { isAllUnseen: false };

const DOUBTS: readonly string[] = ['outweighs', 'unexplained', 'little-recognised', 'nothing-recognised'];

function allAlarmsOf(facts: HistoryFacts, knowledge = LUNGS): readonly string[] {
  return judgeTriage(knowledge, facts, nothingUnseen).alarms.map(({ kind }) => kind);
}

/** The alarms without precautions. */
function alarmsOf(facts: HistoryFacts, knowledge = LUNGS): readonly string[] {
  return allAlarmsOf(facts, knowledge).filter((kind) => !DOUBTS.includes(kind));
}

describe('The triage of the rules', () => {
  it('is not urgent if something harmless explains the findings', () => {
    expect(judgeTriage(LUNGS, aHeard({ findings: { cough: 'present' } }), nothingUnseen)).toEqual({
      level: 'WHITE',
      alarms: [],
    });
  });

  it.each([
    ['present', ['danger']],
    ['uncertain', ['danger']],
    ['absent', []],
  ] as const)('of a danger sign that is %s has the alarms %j', (told, alarms) => {
    expect(alarmsOf(aHeard({ findings: { 'coughing-blood': told } }))).toEqual(alarms);
  });

  it('is urgent for findings that are dangerous together, and not for one of them', () => {
    expect(alarmsOf(aHeard({ findings: { 'chest-pain': 'present', sweating: 'uncertain' } }))).toEqual(['together']);
    expect(alarmsOf(aHeard({ findings: { 'chest-pain': 'present', sweating: 'absent' } }))).toEqual([]);
  });

  it.each([
    [{ ageYears: 0.1 }, {}, ['together']],
    [{ ageYears: 30 }, {}, []],
    [{}, {}, []],
    [{}, { 'young-infant': 'present' }, ['together']],
    [{ ageYears: 30 }, { 'young-infant': 'present' }, []],
  ] as const)('of a fever depends on the age: %j and %j have the alarms %j', (person, findings, alarms) => {
    expect(alarmsOf(aHeard({ person, findings: { fever: 'present', ...findings } }))).toEqual(alarms);
  });

  it.each([
    [{ sex: 'female' }, true],
    [{}, true],
    // Either the sex or the pregnancy is wrong: the danger counts.
    [{ sex: 'male' }, true],
  ] as const)('of a pregnancy with pain is urgent for %j: %s', (person, isUrgent) => {
    const facts = aHeard({ person, findings: { 'lower-abdominal-pain': 'present', pregnant: 'present' } });
    expect(alarmsOf(facts).includes('together')).toBe(isUrgent);
  });

  it('leaves a rule for women out for a man', () => {
    const knowledge = aKnowledge({
      findings: [aFinding('pelvic-pain')],
      dangers: [{ all: ['pelvic-pain'], sex: 'female', why: { en: 'a', es: 'b', pt: 'c' } }],
    });
    const findings = { 'pelvic-pain': 'present' } as const;
    expect(alarmsOf(aHeard({ person: { sex: 'male' }, findings }), knowledge)).toEqual([]);
    expect(alarmsOf(aHeard({ findings }), knowledge)).toEqual(['together']);
  });

  it('is urgent if enough speaks for a condition that must not be missed, whatever speaks against it', () => {
    const findings = { 'chest-pain': 'present', 'calf-pain': 'present', 'recent-surgery': 'present' } as const;
    expect(alarmsOf(aHeard({ findings }))).toEqual(['condition']);
    expect(alarmsOf(aHeard({ findings: { ...findings, fever: 'present' } }))).toEqual(['condition']);
    expect(alarmsOf(aHeard({ findings: { ...findings, 'recent-surgery': 'absent' } }))).toEqual([]);
  });

  it('counts uncertain findings half for conditions that must not be missed', () => {
    const findings = { 'chest-pain': 'present', 'calf-pain': 'present', 'recent-surgery': 'uncertain' } as const;
    expect(alarmsOf(aHeard({ findings }))).toEqual([]);
  });

  it('has one rule for all conditions: `urgent: 0` means that as much speaks for the condition as against it', () => {
    const knowledge = aKnowledge({
      findings: [aFinding('swelling')],
      conditions: [
        aCondition('shock', { base: -1, findings: { swelling: 1 }, mustNotMiss: true, urgent: 0 }),
        aCondition('rare-shock', { base: -2, findings: { swelling: 1 }, mustNotMiss: true, urgent: 0 }),
      ],
    });
    const { alarms } = judgeTriage(knowledge, aHeard({ findings: { swelling: 'present' } }), nothingUnseen);
    expect(alarms).toMatchObject([{ kind: 'condition', condition: { id: 'shock' } }]);
  });

  it('counts age and sex for conditions that must not be missed, the sex only if it is stated', () => {
    const findings = { 'chest-pain': 'present' } as const;
    const knowledge = aKnowledge({
      findings: [aFinding('chest-pain'), aFinding('pregnant')],
      conditions: [
        aCondition('infarct', {
          base: -1,
          people: [
            { ages: { from: 60, to: 120 }, weight: 0.5 },
            { sex: 'female', weight: -0.5 },
          ],
          findings: { 'chest-pain': 1 },
          mustNotMiss: true,
          urgent: 0.5,
        }),
      ],
    });
    const old = { ageYears: 70 };
    expect(alarmsOf(aHeard({ findings }), knowledge)).toEqual([]);
    expect(alarmsOf(aHeard({ findings, person: old }), knowledge)).toEqual(['condition']);
    expect(alarmsOf(aHeard({ findings, person: { ...old, sex: 'female' } }), knowledge)).toEqual([]);
    // As an additional finding it must not cancel the alarm.
    const pregnant = { ...findings, pregnant: 'present' } as const;
    expect(alarmsOf(aHeard({ findings: pregnant, person: old }), knowledge)).toEqual(['condition']);
  });

  it('is urgent if the text was not understood, or if there are only files that cannot be read', () => {
    expect(alarmsOf(aHeard({ isUnderstood: false, isHealth: false }))).toEqual(['not-understood']);
    expect(judgeTriage(LUNGS, aHeard(), { isAllUnseen: true })).toMatchObject({
      level: 'RED',
      alarms: [{ kind: 'not-seen' }],
    });
  });

  it('lists alarms in an order that does not depend on the order of the findings', () => {
    fc.assert(
      fc.property(anyKnowledge, anyHeard, (knowledge, facts) => {
        expect(judgeTriage(knowledge, turned(facts), nothingUnseen)).toEqual(
          judgeTriage(knowledge, facts, nothingUnseen),
        );
      }),
    );
  });

  it('never loses an alarm through an additional finding', () => {
    fc.assert(
      fc.property(anyKnowledge, anyHeard, anyHeardFinding, (knowledge, facts, more) => {
        fc.pre(alarmsOf(facts, knowledge).length > 0);
        expect(alarmsOf(hearingMore(facts, more), knowledge)).not.toEqual([]);
        expect(judgeTriage(knowledge, hearingMore(facts, more), nothingUnseen).level).toBe('RED');
      }),
    );
  });

  it('is always urgent with a danger sign', () => {
    fc.assert(
      fc.property(anyKnowledge, anyHeard, anyHeardFinding, (knowledge, facts, more) => {
        fc.pre(knowledge.findings.get(more.id)?.isDanger === true && more.presence !== 'absent');
        expect(judgeTriage(knowledge, hearingMore(facts, more), nothingUnseen).level).toBe('RED');
      }),
    );
  });

  it('is never raised by an absent finding, nor lowered unless nothing else was recognised', () => {
    fc.assert(
      fc.property(anyKnowledge, anyHeard, (knowledge, facts) => {
        const findings = new Map([...facts.findings].filter(([, { presence: told }]) => told !== 'absent'));
        const without = allAlarmsOf({ ...facts, findings }, knowledge);
        const known = without.filter((kind) => kind !== 'nothing-recognised' || facts.findings.size === 0);
        expect(allAlarmsOf(facts, knowledge)).toEqual(known);
      }),
    );
  });

  it('ignores findings of relatives and of the past', () => {
    fc.assert(
      fc.property(anyKnowledge, anyHeard, (knowledge, facts) => {
        expect(judgeTriage(knowledge, { ...facts, family: [], past: [] }, nothingUnseen)).toEqual(
          judgeTriage(knowledge, facts, nothingUnseen),
        );
      }),
    );
  });
});

/** For every age and both sexes: a belt-like pain can be harmless, a cold sweat speaks only for the danger. */
const BELTS = aKnowledge({
  findings: [
    ...['belt-pain', 'tight-belt', 'lost-appetite', 'odd-taste'].map((id) => aFinding(id)),
    aFinding('cold-sweat', { kind: 'sign' }),
    aFinding('smoking', { kind: 'circumstance' }),
  ],
  conditions: [
    aCondition('tight-trousers', { base: 0, findings: { 'belt-pain': 0.5, 'tight-belt': 2 } }),
    aCondition('belt-fever', {
      base: -1,
      findings: { 'belt-pain': 0.5, 'cold-sweat': 1, smoking: 0.5, 'tight-belt': { present: 0, absent: 2 } },
      mustNotMiss: true,
      urgent: 2,
    }),
    aCondition('lost-belt', { base: -1, findings: { 'belt-pain': 0.5 }, mustNotMiss: true, urgent: 2.5 }),
  ],
});

describe('The triage without an alarm', () => {
  const doubtsOf = (findings: Parameters<typeof aHeard>[0]) => allAlarmsOf(aHeard(findings), BELTS);

  it('is WHITE if something harmless is clearly likelier than the danger', () => {
    expect(doubtsOf({ findings: { 'belt-pain': 'present', 'tight-belt': 'present' } })).toEqual([]);
    expect(
      doubtsOf({ findings: { 'belt-pain': 'present', 'cold-sweat': 'present', 'tight-belt': 'present' } }),
    ).toEqual([]);
  });

  it('is urgent if dangerous conditions have too large a share', () => {
    const facts = aHeard({ findings: { 'belt-pain': 'present', 'cold-sweat': 'uncertain', smoking: 'present' } });
    expect(judgeTriage(BELTS, facts, nothingUnseen)).toMatchObject({
      level: 'RED',
      alarms: [{ kind: 'outweighs', conditions: [{ condition: { id: 'belt-fever' } }] }],
    });
  });

  it('is not lowered by complaints that the danger does not explain', () => {
    const findings = { 'belt-pain': 'present', 'cold-sweat': 'present', smoking: 'present' } as const;
    expect(doubtsOf({ findings: { ...findings, 'odd-taste': 'present' } })).toEqual(['outweighs']);
  });

  it('counts a danger without its needed findings if several others speak for it', () => {
    expect(doubtsOf({ findings: { 'cold-sweat': 'present', smoking: 'present' } })).toEqual(['outweighs']);
    expect(doubtsOf({ findings: { 'cold-sweat': 'present' } })).toEqual([]);
  });

  it('is urgent if no known condition explains a complaint, and not for a circumstance alone', () => {
    expect(doubtsOf({ findings: { 'odd-taste': 'present' } })).toEqual(['unexplained']);
    expect(doubtsOf({ findings: { smoking: 'present' } })).toEqual([]);
    expect(doubtsOf({ findings: { 'odd-taste': 'absent' } })).toEqual([]);
  });

  it('is urgent if there is a complaint and hardly anything of the history was recognised', () => {
    const findings = { 'tight-belt': 'present', 'belt-pain': 'present' } as const;
    expect(doubtsOf({ findings, isHardlyRecognised: true })).toEqual(['little-recognised']);
    expect(doubtsOf({ findings })).toEqual([]);
    expect(doubtsOf({ findings, isHardlyRecognised: true, isConversation: true })).not.toContain('little-recognised');
    expect(doubtsOf({ findings, isHardlyRecognised: true, isHealth: false })).toEqual([]);
    expect(doubtsOf({ findings: { 'belt-pain': 'absent' }, isHardlyRecognised: true })).toEqual([]);
    expect(doubtsOf({ findings: { smoking: 'present' }, isHardlyRecognised: true })).toEqual([]);
  });

  it('is urgent if a text is about health and nothing in it was recognised', () => {
    expect(doubtsOf({})).toEqual(['nothing-recognised']);
    expect(doubtsOf({ isHealth: false })).toEqual([]);
  });
});

describe('The share of dangerous conditions', () => {
  const knowledge = {
    ...aKnowledge({
      findings: ['belt-pain', 'cold-sweat'].map((id) => aFinding(id)),
      conditions: [
        aCondition('belt-fever', {
          base: 1,
          needs: ['belt-pain'],
          findings: { 'belt-pain': 0.3, 'cold-sweat': 0.5 },
          mustNotMiss: true,
          urgent: 2,
        }),
      ],
    }),
    urgency: {
      start: 0,
      urgentFrom: 99,
      shortest: 99,
      longest: 99,
      findings: new Map(),
      words: { en: new Map(), es: new Map(), pt: new Map() },
    },
  };
  const levelOf = (length: number, findings: Readonly<Record<string, Presence>>) => {
    const words = new Map(Array.from({ length }, (_, index) => [`word${index}`, `word${index}`]));
    return judgeTriage(knowledge, aHeard({ findings, words }), nothingUnseen).level;
  };

  it('makes a few words urgent, although only a complaint was said', () => {
    expect(levelOf(3, { 'belt-pain': 'present' })).toBe('RED');
  });

  it('needs a finding that speaks for one of them in a long history', () => {
    expect(levelOf(150, { 'belt-pain': 'present' })).toBe('WHITE');
    expect(levelOf(150, { 'belt-pain': 'present', 'cold-sweat': 'present' })).toBe('RED');
  });

  it('needs such a finding in a history that sounds calm', () => {
    expect(levelOf(99, { 'belt-pain': 'present' })).toBe('WHITE');
    expect(levelOf(99, { 'belt-pain': 'present', 'cold-sweat': 'present' })).toBe('RED');
  });
});

describe('The triage with a dangerous condition that requires a pregnancy', () => {
  const knowledge = aKnowledge({
    findings: [aFinding('belt-pain'), aFinding('pregnant', { kind: 'circumstance' })],
    conditions: [
      aCondition('belt-rupture', {
        base: 0,
        findings: { 'belt-pain': 2 },
        mustNotMiss: true,
        urgent: 1,
        only: { oneOf: ['pregnant'], shownBy: [] },
      }),
      aCondition('belt-bruise', { base: 1, findings: { 'belt-pain': 1 } }),
    ],
  });
  const alarmsWith = (findings: Readonly<Record<string, Presence>>) =>
    judgeTriage(knowledge, aHeard({ findings: { 'belt-pain': 'present', ...findings } }), nothingUnseen).alarms.map(
      ({ kind }) => kind,
    );

  it('names the condition if the pregnancy was affirmed', () => {
    expect(alarmsWith({ pregnant: 'present' })).toEqual(['condition']);
  });

  it('remains urgent as long as nothing is known of a pregnancy', () => {
    expect(alarmsWith({})).toEqual(['unclear']);
    expect(alarmsWith({ pregnant: 'uncertain' })).toEqual(['unclear']);
  });

  it('is not urgent for that reason if the pregnancy was denied', () => {
    expect(alarmsWith({ pregnant: 'absent' })).toEqual([]);
  });
});
