// Writes charts with the real parts: the real outlet over HTTP to the sandbox's EHR with its faults, the real ledger in PostgreSQL, the
// real mappings and the real validator. Only time is moved by the test. All people and words are invented.
import { fileURLToPath } from 'node:url';
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import type { WriteOutcome, WritePlace } from '../../src/domain/chart/chart-write.ts';
import type { EhrFact } from '../../src/domain/chart/ehr-capabilities.ts';
import type { EhrSettings, WriteSettings } from '../../src/domain/site/site.ts';
import { makeRetractSession } from '../../src/flows/chart-writing/retract-session.ts';
import { makeWriteChart } from '../../src/flows/chart-writing/write-chart.ts';
import { makeAskPermission } from '../../src/flows/run-steps/ask-permission.ts';
import { makeFhirEhrs } from '../../src/outbound/fhir/fhir-ehrs.ts';
import { type Folder, readFolders } from '../../src/outbound/files/mapping-folders.ts';
import { type Database, openDatabase } from '../../src/outbound/postgres/database.ts';
import { makePostgresLedger } from '../../src/outbound/postgres/ledger/ledger.ts';
import { makePostgresEhrKnowledge } from '../../src/outbound/postgres/sites/ehr-knowledge.ts';
import type { Ehr } from '../../src/ports/ehr.ts';
import type { EhrKnowledge } from '../../src/ports/ehr-knowledge.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { openValidator, type Validator } from '../../src/validation/open-validator.ts';
import { aDisease, someFacts } from './chart-facts.ts';
import { PROVEN } from './chart-writing.ts';
import { type MovingClock, startMovingClock } from './moving-clock.ts';
import { makeMigratedDatabase } from './postgres.ts';
import { SANDBOX_SOFTWARE } from './proven-ehrs.ts';
import { startSandboxEhr, type TestEhr } from './sandbox-ehr.ts';
import { fixedSecrets } from './secrets.ts';

const SEARCH_LAG_MS = 60_000;

/** Part of every name, id and word of a patient: none of them may be in a message. */
export const CANARY = /canary/i;
export const PATIENT: Patient = {
  resourceType: 'Patient',
  id: 'canary-patient',
  name: [{ family: 'Canaryson', given: ['Ada'] }],
  birthDate: '1970-01-01',
};
export const ENCOUNTER: Encounter = {
  resourceType: 'Encounter',
  id: 'canary-encounter',
  status: 'finished',
  class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
  subject: { reference: 'Patient/canary-patient' },
  period: { start: '2026-03-02T09:00:00Z', end: '2026-03-02T09:20:00Z' },
};
export const OTHER_PATIENT: Patient = { ...PATIENT, id: 'canary-other', birthDate: '1980-02-02' };
export const OTHER_ENCOUNTER: Encounter = {
  ...ENCOUNTER,
  id: 'canary-other-encounter',
  subject: { reference: 'Patient/canary-other' },
};
const SESSION = 'canary-session';

type ResultParts = {
  readonly run?: string;
  readonly time?: string;
  readonly plan?: string;
  readonly diseases?: readonly string[];
  readonly patient?: Patient;
  readonly encounter?: Encounter;
  readonly session?: string;
  readonly model?: string;
  readonly isApproved?: boolean;
};

/** The result of a session's run. */
export function aResult({
  run = 'run-1',
  time = '2026-03-02T09:30:00Z',
  plan = 'Canary X-ray today.',
  diseases = ['J18.9', 'J20.9', 'J44.1', 'J06.9'],
  patient = PATIENT,
  encounter = ENCOUNTER,
  session = SESSION,
  model = 'example-model',
  isApproved = false,
}: ResultParts = {}): ChartFacts {
  const approval = {
    decision: 'approve',
    time: '2026-03-02T10:00:00Z',
    reviewer: 'Practitioner/dr-grey',
    name: 'Grey',
  };
  return someFacts({
    note: {
      title: 'Canary cough and fever',
      type: 'PROGRESS_NOTE',
      template: 'SOAP',
      sections: [
        { key: 'SUBJECTIVE', title: 'Subjective', text: 'Canary cough for three days.' },
        { key: 'PLAN', title: 'Plan', text: plan },
      ],
    },
    diagnosis: { diseases: diseases.map((code) => aDisease({ name: `Canary disease ${code}`, icd10_code: code })) },
    triage: { triage_level: 'RED', triage_justification: 'Canary breath.', triage_recommendation: 'Canary bed today.' },
    encounter,
    patient,
    session: { key: session },
    run: { id: run, time, status: isApproved ? 'final' : 'preliminary', model: { name: model, version: '1' } },
    ...(isApproved && { review: approval }),
  });
}

