// A hospital in memory to write charts to: a site with small mappings, a patient with an encounter, and results of a session. All content
// is made up.
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import type { WriteOutcome, WritePlace } from '../../src/domain/chart/chart-write.ts';
import { LONGEST_WRITE_MS } from '../../src/domain/chart/chart-write.ts';
import type { EhrCapabilities, EhrFact } from '../../src/domain/chart/ehr-capabilities.ts';
import type { Permission } from '../../src/domain/history/chart-context.ts';
import type { DocumentMapping, MappingInput } from '../../src/domain/mapping/mapping.ts';
import type { WriteSettings } from '../../src/domain/site/site.ts';
import { makeRetractSession } from '../../src/flows/chart-writing/retract-session.ts';
import { makeWriteChart } from '../../src/flows/chart-writing/write-chart.ts';
import type { WriteChartParts } from '../../src/flows/chart-writing/write-states.ts';
import type { AskPermission } from '../../src/flows/run-steps/ask-permission.ts';
import type { EhrKnowledge } from '../../src/ports/ehr-knowledge.ts';
import type { CheckResources, ResourceProblem } from '../../src/ports/resource-check.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import { type FakeEhr, type FakeEhrOptions, makeFakeEhr } from '../fakes/ehr.ts';
import { someCapabilities } from '../fakes/ehr-capabilities.ts';
import { makeFakeEhrKnowledge } from '../fakes/ehr-knowledge.ts';
import { type FakeLedger, makeFakeLedger } from '../fakes/ledger.ts';
import { type FakeRuntime, makeFakeRuntime } from '../fakes/runtime.ts';
import { aDisease, aMapping, aSite, someFacts } from './chart-facts.ts';

export const SEARCH_LAG_MS = 60_000;
/** After this time no sent resource can still appear. */
export const DOUBT_MS = LONGEST_WRITE_MS + SEARCH_LAG_MS;
export const PATIENT: Patient = { resourceType: 'Patient', id: 'p-1', birthDate: '1970-01-01' };
export const OTHER_PATIENT: Patient = { resourceType: 'Patient', id: 'p-2', birthDate: '1980-02-02' };
export const ENCOUNTER: Encounter = {
  resourceType: 'Encounter',
  id: 'e-1',
  status: 'finished',
  class: { code: 'AMB' },
  subject: { reference: 'Patient/p-1' },
};
/** What a write test has shown. */
export const PROVEN: EhrFact = { name: 'transaction', value: 'proven-atomic' };
export const PLACE: WritePlace = { site: 'mercy', encounter: 'e-1', session: 'session-1' };

type ResultParts = {
  readonly run?: string;
  readonly time?: string;
  /** The text of the note. */
  readonly plan?: string;
  readonly diseases?: readonly string[];
  readonly session?: string;
  readonly encounter?: Encounter;
  readonly patient?: Patient;
  readonly model?: string;
};

/** The result of a session's run. */
export function aResult({
  run = 'run-1',
  time = '2026-03-02T09:30:00Z',
  plan = 'Chest X-ray today.',
  diseases = ['J18.9', 'J20.9'],
  session = 'session-1',
  encounter = ENCOUNTER,
  patient = PATIENT,
  model = 'example-model',
}: ResultParts = {}): ChartFacts {
  return someFacts({
    note: {
      title: 'Cough and fever',
      type: 'PROGRESS_NOTE',
      template: 'SOAP',
      sections: [{ key: 'PLAN', title: 'Plan', text: plan }],
    },
    diagnosis: { diseases: diseases.map((code) => aDisease({ name: `Disease ${code}`, icd10_code: code })) },
    encounter,
    patient,
    session: { key: session },
    run: { id: run, time, model: { name: model, version: '1', kind: 'model' }, prompt: 'prompt-1', mapping: 'map-1' },
  });
}

type Variables = {
  readonly notice: string;
  readonly run: ChartFacts['run'];
  readonly session: { readonly key: string };
  readonly patient: Patient;
  readonly encounter: Encounter;
  readonly note?: { readonly text: string };
  readonly disease?: { readonly name: string; readonly icd10_code: string };
};

const targets = (input: MappingInput, ...names: readonly string[]) =>
  names.flatMap((name) => input.documents?.[name] ?? []);

function document(
  make: (variables: Variables, input: MappingInput) => object,
  reads: readonly string[] = [],
): DocumentMapping {
  return aMapping((variables, input) => make(variables as unknown as Variables, input), reads);
}

const subject = ({ patient }: Variables) => ({ reference: `Patient/${patient.id}` });
const encounter = ({ encounter: { id } }: Variables) => ({ reference: `Encounter/${id}` });

