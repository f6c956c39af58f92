import { describe, expect, it } from '@jest/globals';
import type { Attachment, DocumentReference, Encounter, Media, Patient } from '@medplum/fhirtypes';
import {
  type ChartParts,
  MAX_RECORDINGS,
  recordingsOfChart,
} from '../../../src/domain/recording/recordings-of-chart.ts';

const encounter: Encounter = {
  resourceType: 'Encounter',
  id: 'e-1',
  status: 'finished',
  class: { code: 'AMB' },
  subject: { reference: 'Patient/p-1' },
};
const patient: Patient = { resourceType: 'Patient', id: 'p-1' };
const audio: Attachment = { contentType: 'audio/wav', url: 'Binary/b-1' };

function aDocument({ id = 'd-1', ...changes }: Partial<DocumentReference> = {}): DocumentReference {
  return {
    resourceType: 'DocumentReference',
    id,
    status: 'current',
    subject: { reference: 'Patient/p-1' },
    content: [{ attachment: { contentType: 'audio/wav', url: `Binary/of-${id}` } }],
    context: { encounter: [{ reference: 'Encounter/e-1' }] },
    ...changes,
  };
}

function aMedia({ id = 'm-1', ...changes }: Partial<Media> = {}): Media {
  return {
    resourceType: 'Media',
    id,
    status: 'completed',
    subject: { reference: 'Patient/p-1' },
    encounter: { reference: 'Encounter/e-1' },
    content: { contentType: 'audio/wav', url: `Binary/of-${id}` },
    ...changes,
  };
}

function withContents(...attachments: readonly Attachment[]): DocumentReference {
  return aDocument({ content: attachments.map((attachment) => ({ attachment })) });
}

function look(resources: ChartParts['resources'], changes: Partial<ChartParts> = {}) {
  return recordingsOfChart({
    resources,
    encounter,
    patient,
    baseUrl: 'https://ehr.example.org/fhir/R4/',
    timeOf: (dateTime) => {
      const milliseconds = Date.parse(dateTime);
      return Number.isNaN(milliseconds) ? undefined : milliseconds;
    },
    ...changes,
  });
}

function referencesOf(resources: ChartParts['resources'], changes?: Partial<ChartParts>): readonly string[] {
  return look(resources, changes).sources.map(({ reference }) => reference);
}

describe('attachments that are recordings', () => {
  it.each([
    ['audio', { contentType: 'audio/mpeg' }],
    ['audio in capitals with a codec behind it', { contentType: 'AUDIO/WebM; codecs=opus' }],
    ['what a browser calls its recording of a microphone', { contentType: 'video/webm' }],
    ['Ogg by its older name', { contentType: 'application/ogg' }],
    ['a file without a type whose title ends like a recording', { title: 'Visit.MP3' }],
    [
      'a file of no particular type whose link ends like one',
      { contentType: 'application/octet-stream', url: 'https://ehr.example.org/a/visit.m4a?v=1' },
    ],
  ])('%s is a recording', (_, attachment) => {
    expect(look([withContents({ url: 'Binary/b-1', ...attachment })]).sources).toHaveLength(1);
  });

  it.each([
    ['a letter', { contentType: 'application/pdf', title: 'dictation.mp3' }],
    ['a film', { contentType: 'video/mp4' }],
    ['a file without a type and a name', {}],
    ['a film without a type', { title: 'visit.mp4' }],
  ])('%s is not a recording, and is not reported', (_, attachment) => {
    expect(look([withContents({ url: 'Binary/b-1', ...attachment })])).toEqual({ sources: [], omissions: [] });
  });

  it('a Media without a content type is a recording if it is declared as audio', () => {
    const media = aMedia({ content: { url: 'Binary/b-1' }, type: { coding: [{ code: 'audio' }] } });
    expect(referencesOf([media])).toEqual(['Media/m-1']);
  });

  it('a chart with invalid shapes has no recordings, and no error', () => {
    const strange = [
      { resourceType: 'DocumentReference', id: 'd-1', content: 'x', context: { encounter: 7 }, meta: 3 },
      { resourceType: 'DocumentReference', id: 'd-2', content: [null, {}, { attachment: { contentType: 5 } }] },
      { resourceType: 'Media', id: 'm-1', content: null, encounter: [] },
      { resourceType: 'Patient', id: 'p-1' },
    ];
    expect(look(strange as unknown as ChartParts['resources']).sources).toEqual([]);
  });
});

