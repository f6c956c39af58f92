// The states of one attempt to write a session's documents, and the data that each state needs. write-chart.ts has the table.
import type { ChartFacts } from '../../domain/chart/chart.ts';
import type { LeftDocument, PlannedWrite, Revision, WriteOutcome, WritePlace } from '../../domain/chart/chart-write.ts';
import type { EhrFact, EhrProfile } from '../../domain/chart/ehr-capabilities.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Lease } from '../../ports/ledger.ts';
import type { CheckResources } from '../../ports/resource-check.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { AskPermission } from '../run-steps/ask-permission.ts';
import type { FoundBefore } from './find-writes.ts';
import type { ChartSet, MappedChart } from './map-chart.ts';
import type { State } from './state-table.ts';
import type { DeliveryParts } from './track-delivery.ts';

export type WriteChartParts = Omit<DeliveryParts, 'ehr'> & {
  readonly ehrs: Ehrs;
  readonly runtime: Pick<Runtime, 'now'>;
  readonly check: CheckResources;
  readonly askPermission: AskPermission;
};

export type WriteOrder = {
  readonly site: LoadedSite;
  readonly facts: ChartFacts;
  /** The documents of these facts, if they were mapped before. */
  readonly mapped?: MappedChart;
};

/** What does not change during one attempt. */
export type ChartWork = WriteOrder & {
  readonly parts: WriteChartParts & DeliveryParts;
  readonly lease: Lease;
  /** The monotonic clock just before the lease was acquired. */
  readonly leasedMs: number;
  readonly place: WritePlace;
  readonly patient: string;
  readonly devices: KnownDevices;
};

/** By site: the revisions of its Devices, as the ledger last returned them. */
export type KnownDevices = Map<string, readonly Revision[]>;

export type SiteDevices = {
  /** No other process had to be waited for, and nothing was written. */
  readonly wereThere: boolean;
  readonly revisions?: readonly Revision[];
};

/** `revisions`: the session's, from the ledger. */
type Revisions = { readonly revisions: readonly Revision[] };

export type WriteStates = {
  readonly readingLedger: object;
  readonly resolvingUncertainWrites: Revisions;
  readonly mappingDocuments: Revisions;
  readonly ensuringDevices: Revisions & { readonly profile: EhrProfile; readonly set: ChartSet };
  readonly planningRevision: Revisions & {
    readonly profile: EhrProfile;
    readonly set: ChartSet;
    readonly devices: SiteDevices;
  };
  readonly checkingResources: FrozenLater;
  /** `nextState`: the state that follows if nothing has changed for patient and encounter. */
  readonly recheckingPeople: { readonly nextState: WriteState<'freezingRevision' | 'resumingRevision' | 'ended'> };
  /** `found`: what is in the chart of its new resources, which none of them should be. */
  readonly freezingRevision: FrozenLater & { readonly found?: FoundBefore | undefined };
  readonly resumingRevision: Revisions & { readonly revision: Revision };
  readonly deliveringRevision: Revisions & {
    readonly revision: Revision;
    readonly left: readonly LeftDocument[];
    readonly isResumed: boolean;
    /** The site's Devices, if they were read already. */
    readonly devices?: readonly Revision[] | undefined;
    /** What was learned of the EHR, if nothing was written to it since. */
    readonly learned?: readonly EhrFact[] | undefined;
    readonly found?: FoundBefore | undefined;
  };
  readonly ended: { readonly outcome: WriteOutcome };
  /** What was just learned leads to other documents, or to another patient's chart. */
  readonly startingOver: { readonly facts?: ChartFacts };
};

type FrozenLater = Revisions & {
  readonly writes: readonly PlannedWrite[];
  readonly left: readonly LeftDocument[];
  readonly devices?: readonly Revision[] | undefined;
  readonly learned?: readonly EhrFact[] | undefined;
};

export type WriteState<Name extends keyof WriteStates = keyof WriteStates> = State<WriteStates, Name>;
export type EndState = 'ended' | 'startingOver';

export function ended(outcome: WriteOutcome): WriteState<'ended'> {
  return { state: 'ended', outcome };
}
