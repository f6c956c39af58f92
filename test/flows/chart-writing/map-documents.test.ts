import { describe, expect, it } from '@jest/globals';
import type { MappingInput } from '../../../src/domain/mapping/mapping.ts';
import type { WriteSettings } from '../../../src/domain/site/site.ts';
import { mapDocuments } from '../../../src/flows/chart-writing/map-documents.ts';
import { previewMapping } from '../../../src/flows/operations/preview-mapping.ts';
import { aDisease, aMapping, aSite, someFacts } from '../../support/chart-facts.ts';

const notice = aMapping(() => 'Drafted by AI.');
const device = aMapping(() => ({ resourceType: 'Device' }));
const targets = (input: MappingInput, ...names: readonly string[]) =>
  names.flatMap((name) => input.documents?.[name] ?? []);
const note = (resourceType: string) =>
  aMapping(({ notice }, input) => ({ resourceType, title: notice, author: targets(input, 'device') }));
const condition = aMapping(
  ({ disease }) => ({ resourceType: 'Condition', code: { text: (disease as { name: string }).name } }),
  ['disease'],
);
const mappings = {
  notice,
  device,
  composition: note('Composition'),
  'document-reference': note('DocumentReference'),
  condition,
  'risk-assessment': aMapping(() => ({ resourceType: 'RiskAssessment' }), ['diagnosis']),
  flag: aMapping(() => undefined),
  task: aMapping(() => ({ resourceType: 'Task' })),
  differential: note('DocumentReference'),
  provenance: aMapping((_, input) => ({
    resourceType: 'Provenance',
    target: targets(input, 'composition', 'condition', 'flag'),
  })),
};

const namesOf = (set: { readonly documents: readonly { readonly document: string }[] }) =>
  set.documents.map(({ document }) => document);

