// Lists the expectations of an encounter that an engine does not meet, by name.
import { type Diagnosis, TRIAGE_LEVELS } from '../../src/domain/diagnosis/diagnosis.ts';
import type { NoteAnswer } from '../../src/ports/reasoner.ts';
import type { Expected, SandboxPatient } from '../../src/sandbox/patients/sandbox-patient.ts';
import { codesNamedIn } from '../eval/named-dangers.ts';
import { scoreTalk } from '../eval/score-talk.ts';

/** The same limit as in the evaluation: a diagnosis with more than this is asserted. */
const CERTAIN = 0.5;

export function noteMisses({ id, language, expected }: SandboxPatient, answer: NoteAnswer): readonly string[] {
  const { medical, sections, invented, template, why } = expected;
  const spoken = Object.entries(sections).map(([key, section]) => [
    key,
    { holds: [...section.holds], lacks: [...section.lacks], silent: false },
  ]);
  const score = scoreTalk(
    {
      id,
      language,
      file: `${id}.yaml`,
      medical,
      template,
      talk: [],
      sections: Object.fromEntries(spoken),
      fields: {},
      invented: [...invented],
      why,
    },
    answer,
  );
  return [
    ...(score.isJudgedRight ? [] : [`medical ${medical}`]),
    ...score.missed,
    ...score.invented.map((word) => `invented "${word}"`),
  ];
}

/** What the rules name in words as not to be overlooked is not missed. */
export function diagnosisMisses(
  { expected, language }: SandboxPatient,
  { diagnosis, triage }: Diagnosis,
): readonly string[] {
  const { first, among3, mustNotMiss, not3, nothing, triage: level } = expected;
  const codes = diagnosis.diseases.map(({ icd10_code }) => icd10_code);
  const named = codesNamedIn({ diagnosis, triage }, language);
  const isIn = (some: readonly string[], wanted: string) =>
    some.some((code) => wanted.split('|').some((beginning) => code.startsWith(beginning)));
  const isAmong = (wanted: string, count = codes.length) => isIn(codes.slice(0, count), wanted);
  return [
    ...(first === undefined || isAmong(first, 1) ? [] : [`first "${first}"`]),
    ...among3.filter((wanted) => !isAmong(wanted, 3)).map((wanted) => `among3 "${wanted}"`),
    ...mustNotMiss
      .filter((wanted) => !isAmong(wanted) && !isIn(named, wanted))
      .map((wanted) => `mustNotMiss "${wanted}"`),
    ...not3.filter((unwanted) => isAmong(unwanted, 3)).map((unwanted) => `not3 "${unwanted}"`),
    ...(nothing && diagnosis.diseases.some(({ probability }) => probability > CERTAIN) ? ['nothing'] : []),
    ...(level === undefined || level === triage.triage_level ? [] : [`triage ${level}`]),
  ];
}

/** All possible names of misses; a list of known misses must not have others. */
export function possibleMisses(patient: SandboxPatient): ReadonlySet<string> {
  const { first, among3, mustNotMiss, not3 }: Expected = patient.expected;
  const named = { first: first === undefined ? [] : [first], among3, mustNotMiss, not3 };
  return new Set([
    ...noteMisses(patient, { isMedical: false }),
    ...patient.expected.invented.map((word) => `invented "${word}"`),
    ...Object.entries(named).flatMap(([name, codes]) => codes.map((code) => `${name} "${code}"`)),
    ...TRIAGE_LEVELS.filter((level) => level === patient.expected.triage).map((level) => `triage ${level}`),
    `medical ${patient.expected.medical}`,
    'nothing',
  ]);
}
