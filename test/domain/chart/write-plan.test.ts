import { describe, expect, it } from '@jest/globals';
import type { Condition, DocumentReference, Resource } from '@medplum/fhirtypes';
import type { ExistingDocument } from '../../../src/domain/chart/existing-documents.ts';
import { documentIdentity, documentUrn } from '../../../src/domain/chart/identity.ts';
import type { DocumentToWrite, ExistingResource } from '../../../src/domain/chart/planned-writes.ts';
import { planWrites } from '../../../src/domain/chart/write-plan.ts';

const SYSTEM = 'urn:chartwright:mercy';

function identityOf(document: string, part?: string) {
  return documentIdentity({ site: 'mercy', encounter: 'e-1', session: 's-1', document, part });
}

function toWrite(document: string, resource: Resource, part?: string): DocumentToWrite {
  const identity = identityOf(document, part);
  const identifier = [{ system: identity.system, value: identity.value }];
  return { document, identity, fullUrl: documentUrn(identity), resource: { ...resource, identifier } as Resource };
}

function aCondition(text: string): Condition {
  return {
    resourceType: 'Condition',
    subject: { reference: 'Patient/p-1' },
    code: { text },
    clinicalStatus: { coding: [{ code: 'active' }] },
    verificationStatus: { coding: [{ code: 'differential' }] },
  };
}

function aNote(text: string, docStatus: DocumentReference['docStatus'] = 'preliminary'): DocumentReference {
  return {
    resourceType: 'DocumentReference',
    status: 'current',
    docStatus,
    content: [{ attachment: { contentType: 'text/plain', title: text } }],
  };
}

type Was = { readonly now?: ExistingResource; readonly isGone?: boolean };

/** A document as it was written before and as the EHR has it now; unchanged unless the caller states otherwise. */
function standing(reference: string, written: DocumentToWrite, { now, isGone = false }: Was = {}) {
  const { document, identity, fullUrl, resource } = written;
  const kept: ExistingDocument = {
    ...{ document, type: resource.resourceType, base: identity, identity, fullUrl, reference, version: '1' },
    body: JSON.stringify(resource),
    run: { id: 'run-1', time: '2026-11-20T10:00:00Z' },
    patient: 'Patient/p-1',
  };
  return { kept, inChart: isGone ? undefined : (now ?? { version: '1', resource }) };
}

type Plan = {
  readonly documents: readonly DocumentToWrite[];
  readonly before?: readonly ReturnType<typeof standing>[];
  readonly canUpdate?: boolean;
};

function plan({ documents, before = [], canUpdate = true }: Plan) {
  return planWrites({
    documents,
    isUnchanged: ({ resource }, { body }) => JSON.stringify(resource) === body,
    existing: {
      documents: new Map(before.map(({ kept }) => [kept.base.value, kept])),
      older: [],
      used: new Map(before.map(({ kept }) => [kept.base.value, 1])),
    },
    inChart: new Map(before.map(({ kept, inChart }) => [kept.reference, inChart])),
    canUpdate: () => canUpdate,
  });
}

const note = toWrite('document-reference', aNote('first'));
const pneumonia = toWrite('condition', aCondition('Pneumonia'), 'J18.9');
const provenance = toWrite('provenance', {
  resourceType: 'Provenance',
  target: [{ reference: note.fullUrl }],
  recorded: '2026-11-20T10:00:00Z',
  agent: [{ who: { display: 'Chartwright' } }],
});

