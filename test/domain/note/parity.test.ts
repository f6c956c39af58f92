// Each kind of claim, affirmed as said, denied as said, changed and invented, has the same verdict in each language.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { LANGUAGES, type Language } from '../../../src/domain/language.ts';
import { checkNote } from '../../../src/domain/note/check-note.ts';
import type { StatementKind } from '../../../src/domain/note/check-report.ts';
import { aConversation, aNote } from './check/check-cases.ts';

type Verdict = 'supported' | 'unsupported' | 'no claim';
type Instance = {
  readonly said: string;
  readonly note: string;
  readonly deniedSaid: string;
  readonly deniedNote: string;
  readonly changed: string;
};

const KINDS: Readonly<Record<string, readonly StatementKind[]>> = {
  drug: ['drug'],
  dose: ['dose'],
  number: ['number'],
  laterality: ['laterality', 'negation'],
  allergy: ['allergy'],
  date: ['date'],
  negation: ['negation'],
  frequency: ['dose', 'number'],
  age: ['number'],
  duration: ['number'],
};
const SHAPES = ['affirmed as said', 'denied as said', 'changed', 'invented'] as const;
type Shape = (typeof SHAPES)[number];

/** A conversation about something else. */
const OTHER: Readonly<Record<Language, string>> = {
  en: 'Good morning, how was the drive? | Fine, thanks, the bridge was open. | Let us have a look then.',
  es: 'Buenos días, ¿cómo llegó? | Bien, gracias, el puente estaba abierto. | Vamos a ver entonces.',
  pt: 'Bom dia, como foi a viagem de ônibus? | Bem, obrigada, a ponte estava aberta. | Vamos ver então.',
};
const FEWEST = 6;

const CASES: Readonly<Record<string, Readonly<Record<Language, readonly string[]>>>> = parse(
  readFileSync(new URL('parity.yaml', import.meta.url), 'utf8'),
);

function readInstance(line: string): Instance {
  const parts = line.split(' // ').map((part) => part.trim());
  const [said = '', note = '', deniedSaid = '', deniedNote = '', changed = ''] = parts;
  if (parts.length !== 5) throw new Error(`Five parts are needed: ${line}`);
  return { said, note, deniedSaid, deniedNote, changed };
}

/** Returns what was said and the note of one shape. */
function pairOf(
  shape: Shape,
  { said, note, deniedSaid, deniedNote, changed }: Instance,
  language: Language,
  kind: string,
) {
  if (shape === 'affirmed as said') return [said, note] as const;
  if (shape === 'denied as said') return [deniedSaid, deniedNote] as const;
  if (shape === 'changed') return [said, changed] as const;
  // Only what is denied is a claim about a finding.
  return [OTHER[language], kind === 'negation' ? deniedNote : note] as const;
}

function verdictOf(said: string, note: string, language: Language, kinds: readonly StatementKind[]): Verdict {
  const transcript = aConversation(said, language);
  const { statements } = checkNote({ note: aNote(note), transcript, language, maxUnsupported: {} });
  const own = statements.filter(({ kind }) => kinds.includes(kind));
  if (own.length === 0) return 'no claim';
  return own.every(({ verdict }) => verdict === 'supported') ? 'supported' : 'unsupported';
}

const EXPECTED: Readonly<Record<Shape, Verdict>> = {
  'affirmed as said': 'supported',
  'denied as said': 'supported',
  changed: 'unsupported',
  invented: 'unsupported',
};

describe('The check has the same verdict in English, Spanish and Portuguese', () => {
  it('each kind of claim has at least six instances in each language', () => {
    expect(Object.keys(CASES)).toEqual(Object.keys(KINDS));
    const counts = Object.values(CASES).flatMap((byLanguage) =>
      LANGUAGES.map((language) => byLanguage[language].length),
    );
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(FEWEST);
  });

  it.each(Object.keys(KINDS).flatMap((kind) => SHAPES.map((shape) => [kind, shape] as const)))(
    'a claim of the kind %s that is %s has one verdict',
    (kind, shape) => {
      const isAffirmedFinding = kind === 'negation' && shape === 'affirmed as said';
      const expected = isAffirmedFinding ? 'no claim' : EXPECTED[shape];
      const others = LANGUAGES.flatMap((language) =>
        (CASES[kind]?.[language] ?? []).map(readInstance).flatMap((instance) => {
          const [said, note] = pairOf(shape, instance, language, kind);
          const verdict = verdictOf(said, note, language, KINDS[kind] ?? []);
          return verdict === expected ? [] : [`${language}: “${said}”, “${note}”: ${verdict}`];
        }),
      );
      expect(others).toEqual([]);
    },
  );
});
