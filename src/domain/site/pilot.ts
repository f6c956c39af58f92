// Whether an encounter belongs to a site's pilot, by its participants, its locations and its service.
import type { Encounter } from '@medplum/fhirtypes';
import { ownReference } from '../chart/own-reference.ts';
import { codesOf, listOf, memberOf } from '../raw-members.ts';
import type { SiteSettings } from './site.ts';

type PilotParts = {
  readonly pilot: SiteSettings['pilot'];
  readonly encounter: Encounter;
  readonly baseUrl: string | undefined;
};

/** An empty list accepts every encounter; all lists must match. */
export function isInPilot({ pilot, encounter, baseUrl }: PilotParts): boolean {
  const referencesIn = (list: 'participant' | 'location', member: string) =>
    listOf(encounter, list).flatMap((entry) => ownReference(memberOf(entry, member), baseUrl) ?? []);
  const provider = ownReference(encounter.serviceProvider, baseUrl);
  const services = [...codesOf(encounter.serviceType), ...(provider === undefined ? [] : [provider])];
  return (
    fits(pilot.practitioners, referencesIn('participant', 'individual')) &&
    fits(pilot.locations, referencesIn('location', 'location')) &&
    fits(pilot.services, services)
  );
}

/** `Practitioner/7` or `7`. */
function fits(wanted: readonly string[], found: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  return found.some((reference) => wanted.includes(reference) || wanted.includes(reference.split('/').at(-1) ?? ''));
}
