// Builders for the facts of a session, and for a site without files. All content is made up.
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import type { Disease } from '../../src/domain/diagnosis/diagnosis.ts';
import { parseChartFacts } from '../../src/domain/mapping/chart-facts.ts';
import type { DocumentMapping, MappingInput } from '../../src/domain/mapping/mapping.ts';
import type { SiteSettings, WriteSettings } from '../../src/domain/site/site.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';

export function aDisease(changes: Partial<Disease> = {}): Disease {
  return {
    name: 'Community-acquired pneumonia',
    icd10_code: 'J18.9',
    probability: 0.62,
    why: 'Fever, cough and crackles on the right.',
    diagnostic_tests: ['Chest X-ray'],
    standard_care: [],
    category: 'most-likely',
    ...changes,
  };
}

export function someFacts(changes: Record<string, unknown> = {}): ChartFacts {
  return parseChartFacts({
    note: {
      title: 'Cough and fever',
      type: 'PROGRESS_NOTE',
      template: 'SOAP',
      sections: [
        { key: 'SUBJECTIVE', title: 'Subjective', text: 'Cough for three days.' },
        { key: 'PLAN', title: 'Plan', text: 'Chest X-ray today.' },
      ],
    },
    diagnosis: {
      diseases: [aDisease(), aDisease({ name: 'Acute bronchitis', icd10_code: 'J20.9', probability: 0.21 })],
    },
    encounter: {
      resourceType: 'Encounter',
      id: 'e-1',
      status: 'finished',
      class: { code: 'AMB' },
      subject: { reference: 'Patient/p-1' },
    },
    patient: { resourceType: 'Patient', id: 'p-1' },
    ...changes,
  });
}

type SiteChanges = {
  readonly write?: Partial<WriteSettings>;
  readonly organization?: string;
  readonly mappings?: Readonly<Record<string, DocumentMapping>>;
};

export function aSite({ write = {}, organization, mappings = {} }: SiteChanges = {}): LoadedSite {
  return {
    name: 'mercy',
    settings: { ...someSettings(write), ...(organization !== undefined && { organization }) },
    mappings: new Map(Object.entries(mappings)),
    codes: {},
    templates: new Map(),
    sources: ['nice.org.uk'],
    version: '1',
  };
}

/** Returns a mapping that is a function. The caller states which variables it reads. */
export function aMapping(
  make: (variables: Readonly<Record<string, unknown>>, input: MappingInput) => unknown,
  reads: readonly string[] = [],
): DocumentMapping {
  return {
    file: 'mappings/mercy/document.yaml',
    reads: new Set(reads),
    apply: (input) => ({ value: make(input.variables, input), unmapped: [] }),
  };
}

function someSettings(write: Partial<WriteSettings>): SiteSettings {
  return {
    mode: 'shadow',
    timeZone: 'America/Chicago',
    pilot: { practitioners: [], locations: [], services: [] },
    identifiers: {},
    events: {},
    trigger: "status = 'finished'",
    recording: {
      from: ['DocumentReference', 'Media'],
      group: 'encounter',
      settleMs: 5_000,
      waitMs: 7_200_000,
      late: 'new-session',
      minSeconds: 5,
      maxHours: 4,
      origins: [],
    },
    language: { speech: 'en', note: 'en', unsupported: 'hold' },
    noteType: { default: 'PROGRESS_NOTE' },
    consent: { recording: 'opt-out', unknown: 'hold' },
    sensitive: [],
    engines: { allow: ['vendor'] },
    check: { maxUnsupported: {} },
    write: {
      note: ['composition', 'document-reference'],
      diagnosis: ['condition', 'risk-assessment', 'flag'],
      provenance: true,
      conditions: 'always',
      probability: 'number',
      differential: 'resources',
      review: 'preliminary',
      ...write,
    },
    upload: { identityCheck: 'on' },
    review: { by: 'task' },
    codes: { diagnosis: 'icd-10-cm' },
  };
}
