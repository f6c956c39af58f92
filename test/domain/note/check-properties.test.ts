// What must hold of any note: what is copied from the talk is not marked, what is changed in it is not supported, and order does not matter.
import { describe, expect, it } from '@jest/globals';
import { LANGUAGES, type Language } from '../../../src/domain/language.ts';
import { checkNote } from '../../../src/domain/note/check-note.ts';
import { type CheckedStatement, verdictOf } from '../../../src/domain/note/check-report.ts';
import { fc } from '../../support/fast-check.ts';
import { aConversation } from './check/check-cases.ts';

type Words = {
  readonly drugs: readonly string[];
  readonly sides: readonly [left: string, right: string];
  readonly parts: readonly string[];
  readonly findings: readonly string[];
  readonly takes: (drug: string, dose: number) => string;
  readonly hurts: (side: string, part: string) => string;
  readonly has: (finding: string) => string;
  readonly denies: (finding: string) => string;
};

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    drugs: ['metformin', 'lisinopril', 'atorvastatin', 'sertraline', 'omeprazole', 'bisoprolol'],
    sides: ['left', 'right'],
    parts: ['knee', 'shoulder', 'ear', 'hip', 'ankle', 'wrist'],
    findings: ['fever', 'cough', 'nausea', 'diarrhoea', 'palpitations', 'dizziness'],
    takes: (drug, dose) => `I take ${drug} ${dose} mg.`,
    hurts: (side, part) => `My ${side} ${part} hurts.`,
    has: (finding) => `I have ${finding}.`,
    denies: (finding) => `Denies ${finding}.`,
  },
  es: {
    drugs: ['metformina', 'enalapril', 'atorvastatina', 'sertralina', 'omeprazol', 'bisoprolol'],
    sides: ['izquierda', 'derecha'],
    parts: ['rodilla', 'oreja', 'cadera', 'muñeca', 'pierna', 'mano'],
    findings: ['fiebre', 'tos', 'náuseas', 'diarrea', 'palpitaciones', 'mareo'],
    takes: (drug, dose) => `Tomo ${drug} ${dose} mg.`,
    hurts: (side, part) => `Me duele la ${part} ${side}.`,
    has: (finding) => `Tengo ${finding}.`,
    denies: (finding) => `Niega ${finding}.`,
  },
  pt: {
    drugs: ['metformina', 'enalapril', 'atorvastatina', 'sertralina', 'omeprazol', 'bisoprolol'],
    sides: ['esquerda', 'direita'],
    parts: ['orelha', 'perna', 'mão', 'coxa', 'mama', 'virilha'],
    findings: ['febre', 'tosse', 'náusea', 'diarreia', 'palpitações', 'tontura'],
    takes: (drug, dose) => `Tomo ${drug} ${dose} mg.`,
    hurts: (side, part) => `Dói a ${part} ${side}.`,
    has: (finding) => `Tenho ${finding}.`,
    denies: (finding) => `Nega ${finding}.`,
  },
};

/** One of each kind that the patient says, in any order. */
type SpokenFacts = {
  readonly drug: string;
  readonly dose: number;
  readonly side: string;
  readonly part: string;
  readonly finding: string;
  readonly utterances: readonly string[];
};

function saidIn(words: Words): fc.Arbitrary<SpokenFacts> {
  const parts = {
    drug: fc.constantFrom(...words.drugs),
    dose: fc.integer({ min: 2, max: 900 }),
    side: fc.constantFrom(...words.sides),
    part: fc.constantFrom(...words.parts),
    finding: fc.constantFrom(...words.findings),
    keys: fc.shuffledSubarray([0, 1, 2], { minLength: 3, maxLength: 3 }),
  };
  return fc.record(parts).map(({ keys, ...said }) => {
    const all = [words.takes(said.drug, said.dose), words.hurts(said.side, said.part), words.has(said.finding)];
    return { ...said, utterances: keys.map((key) => all[key] ?? '') };
  });
}

