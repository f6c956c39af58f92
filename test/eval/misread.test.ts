// What must not appear in a chart is found there, and what may appear is not.
import { describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { chooseTemplate } from '../../src/domain/note/template.ts';
import { readPatients } from '../../src/sandbox/patients/read-patients.ts';
import type { SandboxPatient } from '../../src/sandbox/patients/sandbox-patient.ts';
import { type Misread, misreadFacts } from './misread-facts.ts';
import { sandboxFloors } from './sandbox-floors.ts';
import { summariseSandbox } from './sandbox-summary.ts';
import { sandboxTables } from './sandbox-tables.ts';
import { readVisitList, type VisitList } from './visit-lists.ts';

const patients = readPatients();
const identifier = [{ system: 'urn:chartwright:sandbox', value: 'made-up' }];
const subject = { reference: 'Patient/1' };
const div = (words: string) => ({
  status: 'generated' as const,
  div: `<div xmlns="http://www.w3.org/1999/xhtml"><p>A notice.</p><p>${words}</p></div>`,
});
const concept = (code: string) => ({ coding: [{ system: 'http://hl7.org/fhir/sid/icd-10-cm', code }] });

type Parts = {
  readonly note?: Readonly<Record<string, string>>;
  readonly why?: string;
  readonly codes?: readonly string[];
  readonly conditions?: readonly string[];
  readonly flag?: string;
};

function aChart({ note = {}, why = '', codes = ['R69'], conditions = [], flag }: Parts): readonly Resource[] {
  return [
    {
      resourceType: 'Composition',
      identifier: identifier[0] ?? {},
      subject,
      status: 'preliminary',
      type: { text: 'note' },
      date: '2026-11-20T10:00:00Z',
      author: [{ display: 'a machine' }],
      title: 'Note',
      section: Object.entries(note).map(([title, words]) => ({ title, text: div(words) })),
    },
    {
      resourceType: 'RiskAssessment',
      identifier,
      subject,
      status: 'preliminary',
      prediction: codes.map((code) => ({ outcome: concept(code), rationale: why })),
    },
    ...conditions.map((code): Resource => ({ resourceType: 'Condition', identifier, subject, code: concept(code) })),
    ...(flag === undefined
      ? []
      : [
          {
            resourceType: 'Flag' as const,
            identifier,
            subject,
            status: 'active' as const,
            code: concept('RED'),
            text: div(flag),
          },
        ]),
  ];
}

function patientOf(language: SandboxPatient['language']): SandboxPatient {
  const found = patients.find((patient) => patient.language === language && patient.expected.template === 'SOAP');
  if (found === undefined) throw new Error(`there is no visit in ${language}`);
  return found;
}

function misreadIn(
  parts: Parts,
  list: Partial<VisitList>,
  language: SandboxPatient['language'] = 'en',
): readonly Misread[] {
  return misreadFacts(
    patientOf(language),
    { id: 'made-up', discussed: [], absent: [], read: [], notYet: [], ...list },
    aChart(parts),
  );
}

describe('A list of what must not appear', () => {
  it.each(patients.map((patient) => [patient.id, patient] as const))('is there for %s', (id, { expected }) => {
    const { absent, discussed } = readVisitList(id);
    expect(absent.length).toBeGreaterThan(3);
    const keys = chooseTemplate({ template: expected.template, language: 'en' }).sections.map(({ key }) => key);
    expect(discussed.filter((key) => !keys.includes(key))).toEqual([]);
    expect(discussed.length > 0).toBe(expected.medical);
  });

  it.each(patients.flatMap(({ id, late }) => (late === undefined ? [] : [id])))(
    'is there for the late recording of %s',
    (id) => {
      expect(readVisitList(`${id}-late`).absent.length).toBeGreaterThan(3);
    },
  );
});

describe('A misread fact', () => {
  const denied = { in: 'facts', kind: 'denied', words: 'vomit' } as const;

  it.each([
    ['speaks for a candidate', 'Speaks for it: cough; vomiting (“throw up”).'],
    ['speaks for a candidate and is not certain', 'Speaks for it: vomiting (“throw up”, not certain); cough.'],
    ['speaks against a candidate', 'Speaks against it: vomiting.'],
    ['is left unexplained', 'It does not explain: cough, vomiting.'],
    ['is denied only by the words that are quoted for it', 'Speaks for it: vomiting (“not much”).'],
    ['is told by a model', 'The patient vomited twice. This fits.'],
  ])('is found if it %s', (_, why) => {
    expect(misreadIn({ why }, { absent: [denied] })).toMatchObject([{ kind: 'denied', place: 'facts' }]);
  });

  it.each([
    ['is said to be absent', 'Speaks for it: cough; said to be absent: vomiting, fever.'],
    ['is to be asked for', 'Speaks for it: cough. Not mentioned, and could change this ranking. Ask for: vomiting.'],
    ['is denied by a model', 'There was no vomiting. This fits.'],
    ['is only a part of another word', 'Speaks for it: revomiting.'],
  ])('is not found if it %s', (_, why) => {
    expect(misreadIn({ why }, { absent: [denied] })).toEqual([]);
  });

  it('is found in the danger signs of a flag, and not among what the flag does not count', () => {
    const asthma = { in: 'facts', kind: 'relative', words: 'asthma' } as const;
    const danger = 'Urgent: the text names danger signs: severe asthma (“asthma”); fever.';
    const family = 'Urgent: the text names danger signs: fever. Mentioned of relatives and not counted: asthma.';
    expect(misreadIn({ flag: danger }, { absent: [asthma] })).toHaveLength(1);
    expect(misreadIn({ flag: family }, { absent: [asthma] })).toEqual([]);
  });

  it('counts once, however many candidates repeat it', () => {
    const why = 'Speaks for it: vomiting (“throw up”). It does not explain: vomiting.';
    expect(misreadIn({ why, codes: ['A09', 'G43.9'] }, { absent: [denied] })).toEqual([
      { kind: 'denied', place: 'facts', what: 'vomiting (“throw up”)' },
    ]);
  });

  it.each<[SandboxPatient['language'], string, string, string]>([
    ['en', 'fever', 'She had fever.', 'She has no fever. She didn’t have fever. Fever?'],
    ['es', 'fiebre', 'Tuvo fiebre anoche.', 'Niega fiebre. Sin fiebre. ¿Fiebre?'],
    ['pt', 'febre', 'Teve febre ontem.', 'Nega febre. Não teve febre. Febre?'],
  ])('is found in a note in %s if it is affirmed, not if it is denied or asked', (language, words, wrong, right) => {
    const absent = [{ in: 'note', kind: 'denied', words } as const];
    const section = chooseTemplate({ template: 'SOAP', language }).sections[0]?.title ?? '';
    expect(misreadIn({ note: { [section]: wrong } }, { absent }, language)).toHaveLength(1);
    expect(misreadIn({ note: { [section]: right } }, { absent }, language)).toEqual([]);
  });

  it('may be right beside other words, in the same statement or near it', () => {
    const rash = { in: 'note', kind: 'past', words: 'rash' } as const;
    const note = (text: string) => ({ note: { Subjective: text } });
    expect(misreadIn(note('Amoxicillin. A rash.'), { absent: [{ ...rash, unless: 'amoxicillin' }] })).toHaveLength(1);
    expect(misreadIn(note('Amoxicillin. A rash.'), { absent: [{ ...rash, near: 'amoxi*' }] })).toEqual([]);
    expect(misreadIn(note('Amoxicillin. What happens? A rash.'), { absent: [{ ...rash, near: 'amoxi*' }] })).toEqual(
      [],
    );
    expect(misreadIn(note('Amoxicillin? “Yes, a rash.”'), { absent: [{ ...rash, near: 'amoxi*' }] })).toEqual([]);
    expect(misreadIn(note('A rash of amoxicillin.'), { absent: [{ ...rash, unless: 'amoxicillin' }] })).toEqual([]);
  });

  it('is a candidate, a Condition or a flag that must not be there', () => {
    const absent = [
      { in: 'candidates', kind: 'person', codes: 'O|P' },
      { in: 'conditions', kind: 'considered', codes: 'I71' },
      { in: 'flag', kind: 'danger', words: 'any' },
    ] as const;
    const wrong = misreadIn(
      { codes: ['O00.9', 'I71.0'], conditions: ['I71.0'], flag: 'Urgent.' },
      { absent: [...absent] },
    );
    expect(wrong.map(({ place, what }) => `${place} ${what}`)).toEqual([
      'candidates O00.9',
      'conditions I71.0',
      'flag urgent',
    ]);
    expect(misreadIn({ codes: ['I71.0'] }, { absent: [...absent] })).toEqual([]);
  });

  it('is a section of which something was said, if the note says that nothing was', () => {
    const chart = { note: { Plan: 'Not discussed.', Objective: 'Not discussed.' } };
    expect(misreadIn(chart, { discussed: ['PLAN'] })).toEqual([{ kind: 'not-discussed', place: 'note', what: 'PLAN' }]);
  });
});

describe('The floor of the sandbox', () => {
  const aReport = (misread: readonly Misread[]) => {
    const report = summariseSandbox([]);
    const rows = report.rows.map((row) => ({ ...row, ended: { met: 1, of: 1 } }));
    return { ...report, rows, misread: misread.map((one) => ({ id: 'en-made-up', ...one })) };
  };
  const wrong: Misread = { kind: 'denied', place: 'facts', what: 'vomiting' };
  const talk: Misread = { kind: 'small-talk', place: 'note', what: 'the bike is in the hallway' };

  it('is not kept with one misread fact, which is named with its visit and kind', () => {
    const report = aReport([wrong, talk]);
    expect(sandboxFloors(report)).toMatchObject([{ group: 'sandbox', given: '1', isKept: false }]);
    expect(sandboxTables(report)).toContain('1 misread facts:\n\n- en-made-up: denied, facts: vomiting\n');
  });

  it('is kept without one; small talk is none', () => {
    expect(sandboxFloors(aReport([talk]))).toMatchObject([{ given: '0', isKept: true }]);
  });

  it('is not kept and known if its list names every misread fact as one that is still misread', () => {
    const notYet = [{ what: 'candidates: O00.9', why: 'made up' }];
    const absent = [{ in: 'candidates', kind: 'person', codes: 'O|P' } as const];
    const found = (codes: readonly string[]) => aReport(misreadIn({ codes }, { absent, notYet }));
    expect(sandboxFloors(found(['O00.9']))).toMatchObject([{ given: '1', isKept: false, isKnown: true }]);
    expect(sandboxFloors(found(['O00.9', 'P22']))).toMatchObject([{ given: '2', isKept: false, isKnown: false }]);
    expect(sandboxTables(found(['O00.9']))).toContain('person, candidates: O00.9 (known)');
  });

  it('is not kept if nothing was written', () => {
    expect(sandboxFloors(summariseSandbox([]))).toMatchObject([{ isKept: false }]);
  });
});
