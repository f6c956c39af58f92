// An EHR of one hospital for a suite: the sandbox's server on 127.0.0.1, faults in front of it, a patient and an encounter in it, and
// the site that points at it.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import type { SiteSettings } from '../../src/domain/site/site.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { type Faults, makeFaults } from '../../src/sandbox/faults/make-faults.ts';
import type { After } from '../../src/sandbox/faults/waits.ts';
import { openSandboxEhr, type SandboxEhrOptions } from '../../src/sandbox/fhir/sandbox-ehr.ts';
import type { SandboxStore } from '../../src/sandbox/fhir/sandbox-store.ts';
import type { SandboxSubscriptions } from '../../src/sandbox/fhir/subscriptions.ts';
import { aSite } from './chart-facts.ts';

export type TestEhr = {
  readonly baseUrl: string;
  readonly store: SandboxStore;
  readonly subscriptions: SandboxSubscriptions;
  /** Its faults: `faults.set([{ mode: 'slow', ms: 50 }])`. */
  readonly faults: Faults;
  /** `mercy`, without credentials. Its settings may be changed: `{ write: … }`, `{ ehr: { …site.settings.ehr, auth } }`. */
  readonly site: LoadedSite;
  readonly siteWith: (changes: Partial<SiteSettings>) => LoadedSite;
  /** Connections are refused until `comeBack`; what is stored stays. */
  readonly goDown: () => Promise<void>;
  readonly comeBack: () => Promise<void>;
  /** Ends all links to recordings that it gave out, if it signs them (`linkSeconds`). */
  readonly changeLinkKey: () => void;
  readonly close: () => Promise<void>;
};

type TestEhrParts = Omit<SandboxEhrOptions, 'wrap' | 'port'> & {
  readonly faults?: readonly Fault[];
  /** The faults' clock. */
  readonly monotonicMs?: () => number;
  readonly after?: After;
};

export const TEST_PATIENT: Patient = { resourceType: 'Patient', id: 'p-1' };
export const TEST_ENCOUNTER: Encounter = {
  resourceType: 'Encounter',
  id: 'e-1',
  status: 'finished',
  class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
  subject: { reference: 'Patient/p-1' },
};

export async function startSandboxEhr(parts: TestEhrParts = {}): Promise<TestEhr> {
  const { faults: wanted = [], monotonicMs, after, ...options } = parts;
  const held: { faults?: Faults } = {};
  const wrap: SandboxEhrOptions['wrap'] = (listener) => {
    const { now } = options;
    held.faults = makeFaults(listener, {
      ...(now && { now }),
      ...(monotonicMs && { monotonicMs }),
      ...(after && { after }),
    });
    held.faults.set(wanted);
    return held.faults.listener;
  };
  const first = await openSandboxEhr({ ...options, wrap });
  const { baseUrl, store, subscriptions } = first;
  const { faults } = held;
  if (!faults) throw new Error('the faults were not put in front of the EHR');
  store.put(TEST_PATIENT);
  store.put(TEST_ENCOUNTER);
  const siteWith = (changes: Partial<SiteSettings>): LoadedSite => {
    const site = aSite();
    const ehr = { baseUrl, auth: { type: 'none' }, maxConcurrentWrites: 2, headers: {} } as const;
    return { ...site, settings: { ...site.settings, mode: 'live', ehr, ...changes } };
  };
  return {
    baseUrl,
    store,
    subscriptions,
    faults,
    site: siteWith({}),
    siteWith,
    goDown: first.stopListening,
    comeBack: first.listenAgain,
    changeLinkKey: first.changeLinkKey,
    close: async () => {
      faults.close();
      await first.close();
    },
  };
}