describe('the plan of a revision', () => {
  it('new documents are created, in their order, and under their own identities', () => {
    const { writes } = plan({ documents: [note, pneumonia, provenance] });
    expect(writes.map(({ action, document, identity }) => [action, document, identity.value])).toEqual([
      ['create', 'document-reference', 'e-1/s-1/document-reference'],
      ['create', 'condition', 'e-1/s-1/condition/J18.9'],
      ['create', 'provenance', 'e-1/s-1/provenance'],
    ]);
  });

  it('an unchanged result writes nothing, not even a Provenance', () => {
    const before = [
      standing('DocumentReference/1', note),
      standing('Condition/2', pneumonia),
      standing('Provenance/3', provenance),
    ];
    const planned = plan({ documents: [note, pneumonia, provenance], before });
    expect(planned.writes).toEqual([]);
    expect(planned.unchanged.map(({ reference }) => reference)).toEqual(['DocumentReference/1', 'Condition/2']);
  });

  it('a record that an earlier try did not reach is written, even if nothing else has changed', () => {
    const before = [standing('DocumentReference/1', note), standing('Condition/2', pneumonia)];
    const { writes } = plan({ documents: [note, pneumonia, provenance], before });
    expect(writes).toMatchObject([{ action: 'create', type: 'Provenance' }]);
  });

  it('a draft gets a further version, on the one that was read', () => {
    const changed = toWrite('document-reference', aNote('second'));
    const { writes } = plan({ documents: [changed], before: [standing('DocumentReference/1', note)] });
    expect(writes).toMatchObject([{ action: 'update', target: 'DocumentReference/1', ifMatch: '1' }]);
    expect(JSON.parse(writes[0]?.body ?? '')).toMatchObject({
      id: '1',
      identifier: [{ value: 'e-1/s-1/document-reference' }],
    });
  });

  it('a draft on an EHR without updates is replaced by another one', () => {
    const changed = toWrite('document-reference', aNote('second'));
    const before = [standing('DocumentReference/1', note)];
    const { writes } = plan({ documents: [changed], before, canUpdate: false });
    expect(writes).toMatchObject([
      { action: 'create', identity: { value: 'e-1/s-1/document-reference/2' }, base: note.identity },
    ]);
    expect(JSON.parse(writes[0]?.body ?? '')).toMatchObject({
      identifier: [{ system: SYSTEM, value: 'e-1/s-1/document-reference/2' }],
      relatesTo: [{ code: 'replaces', target: { reference: 'DocumentReference/1' } }],
    });
  });

  it('a signed note is never changed: the new one is appended to it', () => {
    const changed = toWrite('document-reference', aNote('second'));
    const signed = { version: '2', resource: aNote('first', 'final') };
    const { writes, touched } = plan({
      documents: [changed],
      before: [standing('DocumentReference/1', note, { now: signed })],
    });
    expect(touched).toEqual([]);
    expect(JSON.parse(writes[0]?.body ?? '')).toMatchObject({ relatesTo: [{ code: 'appends' }] });
  });

  it('a draft that a person changed stops the revision', () => {
    const changed = toWrite('document-reference', aNote('second'));
    const edited = { version: '2', resource: aNote('as the nurse wrote it') };
    const planned = plan({ documents: [changed], before: [standing('DocumentReference/1', note, { now: edited })] });
    expect(planned.touched).toMatchObject([{ reference: 'DocumentReference/1', why: 'touched' }]);
  });

  it('a statement never changes in place: the old one is retired without its clinical status, and a new one is made', () => {
    const changed = toWrite('condition', aCondition('Pneumonia, right lower lobe'), 'J18.9');
    const { writes } = plan({ documents: [changed], before: [standing('Condition/2', pneumonia)] });
    expect(writes.map(({ action, identity }) => [action, identity.value])).toEqual([
      ['create', 'e-1/s-1/condition/J18.9/2'],
      ['retire', 'e-1/s-1/condition/J18.9'],
    ]);
    const retirement = JSON.parse(writes[1]?.body ?? '');
    expect(retirement.verificationStatus.coding[0].code).toBe('entered-in-error');
    expect(retirement.clinicalStatus).toBeUndefined();
    expect(writes[1]).toMatchObject({ target: 'Condition/2', ifMatch: '1' });
  });

  it('a statement that the new result lacks is retired, and a Provenance records the revision', () => {
    const { writes } = plan({ documents: [provenance], before: [standing('Condition/2', pneumonia)] });
    expect(writes.map(({ action, document }) => [action, document])).toEqual([
      ['create', 'provenance'],
      ['retire', 'condition'],
    ]);
  });

  const persons: readonly (readonly [string, Was, string])[] = [
    ['changed', { now: { version: '2', resource: aCondition('Pneumonia, as I see it') } }, 'touched'],
    [
      'confirmed',
      {
        now: {
          version: '1',
          resource: { ...pneumonia.resource, verificationStatus: { coding: [{ code: 'confirmed' }] } } as Resource,
        },
      },
      'signed',
    ],
    ['took away', { isGone: true }, 'touched'],
    [
      'retired',
      {
        now: {
          version: '2',
          resource: { ...aCondition('Pneumonia'), verificationStatus: { coding: [{ code: 'entered-in-error' }] } },
        },
      },
      'touched',
    ],
  ];
  it.each(persons)('a statement that a person %s stays as it is, and is reported', (_, was, why) => {
    const changed = toWrite('condition', aCondition('Bronchitis'), 'J18.9');
    const planned = plan({ documents: [changed], before: [standing('Condition/2', pneumonia, was)] });
    expect(planned.writes).toEqual([]);
    expect(planned.left).toEqual([{ document: 'condition', reference: 'Condition/2', why }]);
  });

  it('if nothing can be retired, no second statement is put beside the first', () => {
    const changed = toWrite('condition', aCondition('Bronchitis'), 'J18.9');
    const planned = plan({ documents: [changed], before: [standing('Condition/2', pneumonia)], canUpdate: false });
    expect(planned.writes).toEqual([]);
    expect(planned.left).toMatchObject([{ why: 'unchangeable' }]);
  });

  it('without versions, a person’s change is recognised by the content', () => {
    const changed = toWrite('condition', aCondition('Bronchitis'), 'J18.9');
    const same = {
      resource: { ...pneumonia.resource, id: '2', meta: { lastUpdated: '2026-11-20T10:00:00Z' } } as Resource,
    };
    expect(plan({ documents: [changed], before: [standing('Condition/2', pneumonia, { now: same })] }).left).toEqual(
      [],
    );
    const edited = { resource: aCondition('Pneumonia, as I see it') };
    expect(
      plan({ documents: [changed], before: [standing('Condition/2', pneumonia, { now: edited })] }).left,
    ).toHaveLength(1);
  });
});
