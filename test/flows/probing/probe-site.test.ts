// The report of a probe; a write test leaves nothing behind that it does not name.
import { describe, expect, it } from '@jest/globals';
import { MappingError } from '../../../src/domain/mapping/mapping.ts';
import type { SiteSettings } from '../../../src/domain/site/site.ts';
import type { ProbeReport, ProbeStep } from '../../../src/flows/probing/probe-report.ts';
import { makeProbeSite, type ProbeSite } from '../../../src/flows/probing/probe-site.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { type FakeEhr, type FakeEhrOptions, makeFakeEhr } from '../../fakes/ehr.ts';
import { someCapabilities } from '../../fakes/ehr-capabilities.ts';
import { makeFakeEhrKnowledge } from '../../fakes/ehr-knowledge.ts';
import { makeFakeLedger } from '../../fakes/ledger.ts';
import { aMapping, aSite } from '../../support/chart-facts.ts';

type Variables = Readonly<Record<string, unknown>>;
const referenceTo = (variables: Variables, name: string, type: string) => ({
  reference: `${type}/${(variables[name] as { readonly id: string }).id}`,
});
const subjectOf = (variables: Variables) => ({
  subject: referenceTo(variables, 'patient', 'Patient'),
  encounter: referenceTo(variables, 'encounter', 'Encounter'),
});
const statusOf = (variables: Variables) => (variables['run'] as { readonly status: string }).status;

const MAPPINGS = {
  device: aMapping(() => ({ resourceType: 'Device', status: 'active' })),
  composition: aMapping((variables, { documents }) => ({
    resourceType: 'Composition',
    status: statusOf(variables),
    type: { text: 'note' },
    title: 'Note',
    date: '2026-01-01T00:00:00Z',
    author: documents?.['device'],
    ...subjectOf(variables),
  })),
  condition: aMapping(
    (variables, { documents }) => ({
      resourceType: 'Condition',
      code: { text: 'x' },
      evidence: [{ detail: documents?.['composition'] }],
      ...subjectOf(variables),
    }),
    ['disease'],
  ),
  task: aMapping((variables) => ({ resourceType: 'Task', for: referenceTo(variables, 'patient', 'Patient') })),
};

function mercy(settings: Partial<SiteSettings> = {}): LoadedSite {
  const write = { note: ['composition', 'task'], diagnosis: ['condition'], provenance: false };
  const site = aSite({ mappings: MAPPINGS, write });
  const ehr = {
    baseUrl: 'https://ehr.example.org/fhir',
    auth: { type: 'none' },
    maxConcurrentWrites: 2,
    headers: {},
  } as const;
  return { ...site, settings: { ...site.settings, mode: 'live', ehr, ...settings } };
}

type Lab = {
  readonly ehr: FakeEhr;
  readonly knowledge: ReturnType<typeof makeFakeEhrKnowledge>;
  readonly probe: ProbeSite;
  readonly left: string[];
  readonly ledger: ReturnType<typeof makeFakeLedger>;
};

function aLab(options: FakeEhrOptions = {}, { searchLagMs = 60_000, engine = 'openai:gpt-5.4' } = {}): Lab {
  const ehr = makeFakeEhr(options);
  const { runtime } = ehr;
  const knowledge = makeFakeEhrKnowledge({ now: runtime.now });
  const ledger = makeFakeLedger({ now: runtime.now });
  const left: string[] = [];
  const onLeftBehind = (_: string, { leftBehind }: { readonly leftBehind: readonly string[] }) =>
    void left.push(...leftBehind);
  const probe = makeProbeSite({
    ehrs: ehr.ehrs,
    reasoner: { engine },
    knowledge,
    ledger,
    runtime,
    searchLagMs,
    onLeftBehind,
  });
  return { ehr, knowledge, probe, left, ledger };
}

const SIGNAL = new AbortController().signal;
const testWriting = (lab: Lab, site = mercy()) => lab.probe({ site, writeTest: true }, SIGNAL);