function claimsOf(utterances: readonly string[], statements: readonly string[], language: Language) {
  // The patient alone speaks: each line is an utterance.
  const transcript = aConversation(utterances.join(' | '), language);
  const note = { note: { title: '', sections: [{ key: 'SUBJECTIVE', title: '', text: statements.join('\n') }] } };
  return checkNote({ note, transcript, language, maxUnsupported: {} }).statements;
}

function verdicts(claims: readonly CheckedStatement[], kind: CheckedStatement['kind']): readonly string[] {
  return claims.filter((claim) => claim.kind === kind).map(verdictOf);
}

describe.each(LANGUAGES)('any note in %s', (language) => {
  const words = WORDS[language];
  const said = saidIn(words);

  it('has no mark on what is copied from the talk, in whatever order', () => {
    const copied = said.chain((one) => fc.record({ one: fc.constant(one), keys: fc.shuffledSubarray([0, 1, 2]) }));
    fc.assert(
      fc.property(copied, ({ one: { utterances }, keys }) => {
        const claims = claimsOf(
          utterances,
          keys.map((key) => utterances[key] ?? ''),
          language,
        );
        expect(claims.map(verdictOf).filter((verdict) => verdict !== 'supported')).toEqual([]);
      }),
    );
  });

  it('has no support for the denial of what the patient has', () => {
    fc.assert(
      fc.property(said, ({ finding, utterances }) => {
        const claims = claimsOf(utterances, [words.denies(finding)], language);
        expect(verdicts(claims, 'negation')).toEqual(['contradicted']);
      }),
    );
  });

  it('has no support for another dose, and names the one that was said', () => {
    const changed = fc.record({ one: said, dose: fc.integer({ min: 2, max: 900 }) });
    fc.assert(
      fc.property(changed, ({ one, dose }) => {
        fc.pre(dose !== one.dose);
        const claims = claimsOf(one.utterances, [words.takes(one.drug, dose)], language);
        expect(verdicts(claims, 'dose')).toEqual(['contradicted']);
      }),
    );
  });

  it('has no support for the other side', () => {
    fc.assert(
      fc.property(said, ({ side, part, utterances }) => {
        const [left, right] = words.sides;
        const claims = claimsOf(utterances, [words.hurts(side === left ? right : left, part)], language);
        expect(verdicts(claims, 'laterality')).toEqual(['contradicted']);
      }),
    );
  });

  it('has no support for another drug of the list, nor for its dose', () => {
    const changed = fc.record({ one: said, drug: fc.constantFrom(...words.drugs) });
    fc.assert(
      fc.property(changed, ({ one, drug }) => {
        fc.pre(drug !== one.drug);
        const claims = claimsOf(one.utterances, [words.takes(drug, one.dose)], language);
        expect(verdicts(claims, 'drug')).toEqual(['unsupported']);
        expect(verdicts(claims, 'dose')).toEqual(['unsupported']);
      }),
    );
  });

  it('has the same verdicts whatever the order of its sections', () => {
    const notes = fc.record({ one: said, other: said, keys: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }) });
    fc.assert(
      fc.property(notes, ({ one, other, keys }) => {
        const texts = [...other.utterances, words.denies(other.finding)];
        const transcript = aConversation(one.utterances.join(' | '), language);
        const verdictsIn = (order: readonly number[]) => {
          const sections = order.map((key) => ({ key: `S${key}`, title: '', text: texts[key] ?? '' }));
          const { statements } = checkNote({
            note: { note: { title: '', sections } },
            transcript,
            language,
            maxUnsupported: {},
          });
          return statements
            .map((claim) => `${claim.section} ${claim.from} ${claim.kind} ${verdictOf(claim)}`)
            .toSorted();
        };
        expect(verdictsIn(keys)).toEqual(verdictsIn([0, 1, 2, 3]));
      }),
    );
  });
});
