// Official lists of codes in runs: what reaches the chart, what is counted, and what a new list changes.
import { describe, expect, it } from '@jest/globals';
import type { Condition } from '@medplum/fhirtypes';
import type { DiseaseVariable } from '../../src/domain/chart/chart.ts';
import type { CodeSystem } from '../../src/domain/coding/code-system.ts';
import type { Diagnosis } from '../../src/domain/diagnosis/diagnosis.ts';
import type { CodeTable } from '../../src/domain/mapping/code-table.ts';
import type { NewCodeList } from '../../src/ports/codes.ts';
import { aDisease, aMapping } from '../support/chart-facts.ts';
import { isRetired } from '../support/chart-invariants.ts';
import { aRunTestbed, type RunTestbed } from '../support/run-testbed.ts';

const SYSTEM = 'http://hl7.org/fhir/sid/icd-10-cm';
const TABLE: CodeTable = {
  name: 'diagnosis',
  system: SYSTEM,
  unmapped: 'keep',
  codes: { 'J18.9': { code: 'J18.9', display: 'Pneumonia, unspecified organism' } },
};

/** As `code(%codes.diagnosis)` does it. */
const condition = aMapping(
  ({ disease, codes }) => {
    const { name, icd10_code: code } = disease as DiseaseVariable;
    const { diagnosis } = codes as { readonly diagnosis: CodeTable };
    const coding = code === undefined ? [] : [{ system: SYSTEM, code, ...diagnosis.codes[code] }];
    return {
      resourceType: 'Condition',
      verificationStatus: { coding: [{ code: 'differential' }] },
      code: { ...(coding.length > 0 && { coding }), text: name },
      subject: { reference: 'Patient/p-1' },
      encounter: { reference: 'Encounter/e-1' },
    };
  },
  ['disease', 'codes'],
);

function aTestbed(settings: Parameters<typeof aRunTestbed>[0] = {}): RunTestbed {
  const testbed = aRunTestbed({ codes: { diagnosis: TABLE }, mappings: { condition }, ...settings });
  testbed.diagnoses(() => diagnosisOf('J18.9', 'J20.9'));
  return testbed;
}

function diagnosisOf(...codes: readonly string[]): Diagnosis {
  const diseases = codes.map((code) => aDisease({ name: `Disease ${code}`, icd10_code: code, probability: 0.3 }));
  return {
    diagnosis: { diseases },
    triage: { triage_level: 'WHITE', triage_justification: '', triage_recommendation: '' },
  };
}

async function importList(
  testbed: RunTestbed,
  displays: Readonly<Record<string, string>>,
  version = '2026',
  system: CodeSystem = 'icd-10-cm',
) {
  async function* batches(): NewCodeList['batches'] {
    yield Object.entries(displays).map(([code, display]) => ({ code, display }));
    return { version, sha256: 'a'.repeat(64) };
  }
  await testbed.codes.replace({ system, batches: batches() });
}

function codesInChart(testbed: RunTestbed) {
  const conditions = testbed.hospital.written('Condition') as readonly Condition[];
  return conditions.filter((one) => !isRetired(one)).map(({ code }) => code);
}

async function codesOfRun(testbed: RunTestbed) {
  return (await testbed.runs.results((await testbed.onlyRun()).id)).map?.codes;
}