function stepNamed(steps: readonly ProbeStep[] = [], name: string): ProbeStep | undefined {
  return steps.find((step) => step.name === name);
}

function stepOf({ writeTest }: ProbeReport, name: string): ProbeStep | undefined {
  return stepNamed(writeTest?.steps, name);
}

const lagOf = async (lab: Lab) => (await testWriting(lab)).learned.find(({ name }) => name === 'search-lag-ms')?.value;

const writes = ({ calls }: FakeEhr) =>
  calls.filter(({ call }) => ['create', 'update', 'transact', 'remove'].includes(call));

describe('a probe without a write test', () => {
  it('reports what it reached, that it has access, and the write strategy', async () => {
    const lab = aLab();
    const report = await lab.probe({ site: mercy(), writeTest: false }, SIGNAL);
    expect(report.steps.map(({ name, result }) => [name, result])).toEqual([
      ['reached', 'passed'],
      ['FHIR version', 'passed'],
      ['credentials', 'passed'],
    ]);
    expect(report).toMatchObject({
      site: 'mercy',
      isUsable: true,
      ehr: { baseUrl: 'https://ehr.example.org/fhir', auth: 'none', software: 'Fake EHR 1.0', fhirVersion: '4.0.1' },
    });
    expect(report.ladder.filter(({ isNext }) => isNext).map(({ rung }) => rung)).toEqual(['single-creates']);
    expect(report.ladder[0]).toMatchObject({
      rung: 'transaction',
      isUsable: false,
      why: expect.stringContaining('--write-test'),
    });
    expect(report.ladder.every(({ why }) => why.length > 10)).toBe(true);
    expect(writes(lab.ehr)).toEqual([]);
  });

  it('makes no search that a patient could match', async () => {
    const lab = aLab({ resources: [{ resourceType: 'Patient', id: 'p-9' }] });
    await lab.probe({ site: mercy(), writeTest: false }, SIGNAL);
    expect(lab.ehr.calls.map(({ call }) => call)).toEqual(['capabilities', 'search']);
  });

  it('reports type by type what the site writes and what the EHR offers', async () => {
    const capabilities = someCapabilities({ types: { Condition: { canCreate: false }, Composition: undefined } });
    const { types, warnings } = await aLab({ capabilities }).probe({ site: mercy(), writeTest: false }, SIGNAL);
    expect(types.find(({ type }) => type === 'Condition')).toEqual({
      type: 'Condition',
      documents: ['condition'],
      needs: ['read', 'search', 'create', 'update'],
      offers: { read: true, search: true, create: false, update: true },
      findBy: 'identifier',
      isTaken: false,
    });
    expect(types.find(({ type }) => type === 'Composition')).toMatchObject({ isTaken: false, offers: { read: false } });
    expect(types.find(({ type }) => type === 'Encounter')).toMatchObject({ documents: [], offers: { read: true } });
    expect(warnings).toEqual(
      expect.arrayContaining([
        'It accepts no Condition: condition will not be in the chart.',
        'It accepts no Composition: composition will not be in the chart.',
      ]),
    );
  });

  it('lists every right that a run of the site needs, also of types that it only reads, and of its Subscription', async () => {
    const needsOf = async (settings: Partial<SiteSettings>) => {
      const { types } = await aLab().probe({ site: mercy(settings), writeTest: false }, SIGNAL);
      return new Map(types.map(({ type, needs }) => [type, needs.join(' ')]));
    };
    const needs = await needsOf({});
    expect(Object.fromEntries(needs)).toMatchObject({
      Condition: 'read search create update',
      Encounter: 'read search',
      Practitioner: 'read',
      PractitionerRole: 'read',
      AllergyIntolerance: 'search',
      Observation: 'search',
    });
    expect(needs.has('Subscription')).toBe(false);
    const { events } = mercy().settings;
    const subscribed = await needsOf({ events: { ...events, subscription: { kind: 'rest-hook' } } });
    expect(subscribed.get('Subscription')).toBe('read search create update delete');
  });

  it('warns that the runs of the site would wait for another reasoner', async () => {
    const warned = async (engine: string) =>
      (await aLab({}, { engine }).probe({ site: mercy(), writeTest: false }, SIGNAL)).warnings.join('\n');
    expect(await warned('builtin:rules@1')).toMatch(/Its runs will wait\. .*builtin:rules@1.*OPENAI_API_KEY/);
    expect(await warned('openai:gpt-5.4')).not.toContain('Its runs will wait');
  });

  it('reports an EHR that cannot be reached, and tries nothing further', async () => {
    const lab = aLab({ misbehaviours: [{ on: 'capabilities', does: 'throw-unavailable' }] });
    const report = await testWriting(lab);
    expect(report).toMatchObject({ isUsable: false, ladder: [], types: [] });
    expect(report.steps).toEqual([{ name: 'reached', result: 'failed', why: 'the EHR cannot be reached.' }]);
    expect(report.writeTest).toBeUndefined();
    expect(lab.ehr.calls).toHaveLength(1);
  });

  it('refused credentials end it before anything is written', async () => {
    const lab = aLab({ misbehaviours: [{ on: 'search', does: 'throw-unavailable' }] });
    const report = await testWriting(lab);
    expect(stepNamed(report.steps, 'credentials')).toMatchObject({ result: 'failed' });
    expect(report.isUsable).toBe(false);
    expect(writes(lab.ehr)).toEqual([]);
  });

  it('reports no guesses about a server that states nothing and refuses access', async () => {
    const capabilities = someCapabilities({ isKnown: false, software: 'unknown', fhirVersion: '' });
    const lab = aLab({ capabilities, misbehaviours: [{ on: 'search', does: 'throw-unavailable' }] });
    const report = await lab.probe({ site: mercy(), writeTest: false }, SIGNAL);
    expect(report).toMatchObject({ isUsable: false, types: [], ladder: [] });
    expect(report.ehr.software).toBeUndefined();
    expect(stepNamed(report.steps, 'reached')?.why).toMatch(/has no readable CapabilityStatement/);
  });

  it('a search that was seen to miss resources does not count as a way to find a type', async () => {
    const lab = aLab();
    const find = async () => {
      const { types } = await lab.probe({ site: mercy(), writeTest: false }, SIGNAL);
      return types.find(({ type }) => type === 'Condition')?.findBy;
    };
    expect(await find()).toBe('identifier');
    await lab.knowledge.learn('mercy', 'Fake EHR 1.0', { name: 'search:Condition:identifier', value: 'refused' });
    expect(await find()).toBe('encounter');
    await lab.knowledge.learn('mercy', 'Fake EHR 1.0', { name: 'names:Condition', value: 'lost' });
    expect(await find()).toBeUndefined();
  });

  it('reports a server of another FHIR version, and writes nothing to it', async () => {
    const lab = aLab({ capabilities: someCapabilities({ fhirVersion: '5.0.0' }) });
    const report = await testWriting(lab);
    expect(stepNamed(report.steps, 'FHIR version')).toEqual({
      name: 'FHIR version',
      result: 'failed',
      why: 'It speaks 5.0.0: this engine writes R4 (4.0.1) only.',
    });
    expect(report.isUsable).toBe(false);
    expect(writes(lab.ehr)).toEqual([]);
  });

  it.each<[string, Partial<SiteSettings>, FakeEhrOptions, RegExp]>([
    [
      'plain http to another machine',
      { ehr: { baseUrl: 'http://ehr.example.org/fhir', auth: { type: 'none' }, maxConcurrentWrites: 2, headers: {} } },
      {},
      /plain http/,
    ],
    ['a site that writes nothing', { mode: 'shadow' }, {}, /mode is shadow: nothing is written/],
    [
      'a consent that is required and cannot be read',
      { consent: { recording: 'required', unknown: 'hold' } },
      {},
      /no Consents, and consent\.recording is required: every session is held/,
    ],
    [
      'a consent that is required and cannot be read, whatever consent.unknown says',
      { consent: { recording: 'required', unknown: 'proceed' } },
      {},
      /no Consents, and consent\.recording is required: every session is held/,
    ],
    [
      'an EHR without Consents at a site that holds unknown consent',
      { consent: { recording: 'opt-out', unknown: 'hold' } },
      {},
      /It offers no Consents: .* sessions continue as if there were none/,
    ],
    [
      'Consents that cannot be searched for',
      { consent: { recording: 'opt-out', unknown: 'hold' } },
      { capabilities: someCapabilities({ types: { Consent: { canSearch: false } } }) },
      /Its Consents cannot be searched for: .* consent\.unknown decides \(every session is held\)/,
    ],
    [
      'recordings that can be searched for and not read',
      {},
      { capabilities: someCapabilities({ types: { DocumentReference: { canRead: false } } }) },
      /no way to read DocumentReference: a link to a recording that has ended cannot be renewed/,
    ],
    [
      'an EHR that keeps no versions',
      {},
      { capabilities: someCapabilities({ types: { Composition: { hasVersions: false } } }) },
      /^It keeps no versions of Composition: what a person changes/,
    ],
    [
      'a type that is found only through the chart',
      {},
      { capabilities: someCapabilities({ types: { Condition: { searchParameters: new Set(['patient']) } } }) },
      /^Condition cannot be searched for by identifier/,
    ],
    [
      'a type that cannot be found at all',
      {},
      { capabilities: someCapabilities({ types: { Condition: { canSearch: false } } }) },
      /^Condition cannot be searched for: after a lost answer/,
    ],
  ])('warns of %s', async (_, settings, options, warning) => {
    const { warnings } = await aLab(options).probe({ site: mercy(settings), writeTest: false }, SIGNAL);
    expect(warnings.some((text) => warning.test(text))).toBe(true);
  });

  it('warns of a server of recordings that a run has met, until the site lists it', async () => {
    const lab = aLab();
    const origin = 'https://media.example.org';
    await lab.knowledge.learn('mercy', 'Fake EHR 1.0', { name: 'recording-origin', value: origin });
    const warningsWith = async (origins: readonly string[]) => {
      const site = mercy({ recording: { ...mercy().settings.recording, origins } });
      return (await lab.probe({ site, writeTest: false }, SIGNAL)).warnings.join(' ');
    };
    expect(await warningsWith([])).toContain(`${origin}, which is not in recording.origins`);
    expect(await warningsWith([`${origin}/`])).not.toContain(origin);
  });

  it('reports learned facts with their date, and forgets them on request', async () => {
    const lab = aLab();
    await lab.knowledge.learn('mercy', 'Fake EHR 1.0', { name: 'transaction', value: 'batch' });
    const before = await lab.probe({ site: mercy(), writeTest: false }, SIGNAL);
    expect(before.learned).toEqual([{ name: 'transaction', value: 'batch', learnedAt: '2026-03-02T10:00:00.000Z' }]);
    expect(before.ladder[0]).toMatchObject({ isUsable: false, why: expect.stringContaining('entry by entry') });
    const after = await lab.probe({ site: mercy(), writeTest: false, forget: true }, SIGNAL);
    expect(after).toMatchObject({ forgotten: 1, learned: [] });
    expect(after.ladder[0]).toMatchObject({ isUsable: false, why: expect.stringContaining('No write test') });
  });
});

