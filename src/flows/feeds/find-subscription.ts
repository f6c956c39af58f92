// Finds the engine's own Subscription in an EHR: the stored one, otherwise one with the engine's address. So a lost database leads to no second
// Subscription, and of two that a lost answer left behind one is removed.
import type { Subscription } from '@medplum/fhirtypes';
import { AppError } from '../../domain/errors.ts';
import {
  asSubscription,
  type DesiredSubscription,
  notifiedUsBefore,
  notifiesUs,
  wasMadeByUs,
} from '../../domain/event/subscription.ts';
import type { Ehr, StoredResource } from '../../ports/ehr.ts';

export type FoundSubscription = {
  readonly own?: StoredResource<Subscription>;
  /** Further Subscriptions of an engine with the same address. */
  readonly doubles: readonly string[];
};

type Order = { readonly ehr: Ehr; readonly wanted: DesiredSubscription; readonly noted: string | undefined };

const MAX_SUBSCRIPTIONS = 1000;

export async function findSubscription({ ehr, wanted, noted }: Order, signal: AbortSignal): Promise<FoundSubscription> {
  const stored = noted === undefined ? undefined : await readSubscription(ehr, noted, signal);
  if (stored && (notifiesUs(stored.resource, wanted.endpoint) || notifiedUsBefore(stored.resource, wanted.endpoint))) {
    return { own: stored, doubles: [] };
  }
  const all = await searchAll(ehr, wanted.endpoint, signal);
  const [first, ...others] = all
    .filter((one) => notifiesUs(one, wanted.endpoint))
    .toSorted((one, other) => rank(one, wanted) - rank(other, wanted));
  // Read again, because a search may be outdated and has no version.
  const own = first && (await readSubscription(ehr, `Subscription/${first.id}`, signal));
  const doubles = others.filter((one) => wasMadeByUs(one, wanted)).map(({ id }) => `Subscription/${id}`);
  return { ...(own && { own }), doubles: own ? doubles : [] };
}

export async function readSubscription(
  ehr: Ehr,
  reference: string,
  signal: AbortSignal,
): Promise<StoredResource<Subscription> | undefined> {
  const stored = await ehr.read(reference, signal);
  const resource = asSubscription(stored?.resource);
  return stored && resource && { ...stored, resource };
}

/** Prefers Subscriptions that an engine created, then active ones. */
function rank(subscription: Subscription, wanted: DesiredSubscription): number {
  return (wasMadeByUs(subscription, wanted) ? 0 : 2) + (subscription.status === 'active' ? 0 : 1);
}

/** Empty if the EHR refuses the search: then a new Subscription is created. */
async function searchAll(ehr: Ehr, endpoint: string, signal: AbortSignal): Promise<readonly Subscription[]> {
  for (const parameters of [{ url: endpoint }, {}]) {
    try {
      const order = { type: 'Subscription', parameters, maxResources: MAX_SUBSCRIPTIONS } as const;
      const { resources } = await ehr.search(order, signal);
      return resources.flatMap((resource) => asSubscription(resource) ?? []);
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.code !== 'ehrRefused') throw thrown;
    }
  }
  return [];
}
