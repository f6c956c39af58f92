// The documents of the hand-written chain, and the transaction that writes them to the chart.
import type { Bundle, Resource } from '@medplum/fhirtypes';
import type { CodeTable } from '../../../src/domain/mapping/code-table.ts';
import { type BaseFacts, differentialDocuments, noteDocuments } from './hand-written-base.ts';
import type { Documented, MadeDocuments } from './run-chain-steps.ts';

const SYSTEM = 'urn:chain:mercy';
const DOCUMENT_URN = 'urn:uuid:5f0f3c1e-6d6b-4c0f-9a3e-8a1d1f0c7d03';
const AI_LABEL = {
  system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue',
  code: 'AIAST',
  display: 'Artificial Intelligence asserted',
};
const ORGANIZATION = {
  type: 'Organization',
  identifier: { system: SYSTEM, value: 'mercy-general' },
  display: 'mercy-general',
};
const ENGINE = { name: 'chain', version: '1' };
const MODEL = { name: 'made-up-model', version: '1' };

export const DEVICE: Resource = {
  resourceType: 'Device',
  identifier: [{ system: SYSTEM, value: 'device' }],
  status: 'active',
  deviceName: [{ name: 'chain (made-up-model)', type: 'user-friendly-name' }],
  type: { text: 'Artificial intelligence for clinical documentation' },
};

type Tables = Readonly<Record<string, CodeTable>>;
type Document = { readonly fullUrl: string; readonly identity: string; readonly resource: Record<string, unknown> };

/** The searches before and after the write. */
function searchesOf(documents: readonly Document[]): readonly string[] {
  const byType = Map.groupBy(documents, ({ resource }) => String(resource['resourceType']));
  return [...byType].map(([type, ofType]) => {
    const names = ofType.map(({ identity }) => encodeURIComponent(`${SYSTEM}|${identity}`)).join(',');
    return `${type}?${type === 'Provenance' ? '_tag' : 'identifier'}=${names}&_count=50`;
  });
}

export function handWritten(tables: Tables): (parts: Documented) => Promise<MadeDocuments> {
  return async (parts) => {
    const documents = makeDocuments(tables, parts);
    return { queries: searchesOf(documents), bundle: bundleOf(documents), kept: documents };
  };
}

function makeDocuments(tables: Tables, parts: Documented): readonly Document[] {
  const { device, encounter, recording, time } = parts;
  const references = { device: [{ reference: device }], 'document-reference': [{ reference: DOCUMENT_URN }] };
  const facts = factsOf(parts);
  const made = [...noteDocuments(facts, tables, references), ...differentialDocuments(facts, tables, references)];
  const documents = made.map((resource): Document => {
    const isNote = resource.resourceType === 'DocumentReference';
    const name = resource.resourceType === 'Condition' ? `condition/${made.indexOf(resource)}` : resource.resourceType;
    const identity = `${encounter.id}/${name}`;
    const fullUrl = isNote ? DOCUMENT_URN : `urn:uuid:${crypto.randomUUID()}`;
    const identifier = { system: SYSTEM, value: identity };
    const stamp = {
      meta: { security: [AI_LABEL] },
      identifier: resource.resourceType === 'Composition' ? identifier : [identifier],
    };
    return { fullUrl, identity, resource: { ...resource, ...stamp } };
  });
  const identity = `${encounter.id}/provenance`;
  const provenance = {
    resourceType: 'Provenance',
    meta: { security: [AI_LABEL], tag: [{ system: SYSTEM, code: identity }] },
    target: documents.map(({ fullUrl }) => ({ reference: fullUrl })),
    recorded: time,
    agent: [
      {
        type: {
          coding: [{ system: 'http://terminology.hl7.org/CodeSystem/provenance-participant-type', code: 'author' }],
        },
        who: { reference: device },
        onBehalfOf: ORGANIZATION,
      },
    ],
    entity: [{ role: 'source', what: { reference: recording } }],
  };
  return [...documents, { fullUrl: `urn:uuid:${crypto.randomUUID()}`, identity, resource: provenance }];
}

function factsOf({ encounter, patient, recording, note, diagnosis, time }: Documented): BaseFacts {
  const { title, sections } = note.note;
  const text = [title, ...sections.map((section) => `${section.title.toUpperCase()}\n${section.text}`)].join('\n\n');
  return {
    session: { language: 'en' },
    encounter: { resourceType: 'Encounter', id: encounter.id ?? '' },
    patient: { resourceType: 'Patient', id: patient.id ?? '' },
    organization: ORGANIZATION,
    recordings: [{ reference: recording, ...encounter.period }],
    site: { name: 'mercy', write: { probability: 'number' } },
    run: { id: encounter.id ?? '', time, status: 'preliminary', engine: ENGINE, model: MODEL },
    note: { title, type: 'PROGRESS_NOTE', language: 'en', sections, text },
    diagnosis: {
      language: 'en',
      diseases: diagnosis.diagnosis.diseases.map((disease, index) => ({ ...disease, rank: index + 1 })),
    },
  } as BaseFacts;
}

function bundleOf(documents: readonly Document[]): string {
  const entry = documents.map(({ fullUrl, resource }) => ({
    fullUrl,
    resource,
    request: { method: 'POST', url: String(resource['resourceType']) },
  }));
  return JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry } satisfies Record<
    keyof Pick<Bundle, 'resourceType' | 'type' | 'entry'>,
    unknown
  >);
}
