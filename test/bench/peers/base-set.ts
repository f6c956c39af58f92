// The shipped base set, beside hand-written code that makes the same documents from the same facts.
import path from 'node:path';
import { type ChartFacts, documentVariables } from '../../../src/domain/chart/chart.ts';
import { describeProblem } from '../../../src/domain/mapping/mapping.ts';
import { readFolders } from '../../../src/outbound/files/mapping-folders.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import type { Contender } from './contender.ts';
import { DISEASES, ED_SECTIONS, DOCUMENTS as REFERENCES } from './facts.ts';
import { type BaseFacts, makeHandWrittenBase } from './hand-written-base.ts';

export const MAPPINGS = path.join(import.meta.dirname, '../../../mappings');

const DOCUMENTS = {
  ...REFERENCES,
  'document-reference': [{ reference: 'urn:uuid:5f0f3c1e-6d6b-4c0f-9a3e-8a1d1f0c7d03' }],
};

/** The hand-written code is first, then the mappings. */
export async function makeBaseContenders(): Promise<readonly Contender[]> {
  const site = await readBase();
  return [makeHandWrittenBase(site.codes, DOCUMENTS), makeMapped(site)];
}

export async function readBase(): Promise<LoadedSite> {
  const { folders } = await readFolders({ directory: MAPPINGS, environment: {} });
  const base = folders.find(({ name }) => name === 'base');
  if (base?.site === undefined) throw new Error((base?.problems ?? []).map(describeProblem).join('\n'));
  return base.site;
}

function makeMapped({ mappings, codes }: LoadedSite): Contender {
  const make = (document: string, variables: Readonly<Record<string, unknown>>): unknown =>
    mappings.get(document)?.apply({ variables, documents: DOCUMENTS, timeZone: 'UTC' }).value;
  const withNotice = (json: string) => {
    const variables = { ...(JSON.parse(json) as BaseFacts), codes };
    return { ...variables, notice: make('notice', variables) };
  };
  return {
    name: 'chartwright',
    mapNote: (json) => {
      const variables = withNotice(json);
      return JSON.stringify([make('composition', variables), make('document-reference', variables)]);
    },
    mapDifferential: (json) => {
      const variables = withNotice(json);
      const conditions = variables.diagnosis?.diseases.map((disease) => make('condition', { ...variables, disease }));
      return JSON.stringify([...(conditions ?? []), make('risk-assessment', variables)]);
    },
  };
}

const FACTS: ChartFacts = {
  language: 'en',
  recordings: [
    {
      reference: 'DocumentReference/rec-12',
      contentType: 'audio/wav',
      start: '2026-11-20T09:12:00-06:00',
      end: '2026-11-20T09:31:00-06:00',
      durationSeconds: 1140,
    },
  ],
  encounter: { resourceType: 'Encounter', id: 'enc-4711', status: 'finished', class: { code: 'EMER' } },
  patient: { resourceType: 'Patient', id: 'pat-0815' },
  session: { key: 'rec-12' },
  run: {
    id: 'run-1',
    time: '2026-11-20T15:40:12Z',
    status: 'preliminary',
    engine: { name: 'chartwright', version: '0.1.0' },
    model: { name: 'made-up-model', version: '2026-10', kind: 'model' },
  },
};

const NOTE: Partial<ChartFacts> = {
  noteType: 'ED_NOTE',
  template: 'CHEDDAR',
  note: { note: { title: 'Emergency department note', sections: ED_SECTIONS } },
};

const DIFFERENTIAL: Partial<ChartFacts> = {
  diagnosis: {
    diagnosis: { diseases: DISEASES },
    triage: { triage_level: 'RED', triage_justification: 'Chest pain.', triage_recommendation: 'ECG.' },
  },
};

/** All results that a session can have: a note, eight diseases and a triage. */
export const WHOLE_SESSION: ChartFacts = { ...FACTS, ...NOTE, ...DIFFERENTIAL };

export async function baseFacts(): Promise<{ readonly note: string; readonly differential: string }> {
  const { settings } = await readBase();
  const jsonOf = (facts: Partial<ChartFacts>) =>
    JSON.stringify(documentVariables({ ...FACTS, ...facts }, { name: 'mercy', settings }));
  return { note: jsonOf(NOTE), differential: jsonOf(DIFFERENTIAL) };
}