/** The expensive parts, which a suite opens once. */
export type RealTestbed = {
  readonly clock: MovingClock;
  readonly database: Database;
  readonly openHospital: (parts?: RealHospitalParts) => Promise<RealHospital>;
  /** The pool of connections of a further engine to the same database. */
  readonly connect: () => Promise<Database>;
  readonly close: () => Promise<void>;
};

export type RealHospitalParts = {
  /** The folder of mappings; absent: `base`. */
  readonly folder?: string;
  readonly write?: Partial<WriteSettings>;
  readonly ehr?: Partial<EhrSettings>;
  /** Faults from the beginning. */
  readonly faults?: readonly Fault[];
  /** Facts that were learned of the EHR before. Absent: a write test has proven its transactions. */
  readonly knows?: readonly EhrFact[];
};

export type EngineParts = {
  readonly database?: Database;
  readonly fetch?: typeof fetch;
  /** The deadline of an answer. */
  readonly answerMs?: number;
  readonly runtime?: Omit<MovingClock, 'pass' | 'close'>;
};

/** One process, with connections and a memory of its own. */
export type Engine = {
  readonly ehr: Ehr;
  readonly write: (facts: ChartFacts, signal?: AbortSignal) => Promise<WriteOutcome>;
  readonly retract: (run: string, signal?: AbortSignal) => Promise<WriteOutcome>;
  readonly close: () => void;
};

export type RealHospital = Pick<TestEhr, 'store' | 'faults' | 'goDown' | 'comeBack'> & {
  readonly clock: MovingClock;
  readonly site: LoadedSite;
  readonly ledger: Ledger;
  readonly knowledge: EhrKnowledge;
  readonly startEngine: (parts?: EngineParts) => Engine;
  readonly close: () => Promise<void>;
};

const secrets = fixedSecrets();
const MAPPINGS = fileURLToPath(new URL('../../mappings', import.meta.url));
const NEVER = new AbortController().signal;

export async function openRealTestbed(): Promise<RealTestbed> {
  const { connectionString, drop } = await makeMigratedDatabase();
  const clock = await startMovingClock(connectionString);
  const pools: Database[] = [];
  const connect = async () => {
    const pool = await openDatabase({ connectionString, maxConnections: 8, onError: () => undefined });
    pools.push(pool);
    return pool;
  };
  const database = await connect();
  const validator = openValidator();
  const { folders } = await readFolders({ directory: MAPPINGS, environment: {} });
  let count = 0;
  return {
    clock,
    database,
    connect,
    openHospital: (parts = {}) => {
      count += 1;
      return openHospital({ clock, database, validator, folders, name: `mercy-${count}` }, parts);
    },
    close: async () => {
      await validator.close();
      for (const pool of pools) await pool.close();
      await clock.close();
      await drop();
    },
  };
}

type Testbed = {
  readonly clock: MovingClock;
  readonly database: Database;
  readonly validator: Validator;
  readonly folders: readonly Folder[];
  readonly name: string;
};

async function openHospital(testbed: Testbed, parts: RealHospitalParts): Promise<RealHospital> {
  const { clock, database, name } = testbed;
  const { now, monotonicMs, after } = clock;
  const ehr = await startSandboxEhr({ faults: parts.faults ?? [], now, monotonicMs, after });
  for (const resource of [PATIENT, ENCOUNTER, OTHER_PATIENT, OTHER_ENCOUNTER, ...decoys(name)]) ehr.store.put(resource);
  const site = siteOf(testbed, parts, ehr.baseUrl);
  const ledger = makePostgresLedger({ database, secrets });
  const knowledge = makePostgresEhrKnowledge({ database });
  for (const fact of parts.knows ?? [PROVEN]) await knowledge.learn(name, SANDBOX_SOFTWARE, fact);
  const engines: Engine[] = [];
  const { store, faults, goDown, comeBack } = ehr;
  return {
    ...{ store, faults, goDown, comeBack, clock, site, ledger, knowledge },
    startEngine: (engineParts = {}) => {
      const engine = startEngine(testbed, site, engineParts);
      engines.push(engine);
      return engine;
    },
    close: async () => {
      for (const engine of engines) engine.close();
      await ehr.close();
    },
  };
}

