// The references of documents: to current resources, in this EHR, that exist.
import { describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import type { DocumentMapping, MappingInput } from '../../../src/domain/mapping/mapping.ts';
import { makeWriteChart } from '../../../src/flows/chart-writing/write-chart.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { isRetired } from '../../support/chart-invariants.ts';
import { aHospital, aLiveSite, aResult, type Hospital } from '../../support/chart-writing.ts';

const second = (changes: Parameters<typeof aResult>[0] = {}) =>
  aResult({ run: 'run-2', time: '2026-03-02T11:00:00Z', ...changes });
const live = (hospital: Hospital, type: string) => hospital.written(type).filter((one) => !isRetired(one));
const nameOf = ({ resourceType, id }: Resource) => `${resourceType}/${id}`;
const pointedAt = (value: unknown): readonly string[] =>
  [...JSON.stringify(value).matchAll(/"reference":"([^"]+)"/g)].map(([, reference = '']) => reference);
const newest = (hospital: Hospital, type: string) => hospital.written(type).at(-1);
const sign = (resource: Resource): Resource =>
  resource.resourceType === 'DocumentReference' ? { ...resource, docStatus: 'final' } : resource;

/** One of the small mappings, with an addition to its result. */
function changed(site: LoadedSite, name: string, add: (made: object, input: MappingInput) => object): LoadedSite {
  const mapping = site.mappings.get(name);
  if (mapping === undefined) throw new Error(`there is no mapping ${name}`);
  const apply: DocumentMapping['apply'] = (input) => {
    const made = mapping.apply(input);
    return { ...made, value: { ...Object(made.value), ...add(Object(made.value), input) } };
  };
  return { ...site, mappings: new Map([...site.mappings, [name, { ...mapping, apply }]]) };
}

const codedAnew = (site: LoadedSite) =>
  changed(site, 'condition', (_, { variables }) => ({
    severity: { text: Object(variables['run']).id },
  }));

describe.each([
  ['in one transaction', true],
  ['one after the other', false],
])('what is written %s', (_, hasTransaction) => {
  it('refers to the statements that are made with it, not to those that it retires', async () => {
    const hospital = aHospital({ hasTransaction });
    await hospital.write();
    const site = codedAnew(hospital.site);
    expect(await hospital.write(second(), site)).toMatchObject({ status: 'written' });
    const conditions = live(hospital, 'Condition').map(nameOf);
    expect(conditions).toHaveLength(2);
    const [assessment] = live(hospital, 'RiskAssessment');
    expect(pointedAt(assessment).filter((each) => each.startsWith('Condition/'))).toEqual(conditions);
    const targets = pointedAt(newest(hospital, 'Provenance'));
    expect(targets).toEqual(expect.arrayContaining([...conditions, `RiskAssessment/${assessment?.id}`]));
    const retired = hospital.written().filter(isRetired).map(nameOf);
    expect(retired).toHaveLength(3);
    expect(targets.filter((each) => retired.includes(each))).toEqual([]);
  });

  it('refers to the appended note, not to the signed one before it', async () => {
    const hospital = aHospital({ hasTransaction });
    await hospital.write();
    const [note] = hospital.written('DocumentReference').map(nameOf);
    hospital.ehr.edit(note ?? '', sign);
    await hospital.write(second({ plan: 'Sputum culture.', diseases: ['J44.1'] }));
    const appended = hospital.written('DocumentReference').map(nameOf)[1];
    const [condition] = live(hospital, 'Condition');
    expect(pointedAt(condition)).toContain(appended);
    expect(pointedAt(condition)).not.toContain(note);
  });
});

it('a document that was appended stays so in its further versions', async () => {
  const hospital = aHospital();
  await hospital.write();
  const [note] = hospital.written('DocumentReference').map(nameOf);
  hospital.ehr.edit(note ?? '', sign);
  await hospital.write(second({ plan: 'Sputum culture.' }));
  await hospital.write(aResult({ run: 'run-3', time: '2026-03-02T12:00:00Z', plan: 'Antibiotics.' }));
  expect(hospital.written('DocumentReference')).toMatchObject([
    { docStatus: 'final' },
    { relatesTo: [{ code: 'appends', target: { reference: note } }], meta: { versionId: '2' } },
  ]);
});

describe('documents that refer to each other', () => {
  const entwined = () =>
    changed(aLiveSite(), 'composition', (_, { documents }) => ({
      event: [{ detail: documents?.['condition'] ?? [] }],
    }));

  it('are written in one transaction', async () => {
    const hospital = aHospital({ site: entwined() });
    expect(await hospital.write()).toMatchObject({ status: 'written' });
    expect(JSON.stringify(hospital.written())).not.toContain('urn:uuid:');
  });

  it('are not written one after the other, because an unresolved urn would stay in the EHR', async () => {
    const hospital = aHospital({ site: entwined(), hasTransaction: false });
    expect(await hospital.write()).toMatchObject({ status: 'parked', reason: 'no-way' });
    expect(JSON.stringify(hospital.written())).not.toContain('urn:uuid:');
  });
});

it('a document that refers to later ones is written after them', async () => {
  const pointsAhead = changed(aLiveSite(), 'document-reference', (made, { documents }) => ({
    context: { ...Object(made)['context'], related: documents?.['risk-assessment'] ?? [] },
  }));
  const site = changed(pointsAhead, 'condition', () => ({ evidence: [] }));
  const hospital = aHospital({ site, hasTransaction: false });
  expect(await hospital.write()).toMatchObject({ status: 'written' });
  const [assessment] = hospital.written('RiskAssessment').map(nameOf);
  expect(pointedAt(hospital.written('DocumentReference'))).toContain(assessment);
});

it('a transaction that the EHR stored in part, with dangling references, does not count as written', async () => {
  const hospital = aHospital();
  const ehr = hospital.parts.ehrs.of(hospital.site);
  // Each entry alone, as it is in the Bundle.
  const takeApart: typeof ehr.transact = async (bundle, signal) => {
    const entries = [];
    for (const { resource } of JSON.parse(bundle).entry) {
      const answer = await ehr.create({ type: resource.resourceType, body: JSON.stringify(resource) }, signal);
      if (answer.kind === 'stored') entries.push(answer);
    }
    return { kind: 'stored', entries, wasBatch: entries.length > 1 };
  };
  const parts = { ...hospital.parts, ehrs: { ...hospital.parts.ehrs, of: () => ({ ...ehr, transact: takeApart }) } };

  const order = { site: hospital.site, facts: aResult() };
  const outcome = await makeWriteChart(parts)(order, new AbortController().signal);
  expect(outcome).toMatchObject({ status: 'parked', reason: 'ambiguous' });
  expect(JSON.stringify(hospital.written())).toContain('urn:uuid:');
});