describe('the details of a recording', () => {
  it('it has the link and details of the chart unchanged', () => {
    const document = aDocument({
      content: [{ attachment: { ...audio, size: 1234 } }],
      context: {
        encounter: [{ reference: 'Encounter/e-1' }],
        period: { start: '2026-03-02T10:00:00+01:00', end: '2026-03-02T10:20:00+01:00' },
      },
    });
    expect(look([document])).toEqual({
      sources: [
        {
          reference: 'DocumentReference/d-1',
          contentType: 'audio/wav',
          bytes: { kind: 'link', url: 'Binary/b-1' },
          sizeBytes: 1234,
          start: '2026-03-02T10:00:00+01:00',
          end: '2026-03-02T10:20:00+01:00',
        },
      ],
      omissions: [],
    });
  });

  it('a Media has its length and its time of creation', () => {
    const [source] = look([aMedia({ createdDateTime: '2026-03-02T10:00:00Z', duration: 61.5 })]).sources;
    expect(source).toMatchObject({ start: '2026-03-02T10:00:00Z', durationSeconds: 61.5 });
  });

  it('the time of storage is not the time of the recording', () => {
    const [source] = look([aDocument({ date: '2026-03-05T10:00:00Z' })]).sources;
    expect(source).not.toHaveProperty('start');
  });

  it('inline data is preferred to a link', () => {
    const [source] = look([withContents({ ...audio, data: 'UklGRg==' })]).sources;
    expect(source?.bytes).toEqual({ kind: 'inline', base64: 'UklGRg==' });
  });

  it.each([
    ['without data and link', {}],
    ['with a link into its own resource', { url: '#sound' }],
  ])('a recording %s is left out and reported', (_, attachment) => {
    expect(look([withContents({ contentType: 'audio/wav', ...attachment })])).toEqual({
      sources: [],
      omissions: ['Recordings left out because they have neither data nor a link: 1'],
    });
  });

  it('a recording without a valid id is left out and reported', () => {
    const { sources, omissions } = look([aDocument({ id: '../e-2' })]);
    expect(sources).toEqual([]);
    expect(omissions).toEqual(['Recordings left out because they have no valid id: 1']);
  });
});

describe('several formats of one document', () => {
  it.each([
    [
      'one that can be heard is taken before one that cannot',
      { contentType: 'audio/amr' },
      { contentType: 'audio/mpeg' },
    ],
    [
      'one that is not too large is taken',
      { contentType: 'audio/wav', size: 300e6 },
      { contentType: 'audio/mpeg', size: 9e6 },
    ],
    [
      'one that lies on the web is taken before one on a file share',
      { contentType: 'audio/wav', url: 'file:///x.wav' },
      { contentType: 'audio/mpeg' },
    ],
    ['one that has bytes is taken', { contentType: 'audio/wav', url: '' }, { contentType: 'audio/mpeg' }],
  ])('%s', (_, worse, better) => {
    const good = { url: 'Binary/better', ...better };
    const { sources, omissions } = look([withContents({ url: 'Binary/worse', ...worse }, good)]);
    expect(sources.map(({ contentType }) => contentType)).toEqual(['audio/mpeg']);
    expect(omissions).toEqual([]);
  });

  it('the first format is used if all are equally good', () => {
    const { sources } = look([withContents(audio, { contentType: 'audio/mpeg', url: 'Binary/b-2' })]);
    expect(sources.map(({ bytes }) => bytes)).toEqual([{ kind: 'link', url: 'Binary/b-1' }]);
  });

  it('two attachments of the same format may be two parts: only one is used, and that is reported', () => {
    const { sources, omissions } = look([withContents(audio, { ...audio, url: 'Binary/b-2' })]);
    expect(sources).toHaveLength(1);
    expect(omissions).toEqual([
      'Recordings left out because a document has several of one format, and only one recording of a document is used: 1',
    ]);
  });
});