describe('a write test', () => {
  it('tries each kind of document, a new version and transactions, and removes all of it afterwards', async () => {
    const lab = aLab();
    const { writeTest, isUsable } = await testWriting(lab);
    expect(writeTest?.steps.map(({ name, result }) => `${name}: ${result}`)).toEqual([
      'test patient: passed',
      'test encounter: passed',
      'several reads in one batch: failed',
      'documents: passed',
      'Device (device): passed',
      'Composition (composition): passed',
      'Condition (condition): passed',
      'Task (task): not-tried',
      'a new version: passed',
      'a transaction: passed',
      'all or nothing: failed',
      'a conditional transaction: passed',
      'removed again: passed',
    ]);
    expect(isUsable).toBe(true);
    expect(lab.ehr.store.all()).toEqual([]);
    expect(writeTest?.leftBehind).toEqual([]);
  });

  it('says whether several reads were answered rightly in one batch, which the outlet has found out', async () => {
    const lab = aLab();
    expect(stepOf(await testWriting(lab), 'several reads in one batch')?.why).toContain('one by one');
    const { software } = await lab.ehr.capabilities(SIGNAL);
    await lab.knowledge.learn('mercy', software, { name: 'search:batch', value: 'works' });
    expect(stepOf(await testWriting(lab), 'several reads in one batch')).toMatchObject({ result: 'passed' });
  });

  it('labels everything as test data, and creates no work item', async () => {
    const lab = aLab();
    await testWriting(lab);
    const made = lab.ehr.store.references().flatMap((reference) => lab.ehr.store.history(reference).slice(0, 1));
    expect(made.length).toBeGreaterThan(5);
    for (const { resource } of made) {
      expect(resource.meta?.security).toContainEqual(expect.objectContaining({ code: 'HTEST' }));
    }
    expect(made.filter(({ resource }) => resource.resourceType === 'Task')).toEqual([]);
  });

  it('changes nothing that was in the EHR before', async () => {
    const resources = [
      { resourceType: 'Patient', id: 'p-9' },
      { resourceType: 'Encounter', id: 'e-9', status: 'finished', class: { code: 'AMB' } },
    ] as const;
    const lab = aLab({ resources });
    await testWriting(lab);
    expect(lab.ehr.store.all().map(({ id }) => id)).toEqual(['p-9', 'e-9']);
    const touched = lab.ehr.calls.filter(({ about }) => /(Patient\/p|Encounter\/e)-9/.test(about));
    expect(touched).toEqual([]);
  });

  it('removes the last first, the patient at the end', async () => {
    const lab = aLab();
    await testWriting(lab);
    const removed = lab.ehr.calls.filter(({ call }) => call === 'remove').map(({ type }) => type);
    expect(removed.slice(-2)).toEqual(['Encounter', 'Patient']);
  });

  it('stores the facts that it has learned', async () => {
    const lab = aLab();
    const { learned, ladder } = await testWriting(lab);
    expect(learned.map(({ name, value }) => `${name}=${value}`).toSorted()).toEqual([
      'conditional=passed',
      'drafts=taken',
      'if-match=honoured',
      'search-lag-ms=0',
      'type:Composition=taken',
      'type:Condition=taken',
      'type:Device=taken',
    ]);
    expect(ladder.find(({ rung }) => rung === 'conditional-transaction')).toMatchObject({ isUsable: true });
  });

  it('tells an atomic transaction from one that is run entry by entry', async () => {
    const atomic = aLab({ misbehaviours: [{ on: 'transact', nth: 2, does: 'refused' }] });
    expect(stepOf(await testWriting(atomic), 'all or nothing')).toMatchObject({ result: 'passed' });
    expect((await atomic.probe({ site: mercy(), writeTest: false }, SIGNAL)).ladder[0]).toMatchObject({ isNext: true });
    expect(await atomic.knowledge.recall('mercy', 'Fake EHR 1.0')).toContainEqual(
      expect.objectContaining({ name: 'transaction', value: 'proven-atomic' }),
    );

    const batch = aLab({ misbehaviours: [{ on: 'transact', nth: 2, does: 'batch' }] });
    const report = await testWriting(batch);
    expect(stepOf(report, 'all or nothing')).toMatchObject({
      result: 'failed',
      why: expect.stringMatching(/entry by entry/),
    });
    expect(report.ladder[0]).toMatchObject({ rung: 'transaction', isUsable: false });
    expect(batch.ehr.store.all()).toEqual([]);
  });

  it('a type that is offered and refused is left out of the rest, and remembered', async () => {
    const lab = aLab({ misbehaviours: [{ on: 'create', type: 'Composition', does: 'type-refused' }] });
    const report = await testWriting(lab);
    expect(stepOf(report, 'Composition (composition)')).toMatchObject({ result: 'failed' });
    expect(stepOf(report, 'Condition (condition)')).toMatchObject({ result: 'passed' });
    expect(report.learned).toContainEqual(expect.objectContaining({ name: 'type:Composition', value: 'refused' }));
    expect(report.types.find(({ type }) => type === 'Composition')).toMatchObject({ isTaken: false });
  });

  it('reports an update that overwrites a later version', async () => {
    const lab = aLab({ ignoresIfMatch: true });
    const report = await testWriting(lab);
    expect(stepOf(report, 'a new version')).toMatchObject({ result: 'failed' });
    expect(report.learned).toContainEqual(expect.objectContaining({ name: 'if-match', value: 'ignored' }));
    expect(report.warnings).toContainEqual(expect.stringContaining('If-Match is ignored'));
  });

  it('reports an ignored condition, and removes both copies', async () => {
    const lab = aLab({ ignoresIfNoneExist: true });
    const report = await testWriting(lab);
    expect(stepOf(report, 'a conditional transaction')).toEqual({
      name: 'a conditional transaction',
      result: 'failed',
      why: 'The same was sent twice, and is stored twice.',
    });
    expect(report.learned).toContainEqual(expect.objectContaining({ name: 'conditional', value: 'failed' }));
    expect(lab.ehr.store.all()).toEqual([]);
  });

  it('waits for a late search, and reports one that is later than the engine’s setting', async () => {
    const patient = async (searchLagMs: number) => {
      const lab = aLab({ searchLagMs: 5_000 }, { searchLagMs });
      const step = stepOf(await testWriting(lab), 'test patient');
      expect(lab.ehr.store.all()).toEqual([]);
      return step;
    };
    expect(await lagOf(aLab({ searchLagMs: 5_000 }))).toBeGreaterThanOrEqual(5_000);
    expect(await patient(60_000)).toMatchObject({
      result: 'passed',
      why: expect.stringMatching(/found again after \d/),
    });
    expect(await patient(1_000)).toMatchObject({
      result: 'failed',
      why: expect.stringMatching(/set EHR_SEARCH_LAG_SECONDS higher/),
    });
  });

  it('concludes nothing from a search that finds nothing at all, and remembers that', async () => {
    const lab = aLab({ searchLagMs: 86_400_000 }, { searchLagMs: 1_000 });
    const report = await testWriting(lab);
    expect(stepOf(report, 'test patient')).toMatchObject({ result: 'failed' });
    expect(stepOf(report, 'all or nothing')).toMatchObject({ result: 'not-tried' });
    const learned = report.learned.map(({ name, value }) => `${name}=${value}`);
    expect(learned).toContain('search:Condition:identifier=refused');
    expect(learned).not.toContain('transaction=proven-atomic');
    expect(learned.filter((fact) => fact.startsWith('search-lag-ms'))).toEqual([]);
    expect(lab.ehr.store.all()).toEqual([]);
  });

  it('finds and removes a resource whose answer was lost', async () => {
    const lab = aLab({
      searchLagMs: 3_000,
      misbehaviours: [{ on: 'create', type: 'Condition', does: 'commit-unknown' }],
    });
    const report = await testWriting(lab);
    expect(lab.ehr.store.all()).toEqual([]);
    expect(report.writeTest?.leftBehind).toEqual([]);
  });

  it('writes nothing if no test patient can be created', async () => {
    const lab = aLab({ capabilities: someCapabilities({ types: { Patient: { canCreate: false } } }) });
    const { writeTest } = await testWriting(lab);
    expect(writeTest?.steps.map(({ name, result }) => [name, result])).toEqual([
      ['test patient', 'not-tried'],
      ['removed again', 'passed'],
    ]);
    expect(stepNamed(writeTest?.steps, 'test patient')?.why).toMatch(/learned from real writes/);
    expect(writes(lab.ehr)).toEqual([]);
  });

  it('reports the reason for each document that is not tried', async () => {
    const write = { ...mercy().settings.write, conditions: 'accepted' } as const;
    const report = await testWriting(aLab(), mercy({ write }));
    expect(stepOf(report, 'Condition (condition)')).toMatchObject({
      result: 'not-tried',
      why: expect.stringContaining('after a clinician has approved the draft'),
    });
    expect(stepOf(report, 'Task (task)')).toMatchObject({ why: 'A work item would notify a person.' });
  });

  it('names resources that cannot be removed, and notifies the operator', async () => {
    const lab = aLab({ misbehaviours: [{ on: 'remove', type: 'Encounter', does: 'throw-unavailable' }] });
    const { writeTest } = await testWriting(lab);
    expect(writeTest?.leftBehind).toEqual(['Encounter/r2']);
    expect(stepNamed(writeTest?.steps, 'removed again')).toMatchObject({ result: 'failed' });
    expect(lab.left).toEqual(['Encounter/r2']);
    expect(lab.ehr.store.all().map(({ resourceType }) => resourceType)).toEqual(['Encounter']);
  });

  it('removes what it had made if it is stopped, and reports that', async () => {
    const stop = new AbortController();
    const before = () => stop.abort(new Error('the operator left'));
    const lab = aLab({ misbehaviours: [{ on: 'create', type: 'Condition', nth: 1, before }] });
    const { writeTest } = await lab.probe({ site: mercy(), writeTest: true }, stop.signal);
    expect(stepNamed(writeTest?.steps, 'Condition (condition)')).toMatchObject({
      result: 'failed',
      why: 'The probe was stopped during this step.',
    });
    expect(stepNamed(writeTest?.steps, 'a transaction')).toMatchObject({ result: 'not-tried' });
    expect(lab.ehr.store.all()).toEqual([]);
  });

  it('reports failing mappings with their place, and leaves nothing behind', async () => {
    const broken = aMapping(() => {
      throw new MappingError({ place: { file: 'mappings/mercy/flag.yaml', line: 3, column: 5 }, message: 'cannot be' });
    });
    const site = mercy();
    const mappings = new Map([...site.mappings, ['composition', broken]]);
    const lab = aLab();
    const report = await testWriting(lab, { ...site, mappings });
    expect(stepOf(report, 'documents')).toEqual({
      name: 'documents',
      result: 'failed',
      why: 'mappings/mercy/flag.yaml:3:5: cannot be.',
    });
    expect(report.warnings).toContainEqual(expect.stringContaining('mappings/mercy/flag.yaml:3:5'));
    expect(lab.ehr.store.all()).toEqual([]);

    let made = 0;
    const later = aMapping((_, input) => {
      made += 1;
      return made > 4 ? broken.apply(input).value : MAPPINGS.composition.apply(input).value;
    });
    const other = aLab();
    const second = await testWriting(other, { ...site, mappings: new Map([...site.mappings, ['composition', later]]) });
    expect(second.writeTest?.steps.some(({ why }) => why.includes('flag.yaml:3:5'))).toBe(true);
    expect(other.ehr.store.references().length).toBeGreaterThan(2);
    expect(other.ehr.store.all()).toEqual([]);
  });

  it('two write tests do not run at one site at the same time', async () => {
    const lab = aLab();
    await lab.ledger.acquire('mercy/probe', 'another engine', 60_000);
    await expect(testWriting(lab)).rejects.toMatchObject({ code: 'inUse' });
    expect(writes(lab.ehr)).toEqual([]);
  });
});