/** The smallest mappings that behave like those of the base. */
const MAPPINGS: Readonly<Record<string, DocumentMapping>> = {
  notice: aMapping(() => 'Drafted by AI.'),
  device: document(({ run }) => ({ resourceType: 'Device', deviceName: [{ name: run.model.name, type: 'other' }] })),
  composition: document((known, input) => ({
    resourceType: 'Composition',
    status: known.run.status,
    type: { text: 'Progress note' },
    subject: subject(known),
    encounter: encounter(known),
    date: known.run.time,
    author: targets(input, 'device'),
    title: known.notice,
    section: [{ title: 'Note', text: { status: 'generated', div: `${known.notice} ${known.note?.text}` } }],
  })),
  'document-reference': document((known, input) => ({
    resourceType: 'DocumentReference',
    status: 'current',
    docStatus: known.run.status,
    subject: subject(known),
    date: known.run.time,
    author: targets(input, 'device'),
    description: `${known.notice} ${known.note?.text}`,
    content: [{ attachment: { contentType: 'text/plain' } }],
    context: { encounter: [encounter(known)] },
  })),
  condition: document(
    (known, input) => ({
      resourceType: 'Condition',
      clinicalStatus: { coding: [{ code: 'active' }] },
      verificationStatus: { coding: [{ code: 'differential' }] },
      code: { text: known.disease?.name },
      note: [{ text: known.session.key }],
      subject: subject(known),
      encounter: encounter(known),
      recordedDate: known.run.time,
      evidence: [{ detail: targets(input, 'document-reference', 'composition') }],
    }),
    ['disease'],
  ),
  'risk-assessment': document(
    (known, input) => ({
      resourceType: 'RiskAssessment',
      status: known.run.status,
      subject: subject(known),
      encounter: encounter(known),
      occurrenceDateTime: known.run.time,
      note: [{ text: known.session.key }],
      basis: targets(input, 'condition'),
    }),
    ['diagnosis'],
  ),
  provenance: document((known, input) => ({
    resourceType: 'Provenance',
    target: targets(input, 'composition', 'document-reference', 'condition', 'risk-assessment'),
    recorded: known.run.time,
    agent: [{ who: targets(input, 'device')[0] }],
  })),
};

type SiteParts = {
  readonly name?: string;
  readonly baseUrl?: string;
  readonly mappings?: Readonly<Record<string, DocumentMapping>>;
  readonly write?: Partial<WriteSettings>;
};

export function aLiveSite({
  name = 'mercy',
  baseUrl = 'https://ehr.example.org/fhir',
  mappings = {},
  write = {},
}: SiteParts = {}): LoadedSite {
  const site = aSite({
    mappings: { ...MAPPINGS, ...mappings },
    write: { diagnosis: ['condition', 'risk-assessment'], ...write },
  });
  const ehr = { baseUrl, auth: { type: 'none' } as const, maxConcurrentWrites: 2, headers: {} };
  return { ...site, name, settings: { ...site.settings, mode: 'live', ehr } };
}

export type Hospital = {
  readonly runtime: FakeRuntime;
  readonly ehr: FakeEhr;
  readonly ledger: FakeLedger;
  readonly knowledge: EhrKnowledge;
  readonly capabilities: EhrCapabilities;
  readonly site: LoadedSite;
  /** The parts of a writer; a test may wrap each. */
  readonly parts: WriteChartParts;
  readonly write: (facts?: ChartFacts, site?: LoadedSite) => Promise<WriteOutcome>;
  readonly retract: (place?: WritePlace) => Promise<WriteOutcome>;
  /** The engine's current resources, by type and in order, including those entered-in-error. */
  readonly written: (type?: string) => readonly Resource[];
};

export type HospitalParts = Omit<FakeEhrOptions, 'runtime'> & {
  /** What its CapabilityStatement states; absent: yes. */
  readonly hasTransaction?: boolean;
  /** Facts that were learned of it before; absent: a write test has proven its transactions, if it states that it has them. */
  readonly knows?: readonly EhrFact[];
  readonly site?: LoadedSite;
  readonly problems?: readonly ResourceProblem[];
  /** Called for each permission. */
  readonly permission?: () => Permission;
  readonly seed?: number;
};

export function aHospital({
  site = aLiveSite(),
  problems = [],
  permission,
  hasTransaction = true,
  knows = hasTransaction ? [PROVEN] : [],
  seed = 1,
  ...ehrOptions
}: HospitalParts = {}): Hospital {
  const runtime = makeFakeRuntime({ seed });
  const capabilities =
    ehrOptions.capabilities ??
    someCapabilities({
      hasTransaction,
      types: Object.fromEntries((ehrOptions.cannotFind ?? []).map((type) => [type, { canSearch: false }])),
    });
  const ehr = makeFakeEhr({
    resources: [PATIENT, OTHER_PATIENT, ENCOUNTER],
    ...ehrOptions,
    capabilities,
    runtime,
  });
  const ledger = makeFakeLedger({ now: runtime.now });
  const knowledge = makeFakeEhrKnowledge({ now: runtime.now });
  for (const fact of knows) void knowledge.learn(site.name, capabilities.software, fact);
  const check: CheckResources = async () => problems;
  const askPermission: AskPermission = async () => permission?.() ?? { isGranted: true };
  const parts: WriteChartParts = {
    ehrs: ehr.ehrs,
    ledger,
    knowledge,
    check,
    askPermission,
    runtime,
    searchLagMs: SEARCH_LAG_MS,
  };
  const signal = new AbortController().signal;
  return {
    ...{ runtime, ehr, ledger, knowledge, capabilities, site, parts },
    write: (facts = aResult(), ofSite = site) => makeWriteChart(parts)({ site: ofSite, facts }, signal),
    retract: (place = PLACE) =>
      makeRetractSession(parts)(
        { site, place, reason: 'The model was recalled.', run: { id: 'retraction-1', time: '2026-03-02T12:00:00Z' } },
        signal,
      ),
    written: (type) =>
      ehr.store
        .references()
        .filter((reference) => ehr.store.history(reference)[0]?.by === 'engine')
        .flatMap((reference) => ehr.store.get(reference)?.resource ?? [])
        .filter(({ resourceType }) => type === undefined || resourceType === type),
  };
}