describe('the confidentiality of recordings', () => {
  const label = (code: string) => [{ system: 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality', code }];

  it('the label of a resource applies to its recording', () => {
    const [ofDocument, ofMedia, bare] = look([
      aDocument({ securityLabel: [{ coding: label('R') }] }),
      aMedia({ meta: { security: label('V') } }),
      aMedia({ id: 'm-2' }),
    ]).sources;
    expect([ofDocument, ofMedia, bare].map((source) => source?.confidentiality)).toEqual(['R', 'V', undefined]);
  });

  it('the higher label of two resources of one recording applies', () => {
    const link = { contentType: 'audio/wav', url: 'Binary/b-1' };
    const [low, high] = [{ meta: { security: label('N') } }, { meta: { security: label('R') } }];
    for (const [one, other] of [
      [low, high],
      [high, low],
      [{}, high],
    ] as const) {
      const { sources } = look([aMedia({ ...one, content: link }), aMedia({ ...other, id: 'm-2', content: link })]);
      expect(sources).toEqual([expect.objectContaining({ reference: 'Media/m-1', confidentiality: 'R' })]);
    }
  });
});

describe('the owner of a recording', () => {
  it('recordings of another encounter are ignored, whatever the server returns', () => {
    const other = { encounter: [{ reference: 'Encounter/e-2' }] };
    const resources = [aDocument({ context: other }), aDocument({ id: 'd-2', context: {} }), aMedia({ encounter: {} })];
    expect(look(resources)).toEqual({ sources: [], omissions: [] });
  });

  it.each([
    ['another patient', { reference: 'Patient/p-2' }],
    ['another patient, known by an identifier', { identifier: { system: 'urn:mrn', value: '2' } }],
    ['somebody in a list', [{ reference: 'Patient/p-2' }] as never],
    ['somebody who is only a text', 'Patient/p-2' as never],
    ['somebody who cannot be read', { reference: { value: 'Patient/p-2' } } as never],
  ])('a recording of %s is left out and reported', (_, subject) => {
    expect(look([aDocument({ subject })])).toEqual({
      sources: [],
      omissions: ['Recordings left out because they belong to another patient: 1'],
    });
  });

  it.each([
    ['nobody in particular', undefined],
    ['the patient, with the address of the EHR in front', { reference: 'https://ehr.example.org/fhir/R4/Patient/p-1' }],
    ['the patient in an earlier version', { reference: 'Patient/p-1/_history/3' }],
    ['the patient, known by an identifier', { identifier: { system: 'urn:mrn', value: '1' } }],
    ['one whom the patient replaced when they were merged', { reference: 'Patient/p-old' }],
  ])('a recording of %s is used', (_, subject) => {
    const merged: Patient = {
      ...patient,
      identifier: [{ system: 'urn:mrn', value: '1' }],
      link: [
        { type: 'replaces', other: { reference: 'Patient/p-old' } },
        { type: 'seealso', other: { reference: 'Patient/p-2' } },
      ],
    };
    expect(referencesOf([aMedia({ ...(subject && { subject }) })], { patient: merged })).toEqual(['Media/m-1']);
  });

  it('a patient that another record only refers to is another patient', () => {
    const linked: Patient = { ...patient, link: [{ type: 'seealso', other: { reference: 'Patient/p-2' } }] };
    expect(referencesOf([aMedia({ subject: { reference: 'Patient/p-2' } })], { patient: linked })).toEqual([]);
  });

  it.each([
    ['A patient', aMedia({ subject: { reference: 'https://else.example/fhir/Patient/p-1' } })],
    ['An encounter', aMedia({ encounter: { reference: 'https://else.example/fhir/Encounter/e-1' } })],
  ])('%s with the same id on another server is another one', (_, media) => {
    expect(look([media])).toEqual({
      sources: [],
      omissions: ['Recordings left out because their patient or encounter is on another server: 1'],
    });
  });
});

describe('resources that are not current', () => {
  it.each([
    ['a document entered in error', aDocument({ status: 'entered-in-error' })],
    ['a document that is superseded', aDocument({ status: 'superseded' })],
    ['a document whose content was entered in error', aDocument({ docStatus: 'entered-in-error' })],
    ['a Media entered in error', aMedia({ status: 'entered-in-error' })],
    ['a Media that was never made', aMedia({ status: 'not-done' })],
    ['what this engine wrote', aDocument({ identifier: [{ system: 'urn:chartwright:mercy', value: 'e-1/s-1/x' }] })],
    ['what this engine tagged', aMedia({ meta: { tag: [{ system: 'urn:chartwright:mercy', code: 'x' }] } })],
    [
      'what a machine said',
      aDocument({
        meta: {
          security: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'AIAST' }],
        },
      }),
    ],
  ])('%s', (_, resource) => {
    expect(look([resource])).toEqual({ sources: [], omissions: [] });
  });

  it.each(['preparation', 'in-progress', 'on-hold'] as const)(
    'a Media that is %s is not finished, and is reported',
    (status) => {
      expect(look([aMedia({ status })])).toEqual({
        sources: [],
        omissions: ['Recordings left out because they are not finished: 1'],
      });
    },
  );

  it('a replaced document is ignored', () => {
    const later = aDocument({
      id: 'd-2',
      relatesTo: [{ code: 'replaces', target: { reference: 'DocumentReference/d-1' } }],
    });
    expect(referencesOf([aDocument(), later])).toEqual(['DocumentReference/d-2']);
  });

  it('a document stays if its replacement was entered in error', () => {
    const mistaken = aDocument({
      id: 'd-2',
      status: 'entered-in-error',
      relatesTo: [{ code: 'replaces', target: { reference: 'DocumentReference/d-1' } }],
    });
    expect(referencesOf([aDocument(), mistaken])).toEqual(['DocumentReference/d-1']);
  });

  it('a document that claims to replace itself is used', () => {
    const relatesTo = [{ code: 'replaces' as const, target: { reference: 'DocumentReference/d-1' } }];
    expect(referencesOf([aDocument({ relatesTo })])).toEqual(['DocumentReference/d-1']);
  });
});

