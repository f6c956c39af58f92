// The schema of an encounter's file, with the rules between its fields.
import { z } from 'zod';
import { ICD10_PATTERN, TRIAGE_LEVELS } from '../../domain/diagnosis/diagnosis.ts';
import { LANGUAGES } from '../../domain/language.ts';
import { NOTE_TYPE_TEMPLATES, TEMPLATE_NAMES, TEMPLATE_SECTIONS } from '../../domain/note/template.ts';
import { CARE_NOTES, ENCOUNTER_CLASSES, KINDS_OF_CARE, type SandboxPatient, TRAPS, VOICES } from './sandbox-patient.ts';

const FEWEST_TURNS = 20;
const MOST_TURNS = 45;

const text = z.string('is a text').trim().min(1, 'is empty');
const texts = z.array(text).default([]);
const id = z.string('is an id').regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'is an id: lower-case-with-dashes');
const digits = z.string('is a code in quotes').regex(/^\d+$/, 'is a code of digits');
const time = z.iso.datetime({ offset: true, error: 'is a time with its offset, as in 2026-11-02T07:40:00-06:00' });
const codes = z
  .string('is codes in quotes')
  .regex(/^[A-Z]\d?[0-9A-Z.]*(\|[A-Z]\d?[0-9A-Z.]*)*$/, 'is beginnings of ICD-10 codes, as in "I21|I20.0"');

const person = { given: text, family: text, identifier: text };
const condition = z.strictObject({
  text,
  icd10: z.string().regex(ICD10_PATTERN, 'is no code of ICD-10').exactOptional(),
});
const drug = z.strictObject({ text, rxnorm: digits.exactOptional() });
const allergy = drug.extend({ snomed: digits.exactOptional() });
const chart = z.strictObject({
  allergies: z.array(allergy).default([]),
  conditions: z.array(condition).default([]),
  medications: z.array(drug).default([]),
});

const expected = z.strictObject({
  medical: z.boolean(),
  template: z.enum(TEMPLATE_NAMES),
  sections: z.record(z.string(), z.strictObject({ holds: texts, lacks: texts })).default({}),
  invented: texts,
  first: codes.exactOptional(),
  among3: z.array(codes).default([]),
  mustNotMiss: z.array(codes).default([]),
  not3: z.array(codes).default([]),
  nothing: z.boolean().default(false),
  triage: z.enum(TRIAGE_LEVELS).exactOptional(),
  why: text,
  notYet: z.array(z.strictObject({ what: text, why: text })).default([]),
});

const shape = z.strictObject({
  id,
  language: z.enum(LANGUAGES),
  care: z.enum(KINDS_OF_CARE),
  trap: z.enum(TRAPS).exactOptional(),
  speakers: z.record(z.string().regex(/^[a-z]+$/, 'is a name in lower case'), z.enum(VOICES)),
  patient: z.strictObject({ ...person, gender: z.enum(['female', 'male']), birthDate: z.iso.date('is a day') }),
  practitioner: z.strictObject({ ...person, role: text }),
  encounter: z.strictObject({ class: z.enum(ENCOUNTER_CLASSES), type: text, start: time, end: time, reason: text }),
  chart: chart.prefault({}),
  talk: z.array(z.tuple([text, text])),
  late: z
    .array(z.tuple([text, text]))
    .min(2, 'has two turns or more')
    .exactOptional(),
  silentSeconds: z.int().min(1).exactOptional(),
  expected,
});

export const PATIENT_FILE = shape.superRefine((patient, context) => {
  for (const { path, message } of contradictions(patient))
    context.addIssue({ code: 'custom', path: [...path], message });
});

type Contradiction = { readonly path: readonly (string | number)[]; readonly message: string };

function contradictions(patient: SandboxPatient): readonly Contradiction[] {
  return [...ofTime(patient), ...ofTalk(patient), ...ofNote(patient), ...ofDifferential(patient)];
}

function ofTime({ encounter, patient }: SandboxPatient): readonly Contradiction[] {
  const [start, end] = [Date.parse(encounter.start), Date.parse(encounter.end)];
  return [
    ...when(start >= end, ['encounter', 'end'], 'is not after the start'),
    ...when(Date.parse(patient.birthDate) >= start, ['patient', 'birthDate'], 'is not before the encounter'),
  ];
}

function ofTalk({ speakers, talk, late = [], silentSeconds, trap }: SandboxPatient): readonly Contradiction[] {
  const isSilent = trap === 'silent';
  const names = Object.keys(speakers);
  const speaking = new Set(talk.map(([speaker]) => speaker));
  if (isSilent) {
    return [
      ...when(talk.length > 0, ['talk'], 'is not empty, and the trap is that it is silent'),
      ...when(silentSeconds === undefined, ['silentSeconds'], 'is missing'),
    ];
  }
  const isLong = talk.length >= FEWEST_TURNS && talk.length <= MOST_TURNS;
  return [
    ...when(silentSeconds !== undefined, ['silentSeconds'], 'is only for a recording that is silent'),
    ...when(!isLong, ['talk'], `has ${talk.length} turns: ${FEWEST_TURNS} to ${MOST_TURNS} are wanted`),
    ...when(names.length < 2 || names.length > 3, ['speakers'], 'are two or three'),
    ...names.flatMap((name) => when(!speaking.has(name), ['speakers', name], 'says nothing')),
    ...talk.flatMap(([name], turn) => when(!names.includes(name), ['talk', turn, 0], `${name} is no speaker`)),
    ...late.flatMap(([name], turn) => when(!names.includes(name), ['late', turn, 0], `${name} is no speaker`)),
  ];
}

function ofNote({ care, expected: { medical, template, sections } }: SandboxPatient): readonly Contradiction[] {
  const wanted = NOTE_TYPE_TEMPLATES[CARE_NOTES[care]];
  const allowed: readonly string[] = TEMPLATE_SECTIONS[template];
  const keys = Object.keys(sections);
  return [
    ...when(template !== wanted, ['expected', 'template'], `is ${wanted} in this kind of care`),
    ...when(medical !== keys.length > 0, ['expected', 'sections'], 'are wanted where it is medical, and only there'),
    ...keys.flatMap((key) =>
      when(!allowed.includes(key), ['expected', 'sections', key], `is no section of ${template}`),
    ),
  ];
}

function ofDifferential({
  trap,
  expected: { medical, among3, nothing, triage },
}: SandboxPatient): readonly Contradiction[] {
  return [
    ...when(medical && among3.length === 0, ['expected', 'among3'], 'is missing'),
    ...when(medical === nothing, ['expected', 'nothing'], 'is for what is not medical, and only for that'),
    ...when((triage === undefined) !== (trap === 'silent'), ['expected', 'triage'], 'is there unless nobody speaks'),
  ];
}

function when(isWrong: boolean, path: Contradiction['path'], message: string): readonly Contradiction[] {
  return isWrong ? [{ path, message }] : [];
}
