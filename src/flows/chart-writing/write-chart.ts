// Writes the documents of one session into its chart. The table is the whole workflow, and docs/write-chart.md shows it as a picture. A
// second call with the same run continues where the first one ended; a call with another run writes the next revision.
import type { WriteOutcome } from '../../domain/chart/chart-write.ts';
import { AppError } from '../../domain/errors.ts';
import { bindEhr } from './bind-ehr.ts';
import { checkResources } from './check-resources.ts';
import { ensureDevices } from './ensure-devices.ts';
import { deliver, freezeRevision } from './freeze-revision.ts';
import { holdLease } from './hold-lease.ts';
import { mapForEhr, planRevision } from './plan-revision.ts';
import { recheckPeople } from './recheck-people.ts';
import { resolveBeforeMapping } from './resolve-uncertain-writes.ts';
import { readLedger, resumeRevision } from './resume-revision.ts';
import { runStates, type StateTable, state } from './state-table.ts';
import { noStrategyLeft } from './write-outcome.ts';
import type {
  ChartWork,
  EndState,
  KnownDevices,
  WriteChartParts,
  WriteOrder,
  WriteState,
  WriteStates,
} from './write-states.ts';

type ActiveState = Exclude<keyof WriteStates, EndState>;

/** Beside each state that may follow: when it does. */
export const WRITE_STATES = {
  readingLedger: state(readLedger, {
    recheckingPeople: 'this run has frozen a revision',
    resolvingUncertainWrites: 'this run has frozen nothing',
  }),
  resolvingUncertainWrites: state(resolveBeforeMapping, {
    mappingDocuments: 'each earlier write is certain',
    ended: 'a person must look',
  }),
  mappingDocuments: state(mapForEhr, {
    ensuringDevices: 'mapped for what the EHR accepts',
    ended: 'the EHR accepts no drafts, or no document',
  }),
  ensuringDevices: state(ensureDevices, {
    planningRevision: 'each author is in the EHR',
    startingOver: 'the EHR refuses the type',
    ended: 'invalid or refused',
  }),
  planningRevision: state(planRevision, {
    checkingResources: 'something is to be written',
    recheckingPeople: 'unchanged, or changed by a person',
    ended: 'nothing was mapped',
  }),
  checkingResources: state(checkResources, {
    recheckingPeople: 'valid FHIR',
    ended: 'invalid',
  }),
  recheckingPeople: state(recheckPeople, {
    freezingRevision: 'a revision is planned',
    resumingRevision: 'a revision is frozen',
    startingOver: 'the patient was merged',
    ended: 'nothing to write, not permitted, another patient, or cancelled and retracted',
  }),
  freezingRevision: state(freezeRevision, { deliveringRevision: 'stored in the ledger' }),
  resumingRevision: state(resumeRevision, { deliveringRevision: 'left documents are known again' }),
  deliveringRevision: state(deliver, {
    startingOver: 'the EHR refused a type or drafts, or an approval is still to be written',
    ended: 'written, or parked',
  }),
} satisfies StateTable<ChartWork, WriteStates, ActiveState>;

/**
 * Throws if a later call may succeed: `ehrUnavailable`, `ehrUncertain`, `inUse`, `overloaded`; and a MappingError if the site's files
 * cannot work with these facts.
 */
export type WriteChart = (order: WriteOrder, signal: AbortSignal) => Promise<WriteOutcome>;

/** Each attempt may learn of one more type that the EHR refuses. */
const MAX_ATTEMPTS = 6;

export function makeWriteChart(parts: WriteChartParts): WriteChart {
  const devices: KnownDevices = new Map();
  return async (order, signal) => {
    const { site } = order;
    if (site.settings.mode !== 'live') {
      throw new AppError('conflict', `${site.name} is not live: nothing is written to its charts`);
    }
    const other = await bindEhr(parts.ledger, site);
    if (other !== undefined) return other;
    let { facts } = order;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const end = await attemptWrite(parts, { ...order, facts, devices }, signal);
      if (end.state === 'ended') {
        const isSamePatient = facts.patient.id === order.facts.patient.id;
        return isSamePatient ? end.outcome : { ...end.outcome, patient: `Patient/${facts.patient.id}` };
      }
      facts = end.facts ?? facts;
    }
    return noStrategyLeft(site.name);
  };
}

/** A merged patient has another chart, so each attempt takes the lease of its own patient. */
async function attemptWrite(
  parts: WriteChartParts,
  order: WriteOrder & { readonly devices: KnownDevices },
  signal: AbortSignal,
): Promise<WriteState<EndState>> {
  const { site, facts } = order;
  const patient = `Patient/${facts.patient.id}`;
  const place = { site: site.name, encounter: facts.encounter.id ?? '', session: facts.session.key };
  const ehr = parts.ehrs.of(site);
  const leasedMs = parts.runtime.monotonicMs();
  return holdLease(
    { ...parts, name: `${site.name}/${patient}` },
    (lease) => {
      const work: ChartWork = { ...order, parts: { ...parts, ehr }, lease, leasedMs, place, patient };
      const first = { state: 'readingLedger' } as const;
      return runStates<ChartWork, WriteStates, ActiveState>(WRITE_STATES, { work, first }, signal);
    },
    signal,
  );
}