describe('a recording that the chart has twice is used once', () => {
  const doubled = ['Recordings left out because they are duplicates: 1'];

  it.each<[string, Attachment, Attachment]>([
    ['the same link', { url: 'Binary/b-1' }, { url: 'https://ehr.example.org/fhir/R4/Binary/b-1' }],
    [
      'a link that is signed anew each time',
      { url: 'https://s3.example/b?X-Amz-Date=1&X-Amz-Signature=aa&part=1' },
      { url: 'https://s3.example/b?X-Amz-Date=2&X-Amz-Signature=bb&part=1' },
    ],
    ['the same data', { data: 'UklG Rg==' }, { data: 'UklGRg==\n' }],
    ['the same hash', { url: 'Binary/b-1', hash: 'qqqq' }, { url: 'Binary/b-2', hash: 'qqqq' }],
  ])('it is identified by %s', (_, one, other) => {
    const content = { contentType: 'audio/wav', ...other };
    const resources = [aMedia({ content }), withContents({ contentType: 'audio/wav', ...one })];
    const { sources, omissions } = look(resources);
    expect(sources.map(({ reference }) => reference)).toEqual(['DocumentReference/d-1']);
    expect(omissions).toEqual(doubled);
  });

  it.each<[string, Attachment, Attachment]>([
    ['another link', { url: 'Binary/b-1' }, { url: 'Binary/b-2' }],
    [
      'another part of what a signed link leads to',
      { url: 'https://s3.example/b?sig=1&part=1' },
      { url: 'https://s3.example/b?sig=1&part=2' },
    ],
    ['another link that only looks as if it were signed', { url: 'Binary/b-1?sv=1' }, { url: 'Binary/b-1?sv=2' }],
    [
      'the hash of nothing, which says nothing',
      { url: 'Binary/b-1', hash: '2jmj7l5rSw0yVb/vlWAYkK/YBwk=' },
      { url: 'Binary/b-2', hash: '2jmj7l5rSw0yVb/vlWAYkK/YBwk=' },
    ],
  ])('%s is another recording', (_, one, other) => {
    const content = { contentType: 'audio/wav', ...other };
    expect(look([aMedia({ content }), withContents({ contentType: 'audio/wav', ...one })]).sources).toHaveLength(2);
  });

  it.each([
    ['the original, where it can be heard', 'audio/wav', 'DocumentReference/d-1'],
    ['the copy, where only that can be heard', 'audio/amr', 'DocumentReference/d-2'],
  ])('it is identified as a copy in another format: %s', (_, contentType, expected) => {
    const original = withContents({ contentType, url: 'Binary/b-1' });
    const target = { reference: 'DocumentReference/d-1' };
    const copy = aDocument({ id: 'd-2', relatesTo: [{ code: 'transforms', target }] });
    expect(referencesOf([copy, original])).toEqual([expected]);
  });

  it('the sound track of a video that is not a recording is a recording itself', () => {
    const film = withContents({ contentType: 'video/mp4', url: 'Binary/b-1' });
    const target = { reference: 'DocumentReference/d-1' };
    const sound = aDocument({ id: 'd-2', relatesTo: [{ code: 'transforms', target }] });
    expect(referencesOf([film, sound])).toEqual(['DocumentReference/d-2']);
  });

  it('details that only the duplicate has are kept', () => {
    const content = { ...audio };
    const media = aMedia({ content, createdDateTime: '2026-03-02T10:00:00Z', duration: 60 });
    const later = aDocument({ id: 'd-9', date: '2026-03-02T11:00:00Z' });
    const entered = { ...withContents(audio), date: '2026-03-02T12:00:00Z' };
    const { sources } = look([media, entered, later]);
    expect(sources).toMatchObject([
      { reference: 'DocumentReference/d-1', start: '2026-03-02T10:00:00Z', durationSeconds: 60 },
      { reference: 'DocumentReference/d-9' },
    ]);
  });

  it('a resource that a search returned twice is not a duplicate, and is not reported', () => {
    expect(look([aMedia(), aMedia()])).toMatchObject({ sources: [{ reference: 'Media/m-1' }], omissions: [] });
  });
});

