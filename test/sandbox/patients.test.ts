// The scenarios: their files are valid, and the built-in rules meet their expectations.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { LANGUAGES } from '../../src/domain/language.ts';
import { chooseTemplate } from '../../src/domain/note/template.ts';
import type { YamlProblem } from '../../src/platform/yaml-file.ts';
import { parsePatients, readPatients } from '../../src/sandbox/patients/read-patients.ts';
import { readRecordingFacts, trueTranscript } from '../../src/sandbox/patients/recording-facts.ts';
import { KINDS_OF_CARE, type SandboxPatient, TRAPS } from '../../src/sandbox/patients/sandbox-patient.ts';
import { chooseReasoner } from '../eval/choose-reasoner.ts';
import { historyOf } from './patient-chart.ts';
import { diagnosisMisses, noteMisses, possibleMisses } from './patient-misses.ts';

const patients = readPatients();
const named = patients.map((patient) => [patient.id, patient] as const);

describe('the patients of the sandbox', () => {
  it('are at least a dozen, in every language and every kind of care, with every trap', () => {
    expect(patients.length).toBeGreaterThanOrEqual(12);
    expect(new Set(patients.map(({ language }) => language))).toEqual(new Set(LANGUAGES));
    expect(new Set(patients.map(({ care }) => care))).toEqual(new Set(KINDS_OF_CARE));
    expect(new Set(patients.flatMap(({ trap }) => trap ?? []))).toEqual(new Set(TRAPS));
  });

  it('are all different persons', () => {
    expect(new Set(patients.map(({ patient }) => patient.identifier)).size).toBe(patients.length);
  });

  it('have practitioners with one name for each identifier', () => {
    const names = new Map<string, Set<string>>();
    for (const { practitioner } of patients) {
      const { identifier, given, family, role } = practitioner;
      names.set(identifier, (names.get(identifier) ?? new Set()).add(`${given} ${family}, ${role}`));
    }
    expect([...names.values()].filter((found) => found.size > 1)).toEqual([]);
  });

  it.each(named)('%s expects only phrases of the conversation', (_, { talk, expected }) => {
    const said = fold(talk.map(([, text]) => text).join(' '));
    const has = (phrases: string) => phrases.split('|').some((phrase) => said.includes(fold(phrase)));
    const holds = Object.values(expected.sections).flatMap((section) => section.holds);
    expect(holds.filter((phrases) => !has(phrases))).toEqual([]);
  });

  it.each(named)('%s lists as known mistakes only expectations', (_, patient) => {
    const possible = possibleMisses(patient);
    expect(patient.expected.notYet.map(({ what }) => what).filter((what) => !possible.has(what))).toEqual([]);
  });
});

const { reasoner } = await chooseReasoner('builtin', {});

describe('the built-in rules', () => {
  const { signal } = new AbortController();
  const isKnown = ({ expected }: SandboxPatient) => {
    const known = new Set(expected.notYet.map(({ what }) => what));
    return (miss: string) => known.has(miss);
  };

  it.each(named)('write for %s what a good note and differential must contain', async (_, patient) => {
    const { language, expected, id } = patient;
    const transcript = trueTranscript(patient, readRecordingFacts(id));
    const template = chooseTemplate({ template: expected.template, language });
    const note = await reasoner.writeNote({ transcript, template, language }, signal);
    const misses = [...noteMisses(patient, note)];
    if (expected.triage !== undefined) {
      const clinicalHistory = historyOf(patient, transcript);
      const diagnosis = await reasoner.diagnose({ clinicalHistory, attachments: [], language }, signal);
      misses.push(...diagnosisMisses(patient, diagnosis));
    }
    expect(misses.filter((miss) => !isKnown(patient)(miss))).toEqual([]);
  });
});

describe('a mistake in the file of a patient', () => {
  const name = 'en-common-cold.yaml';
  const good = readFileSync(path.join(import.meta.dirname, '../../src/sandbox/patients', name), 'utf8');
  const problemsOf = (text: string, file = name): readonly YamlProblem[] => {
    const read = parsePatients([{ path: file, text }]);
    return 'problems' in read ? read.problems : [];
  };
  const lineOf = (text: string, words: string) => text.slice(0, text.indexOf(words)).split('\n').length;

  it('is not reported for a valid file', () => {
    expect(problemsOf(good)).toEqual([]);
  });

  it.each([
    ['an unknown kind of care', 'care: primary', 'care: primry', /^care: /],
    ['a template of another kind of care', 'template: SOAP', 'template: PIE', /^expected\.template: is SOAP/],
    [
      'a speaker who is nowhere else',
      '[patient, "Clear.',
      '[brother, "Clear.',
      /^talk\.\d+\.0: brother is no speaker$/,
    ],
    ['a section that the template does not have', '    SUBJECTIVE:', '    DATA:', /DATA: is no section of SOAP$/],
    ['an end before the start', 'T10:15', 'T09:15', /^encounter\.end: is not after the start$/],
    ['a birth after the encounter', '1994-06-02', '2027-06-02', /birthDate: is not before the encounter$/],
  ])('is reported with its place: %s', (_, right, wrong, message) => {
    const text = good.replace(right, wrong);
    const [problem] = problemsOf(text);
    expect(problem).toEqual({ path: name, line: lineOf(text, wrong), message: expect.stringMatching(message) });
  });

  it('is reported with the place of a missing field', () => {
    const text = good.replace(/ +triage: WHITE\n/, '');
    const message = 'expected.triage: is there unless nobody speaks';
    expect(problemsOf(text)).toEqual([{ path: name, line: lineOf(text, 'expected:'), message }]);
  });

  it('is a file name that differs from the patient’s id', () => {
    expect(problemsOf(good, 'en-cold.yaml')).toEqual([
      { path: 'en-cold.yaml', line: 1, message: 'id: is the name of the file, and begins with its language' },
    ]);
  });

  it('is reported with its line if the file is no YAML', () => {
    expect(problemsOf(`${good}id: twice\n`)).toMatchObject([{ path: name, line: good.split('\n').length }]);
  });

  it('is reported together with those of other files', () => {
    const read = parsePatients([
      { path: name, text: good.replace('care: primary', 'care: none') },
      { path: name, text: good.replace('trap: benign', 'trap: none') },
    ]);
    expect('problems' in read && read.problems).toHaveLength(2);
  });
});

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