function siteOf({ folders, name }: Testbed, parts: RealHospitalParts, baseUrl: string): LoadedSite {
  const { folder = 'base', write = {}, ehr = {} } = parts;
  const site = folders.find((one) => one.name === folder)?.site;
  if (site === undefined) throw new Error(`${folder} cannot be loaded`);
  const address = { baseUrl, auth: { type: 'none' }, maxConcurrentWrites: 2, headers: {}, ...ehr } as const;
  const settings = { ...site.settings, mode: 'live' as const, ehr: address };
  return { ...site, name, settings: { ...settings, write: { ...settings.write, ...write } } };
}

function startEngine({ clock, database: own, validator }: Testbed, site: LoadedSite, parts: EngineParts): Engine {
  const { database = own, fetch, answerMs, runtime = clock } = parts;
  const knowledge = makePostgresEhrKnowledge({ database });
  const ledger = makePostgresLedger({ database, secrets });
  const limits = answerMs === undefined ? {} : { readMs: 4 * answerMs, writeMs: answerMs, transactionMs: answerMs };
  const ehrs = makeFhirEhrs({ knowledge, runtime, limits, ...(fetch && { fetch }) });
  const common = { ehrs, ledger, knowledge, runtime, searchLagMs: SEARCH_LAG_MS };
  const askPermission = makeAskPermission({ ehrs, runtime, releases: { has: async () => false } });
  const writeChart = makeWriteChart({ ...common, askPermission, check: validator.validate });
  const retractSession = makeRetractSession(common);
  return {
    ehr: ehrs.of(site),
    write: (facts, signal = NEVER) => writeChart({ site, facts }, signal),
    retract: (id, signal = NEVER) => {
      const run = { id, time: '2026-03-02T12:00:00Z' };
      return retractSession({ site, place: placeOf(site), reason: 'The model was recalled.', run }, signal);
    },
    close: ehrs.close,
  };
}

export function placeOf({ name }: LoadedSite): WritePlace {
  return { site: name, encounter: ENCOUNTER.id ?? '', session: SESSION };
}

/** Resources similar to the engine's, but of another patient and by other authors. */
function decoys(site: string): readonly Resource[] {
  const foreign = {
    subject: { reference: 'Patient/canary-other' },
    encounter: { reference: 'Encounter/canary-other-encounter' },
  };
  const own = {
    subject: { reference: 'Patient/canary-patient' },
    encounter: { reference: 'Encounter/canary-encounter' },
  };
  const named = (system: string, value: string) => ({ identifier: [{ system, value }] });
  const value = `canary-encounter/${SESSION}/condition/J18.9`;
  const code = {
    coding: [{ system: 'http://hl7.org/fhir/sid/icd-10-cm', code: 'J18.9' }],
    text: 'Canary disease J18.9',
  };
  const condition = { resourceType: 'Condition', code } as const;
  const content = [{ attachment: { contentType: 'text/plain', title: 'Canary cough and fever' } }];
  const noteContext = { context: { encounter: [own.encounter] } };
  return [
    { ...condition, ...foreign, id: 'canary-decoy-1' },
    { ...condition, ...foreign, id: 'canary-decoy-2', ...named('urn:chartwright:elsewhere', value) },
    { ...condition, ...foreign, id: 'canary-decoy-3', ...named(`urn:chartwright:${site}`, `x${value}`) },
    { ...condition, ...own, id: 'canary-decoy-4' },
    { ...condition, ...own, id: 'canary-decoy-5', ...named('urn:oid:1.2.3', value) },
    {
      ...condition,
      ...own,
      id: 'canary-decoy-6',
      ...named(`urn:chartwright:${site}`, value.replace(SESSION, 'older')),
    },
    { resourceType: 'RiskAssessment', id: 'canary-decoy-7', status: 'final', ...own },
    { resourceType: 'Flag', id: 'canary-decoy-8', status: 'active', code: { text: 'Canary falls' }, ...own },
    {
      resourceType: 'DocumentReference',
      id: 'canary-decoy-9',
      status: 'current',
      content,
      subject: own.subject,
      ...noteContext,
    },
    { resourceType: 'DocumentReference', id: 'canary-decoy-10', status: 'current', content, subject: foreign.subject },
    { resourceType: 'Device', id: 'canary-decoy-11', deviceName: [{ name: 'example-model', type: 'model-name' }] },
  ];
}
