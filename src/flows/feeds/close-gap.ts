// Recovers missing events of a Subscription: by their numbers if the EHR supports that, otherwise by the status of the Subscription, otherwise by
// a search for changes. If none of these works, the next catch-up finds the changes.
import type { Resource, ResourceType } from '@medplum/fhirtypes';
import { AppError } from '../../domain/errors.ts';
import type { Ehr, Ehrs } from '../../ports/ehr.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { AcceptFound } from '../intake/accept-found.ts';
import { readReference } from '../intake/formats/encounter-reference.ts';
import { type Notification, readNotification } from '../intake/formats/read-notification.ts';

export type Gap = {
  readonly site: LoadedSite;
  /** `Subscription/7`, if known. */
  readonly subscription?: string | undefined;
  /** The first and the last missing number. */
  readonly from: number;
  readonly to: number;
};

/** Returns how the gap was closed; `none`: the EHR reports that nothing is missing. Throws what the EHR or the database throws. */
export type CloseGap = (gap: Gap, signal: AbortSignal) => Promise<'events' | 'status' | 'search' | 'none'>;

type Parts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly acceptFound: AcceptFound;
  /** Searches until no change is left. */
  readonly searchNow: (site: LoadedSite, signal: AbortSignal) => Promise<void>;
  readonly runtime: Pick<Runtime, 'now'>;
};

/** Each resource is read on its own: beyond this number a search is cheaper. */
const MAX_READ = 100;
const TYPES: ReadonlySet<string> = new Set(['Encounter', 'DocumentReference', 'Media'] satisfies ResourceType[]);

export function makeCloseGap({ ehrs, acceptFound, searchNow, runtime }: Parts): CloseGap {
  const acceptNamed = async (gap: Gap, references: readonly string[], signal: AbortSignal): Promise<void> => {
    const ehr = ehrs.of(gap.site);
    const resources: Resource[] = [];
    for (const reference of references) {
      const stored = await ehr.read(reference, signal);
      // A resource that was deleted meanwhile needs no event.
      if (stored) resources.push(stored.resource);
    }
    if (resources.length === 0) return;
    await acceptFound({ site: gap.site, source: 'catch-up', receivedAt: runtime.now(), resources });
  };

  return async (gap, signal) => {
    for (const [operation, way] of WAYS) {
      const status = await ask(ehrs.of(gap.site), operation, gap, signal);
      if (status === undefined) continue;
      if (status.update.kind === 'query-status' && (status.update.eventNumber ?? gap.from) < gap.from) return 'none';
      const references = missingIn(status, gap);
      if (references === undefined) continue;
      await acceptNamed(gap, references, signal);
      return way;
    }
    await searchNow(gap.site, signal);
    return 'search';
  };
}

const WAYS = [
  ['$events', 'events'],
  ['$status', 'status'],
] as const;

async function ask(
  ehr: Ehr,
  operation: '$events' | '$status',
  { site, subscription, from, to }: Gap,
  signal: AbortSignal,
): Promise<Notification | undefined> {
  if (subscription === undefined) return undefined;
  const parameters = { eventsSinceNumber: String(from), eventsUntilNumber: String(to) };
  try {
    const answer = await ehr.ask(
      { reference: subscription, operation, parameters: operation === '$events' ? parameters : {} },
      signal,
    );
    return readStatus(answer, site);
  } catch (thrown) {
    // After a failure the changes are searched for; the search reports better what is wrong.
    if (signal.aborted || !(thrown instanceof AppError)) throw thrown;
    return undefined;
  }
}

/** The status is the first entry of a Bundle, or the whole answer. */
export function readStatus(answer: Resource | undefined, { name, settings }: LoadedSite): Notification | undefined {
  const status = answer?.resourceType === 'Bundle' ? answer.entry?.[0]?.resource : answer;
  return readNotification(status, { site: name, baseUrl: settings.ehr?.baseUrl, timeZone: settings.timeZone });
}

/** The subjects of the missing events; undefined if the answer does not contain all of them. */
function missingIn({ update, focuses }: Notification, { site, from, to }: Gap): readonly string[] | undefined {
  const { firstEventNumber = Number.POSITIVE_INFINITY, eventNumber = 0 } = update;
  const count = to - from + 1;
  if (firstEventNumber > from || eventNumber < to || focuses.length < count || focuses.length > MAX_READ)
    return undefined;
  const references = focuses.map((literal) => readReference(literal, site.settings.ehr?.baseUrl));
  return [
    ...new Set(references.flatMap((one) => (one.kind === 'own' && TYPES.has(one.type) ? `${one.type}/${one.id}` : []))),
  ];
}