describe('The codes of a run', () => {
  it('without a list are written as the table has them, and those outside of it are counted as unverified', async () => {
    const testbed = aTestbed();
    await testbed.accept();
    await testbed.work();
    expect(codesInChart(testbed)).toEqual([
      {
        coding: [{ system: SYSTEM, code: 'J18.9', display: 'Pneumonia, unspecified organism' }],
        text: 'Disease J18.9',
      },
      { coding: [{ system: SYSTEM, code: 'J20.9' }], text: 'Disease J20.9' },
    ]);
    expect(await codesOfRun(testbed)).toEqual({ official: 1, unverified: 1, unknown: 0 });
  });

  it('with a list have its names and version, and one that it does not have is written as text', async () => {
    const testbed = aTestbed();
    await importList(testbed, { 'J18.9': 'Pneumonia, official' });
    await testbed.accept();
    await testbed.work();
    expect(codesInChart(testbed)).toEqual([
      {
        coding: [{ system: SYSTEM, version: '2026', code: 'J18.9', display: 'Pneumonia, official' }],
        text: 'Disease J18.9',
      },
      { text: 'Disease J20.9' },
    ]);
    const list = { system: 'icd-10-cm', version: '2026' };
    expect(await codesOfRun(testbed)).toEqual({ list, official: 1, unverified: 0, unknown: 1 });
  });

  it('of a finer edition are written as the code above them, if the system of the site has that', async () => {
    const system = 'http://hl7.org/fhir/sid/icd-10';
    const testbed = aTestbed({ codes: { diagnosis: { ...TABLE, system } } });
    testbed.change({ codes: { ...testbed.site.settings.codes, diagnosis: 'icd-10' } });
    testbed.diagnoses(() => diagnosisOf('J45.901', 'T76.12XA'));
    await importList(testbed, { 'J45.9': 'Asthma, official', T76: 'Effects of external causes' }, '2019', 'icd-10');
    await testbed.accept();
    await testbed.work();
    expect(codesInChart(testbed)).toMatchObject([
      { coding: [{ version: '2019', code: 'J45.9', display: 'Asthma, official' }], text: 'Disease J45.901' },
      { text: 'Disease T76.12XA' },
    ]);
    expect(codesInChart(testbed)[1]).not.toHaveProperty('coding');
    expect(await codesOfRun(testbed)).toMatchObject({ official: 1, unverified: 0, unknown: 1 });
  });

  it('are not counted if the site writes no diagnosis', async () => {
    const testbed = aTestbed();
    testbed.change({ write: { ...testbed.site.settings.write, diagnosis: [] } });
    await testbed.accept();
    await testbed.work();
    expect(await codesOfRun(testbed)).toBeUndefined();
  });

  it('of a replay come from the list of that moment', async () => {
    const testbed = aTestbed();
    await importList(testbed, { 'J18.9': 'Pneumonia, official' });
    await testbed.accept();
    await testbed.work();
    await importList(testbed, { 'J18.9': 'Pneumonia, new', 'J20.9': 'Bronchitis, new' }, '2027');
    await testbed.runs.replay({ id: (await testbed.onlyRun()).id, from: 'map', isDry: false });
    await testbed.work();
    expect(codesInChart(testbed)).toMatchObject([
      { coding: [{ version: '2027', display: 'Pneumonia, new' }] },
      { coding: [{ version: '2027', display: 'Bronchitis, new' }] },
    ]);
  });
});

describe('A new list between the draft and its approval', () => {
  async function aHeldDraft() {
    const testbed = aTestbed();
    testbed.change({ write: { ...testbed.site.settings.write, review: 'hold' } });
    await importList(testbed, { 'J18.9': 'Pneumonia, official', 'J20.9': 'Bronchitis, official' });
    await testbed.accept();
    await testbed.work();
    const run = await testbed.onlyRun();
    expect(run).toMatchObject({ status: 'held', reason: 'review', revision: 1 });
    const approve = () => {
      const review = {
        decision: 'approve',
        reviewer: 'Practitioner/7',
        time: '2026-03-02T11:00:00Z',
        revision: run.revision,
      } as const;
      return testbed.runs.review({ id: run.id, review });
    };
    return { testbed, approve };
  }

  it('holds the draft again if a code of it has another name now', async () => {
    const { testbed, approve } = await aHeldDraft();
    await importList(testbed, { 'J18.9': 'Pneumonia, official', 'J20.9': 'Bronchitis, renamed' }, '2027');
    await approve();
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'held', reason: 'review', revision: 2 });
    expect(codesInChart(testbed)).toEqual([]);
  });

  it('of the same version and names holds nothing', async () => {
    const { testbed, approve } = await aHeldDraft();
    await importList(testbed, { 'J18.9': 'Pneumonia, official', 'J20.9': 'Bronchitis, official', A00: 'Cholera' });
    await approve();
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'written' });
  });
});

describe('A new list between mapping and writing', () => {
  it('does not change what is written: it is what was mapped', async () => {
    const testbed = aTestbed();
    await importList(testbed, { 'J18.9': 'Pneumonia, official', 'J20.9': 'Bronchitis, official' });
    await testbed.accept();
    // The engine stops between the two steps; the next one maps the stored facts again.
    testbed.ehr.misbehave({ on: 'transact', does: 'throw-unavailable' });
    await testbed.work();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'waiting', step: 'write-chart' });
    await importList(testbed, { 'J18.9': 'Pneumonia, new', 'J20.9': 'Bronchitis, new' }, '2027');
    testbed.ehr.behave();
    await testbed.drain();
    expect(await testbed.onlyRun()).toMatchObject({ status: 'written' });
    expect(codesInChart(testbed)).toMatchObject([{ coding: [{ version: '2026' }] }, { coding: [{ version: '2026' }] }]);
  });
});