describe('the order of recordings', () => {
  it('they are ordered by their start across time zones; unknown times come last', () => {
    const period = (start: string) => ({ encounter: [{ reference: 'Encounter/e-1' }], period: { start } });
    const resources = [
      aDocument({ id: 'unknown' }),
      aMedia({ id: 'fourth', createdDateTime: '2026-03-02T12:00:00Z' }),
      aDocument({ id: 'first', context: period('2026-03-02T10:00:00+02:00') }),
      aMedia({ id: 'third', createdPeriod: { start: '2026-03-02T10:00:00Z' } }),
      withCreation('second', '2026-03-02T09:00:00Z'),
      aDocument({ id: 'fifth', date: '2026-03-02T13:00:00Z', meta: { lastUpdated: '2026-03-01T00:00:00Z' } }),
      aMedia({ id: 'sixth', createdDateTime: 'nonsense', meta: { lastUpdated: '2026-03-02T14:00:00Z' } }),
    ];
    const ids = referencesOf(resources).map((reference) => reference.split('/')[1]);
    expect(ids).toEqual(['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'unknown']);
  });

  it('with equal times they are ordered by reference', () => {
    const resources = ['b', 'a', 'c'].map((id) => {
      const contentType = id === 'a' ? 'audio/amr' : 'audio/wav';
      const content = { contentType, url: `Binary/${id}` };
      return aMedia({ id, content, createdDateTime: '2026-03-02T12:00:00Z' });
    });
    const expected = ['Media/a', 'Media/b', 'Media/c'];
    expect(referencesOf(resources)).toEqual(expected);
    expect(referencesOf(resources.toReversed())).toEqual(expected);
  });

  function withCreation(id: string, creation: string): DocumentReference {
    return { ...aDocument({ id }), content: [{ attachment: { ...audio, url: `Binary/${id}`, creation } }] };
  }
});

it('beyond the limit the first recordings are used, and the number of the others is reported', () => {
  const many = Array.from({ length: MAX_RECORDINGS + 3 }, (_, index) => aMedia({ id: `m-${100 + index}` }));
  const { sources, omissions } = look(many.toReversed());
  expect(sources).toHaveLength(MAX_RECORDINGS);
  expect(sources[0]?.reference).toBe('Media/m-100');
  expect(omissions).toEqual(['Recordings left out because there are more than 50: 3']);
});