describe('the documents of a session', () => {
  it('are those that the site writes, the device first and the provenance last', () => {
    expect(namesOf(mapDocuments({ site: aSite({ mappings }), facts: someFacts() }))).toEqual([
      'device',
      'composition',
      'document-reference',
      'condition',
      'condition',
      'risk-assessment',
      'provenance',
    ]);
  });

  it('are made once for each disease where the mapping reads it', () => {
    const { documents } = mapDocuments({ site: aSite({ mappings }), facts: someFacts() });
    const conditions = documents.filter(({ document }) => document === 'condition');
    expect(conditions.map(({ identity }) => identity.value)).toEqual([
      'e-1/session-1/condition/J18.9',
      'e-1/session-1/condition/J20.9',
    ]);
    expect(conditions.map(({ resource }) => 'code' in resource && resource.code)).toEqual([
      { text: 'Community-acquired pneumonia' },
      { text: 'Acute bronchitis' },
    ]);
  });

  it('refer to each other, and never to one whose mapping made nothing', () => {
    const { documents } = mapDocuments({ site: aSite({ mappings }), facts: someFacts() });
    const urls = documents.map(({ fullUrl }) => fullUrl);
    const provenance = documents.at(-1)?.resource;
    const pointed =
      provenance?.resourceType === 'Provenance' ? provenance.target.map(({ reference }) => reference) : [];
    expect(pointed).toHaveLength(3);
    expect(urls).toEqual(expect.arrayContaining(pointed));
  });

  it('include no device if none of them refers to it', () => {
    const composition = aMapping(({ notice }) => ({ resourceType: 'Composition', title: notice }));
    const site = aSite({ mappings: { notice, device, composition } });
    expect(namesOf(mapDocuments({ site, facts: someFacts() }))).toEqual(['composition']);
  });

  it('begin with the notice', () => {
    const { documents, notice: text } = mapDocuments({ site: aSite({ mappings }), facts: someFacts() });
    expect(text).toBe('Drafted by AI.');
    expect(documents.find(({ document }) => document === 'composition')?.resource).toMatchObject({ title: text });
  });

  it('are the same, byte for byte, when they are made again', () => {
    const make = () => JSON.stringify(mapDocuments({ site: aSite({ mappings }), facts: someFacts() }));
    expect(make()).toBe(make());
  });

  it.each([
    ['engine', ['device', 'composition', 'document-reference', 'provenance']],
    ['section', ['device', 'composition', 'document-reference', 'provenance']],
    ['separate-document', ['device', 'composition', 'document-reference', 'differential', 'provenance']],
  ] as const)('with the differential kept in: %s', (differential, expected) => {
    expect(namesOf(mapDocuments({ site: aSite({ mappings, write: { differential } }), facts: someFacts() }))).toEqual(
      expected,
    );
  });

  it('a site with conditions: accepted gets no Conditions in a draft', () => {
    const site = aSite({ mappings, write: { conditions: 'accepted' } });
    expect(namesOf(mapDocuments({ site, facts: someFacts() }))).not.toContain('condition');
    const review = { decision: 'approve', time: '2026-01-15T12:00:00Z', reviewer: 'Practitioner/7' };
    expect(namesOf(mapDocuments({ site, facts: someFacts({ review }) }))).toContain('condition');
  });

  it('likely Conditions only come from a mapping that is made for each disease, whatever its name is', () => {
    const problem = aMapping(({ disease }) => ({ resourceType: 'Condition', disease }), ['disease']);
    const alert = aMapping(() => ({ resourceType: 'Basic' }), ['disease']);
    const whole = aMapping(() => ({ resourceType: 'Condition' }), ['diagnosis']);
    const diagnosis = { diseases: [aDisease({ icd10_code: 'I26.9', category: 'cant-miss', probability: 0.02 })] };
    const write = { note: [], diagnosis: ['problem', 'alert', 'whole'], conditions: 'likely' } as const;
    const site = aSite({ mappings: { problem, alert, whole }, write });
    expect(namesOf(mapDocuments({ site, facts: someFacts({ diagnosis }) }))).toEqual(['alert', 'whole']);
  });

  it('unlikely candidates become no Conditions, and nothing refers to them', () => {
    const diseases = [
      aDisease({ icd10_code: 'J18.9', category: 'most-likely', probability: 0.6 }),
      aDisease({ icd10_code: 'J20.9', category: 'expanded', probability: 0.09 }),
      aDisease({ icd10_code: 'I26.9', category: 'cant-miss', probability: 0.2 }),
    ];
    const facts = someFacts({ diagnosis: { diseases } });
    const identities = (conditions: WriteSettings['conditions'], review = {}) =>
      mapDocuments({ site: aSite({ mappings, write: { conditions } }), facts: { ...facts, ...review } })
        .documents.filter(({ document }) => document === 'condition')
        .map(({ identity }) => identity.value.replace(/.*\//, ''));
    const approved = { review: { decision: 'approve', time: '2026-01-15T12:00:00Z', reviewer: 'Practitioner/7' } };
    expect(identities('likely')).toEqual(['J18.9']);
    expect(identities({ least: 0.05, most: 5 })).toEqual(['J18.9', 'J20.9']);
    expect(identities('accepted')).toEqual([]);
    expect(identities('accepted', approved)).toEqual(['J18.9']);
    expect(identities('always')).toEqual(['J18.9', 'J20.9', 'I26.9']);
    const set = mapDocuments({ site: aSite({ mappings, write: { conditions: 'likely' } }), facts });
    const urls = set.documents.map(({ fullUrl }) => fullUrl);
    const provenance = set.documents.at(-1)?.resource;
    const pointed =
      provenance?.resourceType === 'Provenance' ? provenance.target.map(({ reference }) => reference) : [];
    expect(pointed).toHaveLength(2);
    expect(urls).toEqual(expect.arrayContaining(pointed));
    expect(namesOf(set)).toContain('risk-assessment');
  });

  it('a document is withheld by its type and content, not by its file name or list', () => {
    const withProblem = { ...mappings, problem: condition };
    const write = { note: ['composition', 'condition'], diagnosis: ['problem', 'risk-assessment'] };
    const names = (changes: object) =>
      namesOf(
        mapDocuments({ site: aSite({ mappings: withProblem, write: { ...write, ...changes } }), facts: someFacts() }),
      );
    expect(names({})).toContain('problem');
    expect(names({ conditions: 'accepted' })).toEqual(['device', 'composition', 'risk-assessment', 'provenance']);
    expect(names({ differential: 'engine' })).toEqual(['device', 'composition', 'provenance']);
  });

  it('a risk that was not made of the differential is written even if the differential is not', () => {
    const falls = aMapping(() => ({ resourceType: 'RiskAssessment' }), ['note']);
    const site = aSite({ mappings: { ...mappings, falls }, write: { note: ['falls'], differential: 'engine' } });
    expect(namesOf(mapDocuments({ site, facts: someFacts() }))).toEqual(['falls', 'provenance']);
  });

  it.each([
    [
      'a status that only an approval sets',
      { status: 'final' },
      'status says final, and no clinician has approved the draft',
    ],
    [
      'a docStatus that only an approval sets',
      { docStatus: 'amended' },
      'docStatus says amended, and no clinician has approved',
    ],
    [
      'an attester without an approval',
      { attester: [{ mode: 'legal' }] },
      'attester is set, and no clinician has approved',
    ],
    [
      'another patient',
      { subject: { reference: 'Patient/someone-else' } },
      'subject is not the patient of this session',
    ],
    [
      'another patient in the element for',
      { for: { reference: 'https://ehr.example.org/Patient/x' } },
      'for is not the patient',
    ],
    ['another encounter', { encounter: { reference: 'Encounter/e-2' } }, 'encounter is not that of this session'],
    [
      'another encounter in the context',
      { context: { encounter: [{ reference: 'Encounter/e-1' }, { reference: 'Encounter/e-2' }] } },
      'encounter is not that',
    ],
  ])('%s is an error, whatever the site wants', (_, parts, message) => {
    const composition = aMapping(() => ({ resourceType: 'Composition', ...parts }));
    const site = aSite({ mappings: { notice, composition } });
    expect(() => mapDocuments({ site, facts: someFacts() })).toThrow(message);
  });

  it('an Observation may be final in a draft', () => {
    const observation = aMapping(() => ({ resourceType: 'Observation', status: 'final' }));
    const site = aSite({ mappings: { notice, observation }, write: { note: ['observation'] } });
    expect(namesOf(mapDocuments({ site, facts: someFacts() }))).toEqual(['observation']);
  });

  it('an approved document may be final, for its own patient and encounter', () => {
    const composition = aMapping(() => ({
      resourceType: 'Composition',
      status: 'final',
      attester: [{ mode: 'legal' }],
      subject: { reference: 'Patient/p-1/_history/2' },
      encounter: { reference: 'Encounter/e-1' },
    }));
    const review = { decision: 'approve', time: '2026-01-15T12:00:00Z', reviewer: 'Practitioner/7' };
    const facts = someFacts({ review, run: { status: 'final' } });
    expect(namesOf(mapDocuments({ site: aSite({ mappings: { notice, composition } }), facts }))).toEqual([
      'composition',
    ]);
  });

  it.each([
    [
      'an encounter without an id',
      { encounter: { resourceType: 'Encounter', status: 'finished', class: {} } },
      'encounter.id',
    ],
    [
      'an id with a slash',
      { encounter: { resourceType: 'Encounter', id: 'a/b', status: 'finished', class: {} } },
      'encounter.id',
    ],
    ['a patient without an id', { patient: { resourceType: 'Patient' } }, 'patient.id'],
    ['a session with a slash', { session: { key: 'b/c' } }, 'session.key'],
  ])('%s names nothing, and nothing is made', (_, changes, name) => {
    expect(() => mapDocuments({ site: aSite({ mappings }), facts: someFacts(changes) })).toThrow(name);
  });

  it('no note document is made without a note, no statement without a diagnosis, nothing without both', () => {
    const site = aSite({ mappings });
    expect(namesOf(mapDocuments({ site, facts: someFacts({ note: undefined }) }))).not.toContain('composition');
    expect(namesOf(mapDocuments({ site, facts: someFacts({ diagnosis: undefined }) }))).not.toContain('condition');
    const neither = someFacts({ note: undefined, diagnosis: undefined });
    expect(namesOf(mapDocuments({ site, facts: neither }))).toEqual([]);
  });

  it.each([
    ['a narrative', { text: { div: '<div><p>Cough.</p><p>Drafted by AI.</p></div>' } }, 'text.div'],
    [
      'a section',
      { section: [{ text: { div: '<div><p>Drafted by AI.</p></div>' } }, { text: { div: '<div/>' } }] },
      'section[1].text.div',
    ],
    [
      'an attachment',
      {
        content: [
          { attachment: { contentType: 'text/plain;charset=utf-8', data: Buffer.from('Cough.').toString('base64') } },
        ],
      },
      'content[0].attachment.data',
    ],
  ])('%s that does not begin with the notice is an error with its place', (_, parts, place) => {
    const composition = aMapping(() => ({ resourceType: 'Composition', ...parts }));
    const site = aSite({ mappings: { ...mappings, composition } });
    const message = `mappings/mercy/document.yaml:1:1: ${place} does not begin with the AI notice: put %notice first in it`;
    expect(() => mapDocuments({ site, facts: someFacts() })).toThrow(message);
    expect(() => mapDocuments({ site: { ...site, isTrial: true }, facts: someFacts() })).not.toThrow();
  });

  it('a notice with escaped characters is found, also before a megabyte of text', () => {
    const words = 'Drafted\u00a0by AI <model  "x" & \'y\'>.\u0007';
    const escaped = words
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;');
    const composition = aMapping(() => ({
      resourceType: 'Composition',
      text: { div: `<div xmlns="http://www.w3.org/1999/xhtml"><p>${escaped}</p><p>${'x'.repeat(1_000_000)}</p></div>` },
      content: {
        contentType: 'text/plain',
        data: Buffer.from(`${words}\n\n${'ñ'.repeat(1_000_000)}`).toString('base64'),
      },
    }));
    const site = aSite({ mappings: { notice: aMapping(() => words), composition } });
    expect(namesOf(mapDocuments({ site, facts: someFacts() }))).toEqual(['composition']);
  });

  it('a mapping that makes no resource is an error with its file', () => {
    const site = aSite({ mappings: { ...mappings, composition: aMapping(() => ({ title: 'x' })) } });
    expect(() => mapDocuments({ site, facts: someFacts() })).toThrow(
      'mappings/mercy/document.yaml:1:1: this mapping made something that is no resource: it has no resourceType',
    );
  });

  it.each([
    ['an empty text', '  '],
    ['nothing', undefined],
    ['an object', {}],
  ])('a notice that is %s is an error', (_, value) => {
    const site = aSite({ mappings: { ...mappings, notice: aMapping(() => value) } });
    expect(() => mapDocuments({ site, facts: someFacts() })).toThrow('the AI notice must be a text');
  });

  it('codes that no table has are reported', () => {
    const unmapped = { table: 'sections', code: 'X', place: { file: 'f', line: 1, column: 1 } };
    const composition = {
      ...note('Composition'),
      apply: () => ({ value: { resourceType: 'Composition' }, unmapped: [unmapped] }),
    };
    const set = mapDocuments({ site: aSite({ mappings: { ...mappings, composition } }), facts: someFacts() });
    expect(set.unmapped).toEqual([unmapped]);
  });
});

describe('a preview', () => {
  it('makes a document that the site does not write', () => {
    const set = previewMapping({
      site: aSite({ mappings }),
      input: { note: { title: 'T', sections: [] } },
      document: 'task',
    });
    expect(namesOf(set)).toEqual(['task']);
  });

  it('of an unknown document suggests the nearest name', () => {
    const preview = () => previewMapping({ site: aSite({ mappings }), input: {}, document: 'compositoin' });
    expect(preview).toThrow('mercy has no mapping compositoin; did you mean composition?');
  });
});
