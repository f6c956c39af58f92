// Charts of the sandbox as the mappings of this project write them: the golden documents, with ids as an EHR gives them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bundle, Resource } from '@medplum/fhirtypes';
import { documentUrn } from '../../../src/domain/chart/identity.ts';
import { listOf, memberOf, textOf } from '../../../src/domain/raw-members.ts';
import { PROJECT } from '../run-cli.ts';

type ChartParts = {
  /** The name of a golden test of mappings/base: `emergency-red`. */
  readonly written: string;
  readonly visit: string;
  /** Changes each document. */
  readonly change?: (resource: Resource) => Resource;
  readonly besides?: readonly Resource[];
};

/** Makes the chart of a visit, with what the engine wrote for it. */
export function aChart({ written, visit, change = (resource) => resource, besides = [] }: ChartParts): Bundle {
  const documents = documentsOf(written, visit).map(change);
  const resources = [...people(visit), ...documents, ...besides];
  return { resourceType: 'Bundle', type: 'collection', entry: resources.map((resource) => ({ resource })) };
}

function documentsOf(written: string, visit: string): readonly Resource[] {
  const folder = join(PROJECT, 'mappings/base/tests', written, 'expected');
  const named = readdirSync(folder).map((file): { readonly id: string; readonly resource: Resource } => ({
    id: file.replace('.json', ''),
    resource: JSON.parse(readFileSync(join(folder, file), 'utf8')),
  }));
  const urns = new Map(named.map(({ id, resource }) => [urnOf(resource), `${resource.resourceType}/${id}`]));
  const inVisit = encounterOf(named.map(({ resource }) => resource));
  return named.map(({ id, resource }) => {
    const text = JSON.stringify({ ...resource, id })
      .replaceAll(/urn:uuid:[0-9a-f-]{36}/g, (urn) => urns.get(urn) ?? urn)
      .replaceAll('urn:chartwright:base', 'urn:chartwright:sandbox')
      .replaceAll(inVisit, visit);
    return JSON.parse(text);
  });
}

function urnOf(resource: Resource): string {
  const [identifier] = listOf(resource, 'identifier');
  const [tag] = listOf(memberOf(resource, 'meta'), 'tag');
  const system = textOf(identifier, 'system') ?? textOf(tag, 'system') ?? '';
  return documentUrn({ system, value: textOf(identifier, 'value') ?? textOf(tag, 'code') ?? '' });
}

function encounterOf(resources: readonly Resource[]): string {
  const [identifier] = resources.flatMap((resource) =>
    resource.resourceType === 'DocumentReference' ? listOf(resource, 'identifier') : [],
  );
  return textOf(identifier, 'value')?.split('/')[0] ?? '';
}

function people(visit: string): readonly Resource[] {
  return [
    {
      resourceType: 'Encounter',
      id: visit,
      status: 'finished',
      class: { code: 'EMER' },
      type: [{ text: 'Emergency visit' }],
      subject: { reference: 'Patient/p-1' },
      participant: [{ individual: { reference: 'Practitioner/7', display: 'Dr. Example' } }],
      period: { start: '2026-03-02T09:00:00Z', end: '2026-03-02T09:15:00Z' },
      reasonCode: [{ text: 'Tightness in the chest' }],
    },
    {
      resourceType: 'Patient',
      id: 'p-1',
      name: [{ given: ['Ana', 'María'], family: 'Fixture' }],
      gender: 'female',
      birthDate: '1968-03-03',
    },
    {
      resourceType: 'Practitioner',
      id: '7',
      name: [{ given: ['Meredith'], family: 'Example' }],
      qualification: [{ code: { text: 'Physician' } }],
    },
    aRecording(visit, 'rec-5', 'The whole encounter'),
  ];
}

function aRecording(visit: string, id: string, title: string): Resource {
  return {
    resourceType: 'DocumentReference',
    id,
    status: 'current',
    content: [{ attachment: { contentType: 'audio/ogg', url: `Binary/${id}`, title } }],
    context: {
      encounter: [{ reference: `Encounter/${visit}` }],
      period: { start: '2026-03-02T09:00:00Z', end: '2026-03-02T09:01:05Z' },
    },
  };
}
