import { describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import type { Diagnosis } from '../../src/domain/diagnosis/diagnosis.ts';
import { readPatients } from '../../src/sandbox/patients/read-patients.ts';
import type { SandboxPatient } from '../../src/sandbox/patients/sandbox-patient.ts';
import { diagnosisIn, noteIn, writtenIn } from './chart-answer.ts';
import { scoreVisits, vendorsOf } from './evaluate-sandbox.ts';
import { aDiagnosis } from './made-up-cases.ts';
import type { PlayedRun, PlayedVisit } from './play-sandbox.ts';
import { checkerComplaints, endMisses, resourceMisses } from './resource-misses.ts';
import { summariseSandbox } from './sandbox-summary.ts';
import { sandboxTables } from './sandbox-tables.ts';
import { scoreVisit } from './score-visit.ts';
import { sandboxPart, sandboxPartOf } from './write-page.ts';

const named = new Map(readPatients().map((patient) => [patient.id, patient]));

function patientNamed(id: string): SandboxPatient {
  const patient = named.get(id);
  if (patient === undefined) throw new Error(`there is no ${id}`);
  return patient;
}

/** With known mistakes of the test's own: those of the story change. */
const CROUP = withKnown(patientNamed('es-child-croup'), [
  'EXAMINATION holds "estridor"',
  'EXAMINATION holds "tiraje"',
  'DECISION holds "crup|laringitis|moderado|dexametasona"',
]);
function withKnown(patient: SandboxPatient, mistakes: readonly string[]): SandboxPatient {
  const notYet = mistakes.map((what) => ({ what, why: 'made up' }));
  return { ...patient, expected: { ...patient.expected, notYet } };
}

const identifier = [{ system: 'urn:chartwright:sandbox', value: 'made-up' }];
const subject = { reference: 'Patient/1' };
const div = (words: string) => ({
  status: 'generated' as const,
  div: `<div xmlns="http://www.w3.org/1999/xhtml"><p>A notice.</p><p>${words}</p></div>`,
});
const concept = (code: string) => ({ coding: [{ system: 'http://hl7.org/fhir/sid/icd-10', code, display: 'x' }] });

/** With a note of one section, a disease for each code, and a flag where it is RED. */
function aChart({ codes, isRed = false }: { readonly codes: readonly string[]; readonly isRed?: boolean }): Resource[] {
  const own = { identifier, subject };
  return [
    { resourceType: 'DocumentReference', id: 'recording', status: 'current', content: [], subject },
    {
      resourceType: 'Composition',
      ...own,
      identifier: identifier[0] ?? {},
      status: 'preliminary',
      type: { text: 'note' },
      date: '2026-11-20T10:00:00Z',
      author: [{ display: 'a machine' }],
      title: 'Nota',
      section: [
        { title: 'Evaluación', section: [{ title: 'Diagnóstico diferencial', text: div('Un crup &amp; m&#225;s') }] },
        { title: 'Acción', text: div('Dexametasona<br/>10 mg') },
      ],
    },
    { resourceType: 'DocumentReference', ...own, status: 'current', content: [{ attachment: { title: 'note' } }] },
    ...codes.map((code): Resource => ({ resourceType: 'Condition', ...own, code: concept(code) })),
    {
      resourceType: 'RiskAssessment',
      ...own,
      status: 'preliminary',
      prediction: codes.map((code) => ({ outcome: concept(code), probabilityDecimal: 60 })),
    },
    ...(isRed ? [{ resourceType: 'Flag' as const, ...own, status: 'active' as const, code: concept('RED') }] : []),
    {
      resourceType: 'Provenance',
      meta: { tag: [{ system: 'urn:chartwright:sandbox', code: 'made-up' }] },
      target: [{ reference: 'Composition/1' }],
      recorded: '2026-11-20T10:00:00Z',
      agent: [{ who: { display: 'a machine' } }],
    },
    { resourceType: 'Device', identifier },
  ];
}

function aVisit(parts: Partial<PlayedVisit> & { readonly run?: PlayedRun }): PlayedVisit {
  return { story: CROUP.id, run: aRun({}), chart: aChart({ codes: ['J05.0'], isRed: true }), ...parts };
}

function aRun(parts: Partial<PlayedRun>): PlayedRun {
  const diagnosis = aDiagnosis(['J05.0'], 'RED');
  return { id: 'r-1', encounter: `Encounter/${CROUP.id}`, status: 'written', resources: [], diagnosis, ...parts };
}

describe('The content of a chart', () => {
  const chart = aChart({ codes: ['J05.0', 'J04.0'], isRed: true });

  it('is the engine’s where it carries its name, as an identifier or as a tag', () => {
    const types = writtenIn(chart).map(({ resourceType }) => resourceType);
    expect(types).toContain('Provenance');
    expect(types.filter((type) => type === 'DocumentReference')).toHaveLength(1);
  });

  it('is read as a note: sections by their keys, in whichever depth, without the notice', () => {
    const answer = noteIn(chart, { template: 'CHEDDAR', language: 'es' });
    expect(answer).toMatchObject({
      isMedical: true,
      note: {
        sections: [
          { key: 'DIFFERENTIAL', text: 'Un crup & m&#225;s' },
          { key: 'ACTION', text: 'Dexametasona\n10 mg' },
        ],
      },
    });
    expect(noteIn([], { template: 'CHEDDAR', language: 'es' })).toEqual({ isMedical: false });
  });

  it('is read as a differential in its order, and as a triage', () => {
    const { diagnosis, triage } = diagnosisIn(chart);
    expect(diagnosis.diseases.map(({ icd10_code, probability }) => [icd10_code, probability])).toEqual([
      ['J05.0', 0.6],
      ['J04.0', 0.6],
    ]);
    expect(triage.triage_level).toBe('RED');
    expect(diagnosisIn(aChart({ codes: [] })).triage.triage_level).toBe('WHITE');
  });
});

function unlikely({ diagnosis, triage }: Diagnosis): Diagnosis {
  return { diagnosis: { diseases: diagnosis.diseases.map((one) => ({ ...one, probability: 0.04 })) }, triage };
}

function active(resource: Resource): Resource {
  const clinicalStatus = { coding: [{ code: 'active' }] };
  return resource.resourceType === 'Condition' ? { ...resource, clinicalStatus } : resource;
}

describe('An encounter', () => {
  it('misses its end where it ends otherwise, or for another reason', () => {
    const silent = patientNamed('pt-silence');
    const skipped = aRun({ status: 'skipped', reason: 'no-speech' });
    expect(endMisses(CROUP, aVisit({}))).toEqual([]);
    expect(endMisses(silent, aVisit({ run: skipped }))).toEqual([]);
    expect(endMisses(silent, aVisit({ run: { ...skipped, reason: 'not-medical' } }))).toEqual([
      'run skipped (not-medical) instead of skipped (no-speech)',
    ]);
    expect(endMisses(CROUP, aVisit({ run: skipped }))).toEqual(['run skipped (no-speech) instead of written']);
  });

  it('has the right resources where they are those of its answer', () => {
    expect(resourceMisses(aVisit({}))).toEqual([]);
    expect(resourceMisses(aVisit({ run: aRun({ status: 'skipped' }), chart: [] }))).toEqual([]);
  });

  it.each<[string, Partial<PlayedVisit>, string]>([
    ['one that is missing', { chart: aChart({ codes: ['J05.0'] }) }, '0 Flag instead of 1'],
    ['one too many', { run: aRun({ diagnosis: aDiagnosis(['J05.0'], 'WHITE') }) }, '1 Flag instead of 0'],
    [
      'a condition of something else',
      { chart: aChart({ codes: ['J04.0'], isRed: true }) },
      'Conditions of other codes',
    ],
    [
      'a condition of an unlikely candidate',
      { run: aRun({ diagnosis: unlikely(aDiagnosis(['J05.0'], 'RED')) }) },
      '1 Condition instead of 0',
    ],
    ['an active condition', { chart: aChart({ codes: ['J05.0'], isRed: true }).map(active) }, 'an active Condition'],
    ['anything where the run wrote nothing', { run: aRun({ status: 'skipped' }) }, '1 Composition instead of 0'],
  ])('has the wrong ones with %s', (_, parts, told) => {
    expect(resourceMisses(aVisit(parts))).toContain(told);
  });

  it('has another order where the RiskAssessment has', () => {
    const run = aRun({ diagnosis: aDiagnosis(['J04.0', 'J05.0'], 'RED') });
    const chart = aChart({ codes: ['J05.0', 'J04.0'], isRed: true });
    expect(resourceMisses(aVisit({ run, chart }))).toEqual(['the RiskAssessment has another order']);
  });

  it('reports findings of the checkers about the engine’s resources only', () => {
    const wrong = { resourceType: 'Device', identifier, status: 'happy' } as unknown as Resource;
    const others = { resourceType: 'Device', status: 'happy' } as unknown as Resource;
    expect(checkerComplaints(aVisit({ chart: [others] }))).toEqual([]);
    expect(checkerComplaints(aVisit({ chart: [wrong] })).join('\n')).toMatch(/^Device: .*status/m);
  });
});

describe('The score of an encounter', () => {
  const written = scoreVisit(CROUP, aVisit({}));
  const held = scoreVisit(CROUP, aVisit({ run: aRun({ status: 'held', reason: 'unsupported' }), chart: [] }));

  it('is of the note and the differential as they stand in the chart', () => {
    expect(written).toMatchObject({ isEndedRight: true, isRightlyWritten: true });
    expect(written.diagnosis).toMatchObject({ isFirst: true, triage: 'right', mustNotMiss: 2, found: 0 });
    expect(written.note.missed).not.toContain('ACTION holds "dexametasona"');
    expect(written.newMisses).toContain('mustNotMiss "J05.1"');
    expect(written.newMisses).not.toContain('EXAMINATION holds "estridor"');
    expect(written.misses).toContain('EXAMINATION holds "estridor"');
  });

  it('counts RED that was not written as called nothing, and has one thing to say of it', () => {
    expect(held.diagnosis).toMatchObject({ triage: 'under', isFirst: false });
    expect(held.note.placed).toBe(0);
    expect(held.misses).toEqual(['run held (unsupported) instead of written']);
  });

  it('has no triage without speech', () => {
    const run = aRun({ status: 'skipped', reason: 'no-speech' });
    const silent = scoreVisit(patientNamed('pt-silence'), aVisit({ run, chart: [] }));
    expect(silent).toMatchObject({ diagnosis: undefined, misses: [] });
  });

  it('is wanted of every story', () => {
    expect(() => scoreVisits([CROUP], [])).toThrow('es-child-croup was not played');
  });

  describe('all together', () => {
    const report = summariseSandbox([written, held]);

    it('is a row for all and for each language', () => {
      expect(report.rows.map(({ language, count }) => [language, count])).toEqual([
        ['all', 2],
        ['en', 0],
        ['es', 2],
        ['pt', 0],
      ]);
      expect(report.rows[0]).toMatchObject({
        ended: { met: 1, of: 2 },
        top1: { met: 1, of: 2 },
        underCalls: { met: 1, of: 2 },
        overCalls: { met: 0, of: 0 },
        mustNotMiss: { met: 0, of: 4 },
        resources: { met: 2, of: 2 },
      });
    });

    it('tells what is not right, and what of it is new', () => {
      const text = sandboxTables(report);
      expect(text).toContain('| es       |          2 |    50 % (1/2) |');
      expect(text).toContain('- es-child-croup: EXAMINATION holds "estridor"\n');
      expect(text).toContain('- es-child-croup: run held (unsupported) instead of written (new)');
      expect(text).toMatch(/\d+ mistakes, 3 of them known/);
    });

    it('is found again in a page', () => {
      const part = sandboxPart(report);
      expect(sandboxPartOf(`before${part}after`)).toBe(part);
      expect(sandboxPartOf('before')).toBe('');
    });
  });
});

describe('An engine that is started to be scored', () => {
  it('gets the configured vendors and nothing else', () => {
    const environment = { OPENAI_API_KEY: 'a', DEEPGRAM_BASE_URL: 'b', OPENAI_MODEL: undefined, PORT: '1', HOME: '/' };
    expect(vendorsOf(environment)).toEqual({ OPENAI_API_KEY: 'a', DEEPGRAM_BASE_URL: 'b' });
  });
});
