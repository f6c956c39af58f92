// The author of what a model wrote, in the EHR once per site: found in the ledger, else written under a lease of its own.
import { type Revision, writeVersions } from '../../domain/chart/chart-write.ts';
import { devicePlace, summarizeSession } from '../../domain/chart/existing-documents.ts';
import { freezeResource } from '../../domain/chart/frozen-body.ts';
import type { Lease } from '../../ports/ledger.ts';
import { findInvalid } from './check-resources.ts';
import { deliverRevision } from './deliver-revision.ts';
import { holdLease } from './hold-lease.ts';
import type { MappedDocument } from './map-documents.ts';
import type { DeliveryResult } from './track-delivery.ts';
import { parkedOutcome } from './write-outcome.ts';
import { type ChartWork, ended, type SiteDevices, type WriteState } from './write-states.ts';

export async function ensureDevices(
  work: ChartWork,
  { revisions, profile, set }: WriteState<'ensuringDevices'>,
  signal: AbortSignal,
): Promise<WriteState<'planningRevision' | 'ended' | 'startingOver'>> {
  const { site } = work;
  let devices: SiteDevices = { wereThere: true };
  for (const device of set.documents.filter(({ document }) => document === 'device')) {
    const ensured = await ensureDevice(work, device, signal);
    if (ensured.kind === 'map-again') return { state: 'startingOver' };
    if (ensured.kind === 'parked') return ended(parkedOutcome(site.name, ensured));
    work.devices.set(site.name, ensured.revisions);
    devices = { wereThere: devices.wereThere && ensured.wasThere, revisions: ensured.revisions };
  }
  return { state: 'planningRevision', revisions, profile, set, devices };
}

/** `wasThere`: no other process had to be waited for, and nothing was written. */
type EnsuredDevice =
  | { readonly kind: 'there'; readonly revisions: readonly Revision[]; readonly wasThere: boolean }
  | Exclude<DeliveryResult, { readonly kind: 'done' }>;

/** If ten sessions begin at once, nine of them wait for the first. */
const TRIES = 60;

async function ensureDevice(work: ChartWork, device: MappedDocument, signal: AbortSignal): Promise<EnsuredDevice> {
  const { parts, site, devices } = work;
  const cached = devices.get(site.name);
  // The ledger never forgets a Device that was written once.
  if (cached !== undefined && hasDevice(cached, device)) return { kind: 'there', revisions: cached, wasThere: true };
  const revisions = await parts.ledger.read(devicePlace(site.name));
  if (hasDevice(revisions, device)) return { kind: 'there', revisions, wasThere: true };
  const invalid = await findInvalid(work, [device], signal);
  if (invalid !== undefined) return invalid;
  const name = `${site.name}/devices`;
  return holdLease({ ...parts, name, tries: TRIES }, (lease) => writeDevice(work, { device, lease }, signal), signal);
}

async function writeDevice(
  { parts, site: { name: site }, facts }: ChartWork,
  { device, lease }: { readonly device: MappedDocument; readonly lease: Lease },
  signal: AbortSignal,
): Promise<EnsuredDevice> {
  const place = devicePlace(site);
  const { id, time } = facts.run;
  const { document, identity, fullUrl, resource } = device;
  const write = { document, action: 'create' as const, type: resource.resourceType, base: identity, identity, fullUrl };
  const writes = [{ ...write, body: freezeResource(resource) }];
  const versions = writeVersions(facts.run);
  for (;;) {
    const revisions = await parts.ledger.read(place);
    if (hasDevice(revisions, device)) return { kind: 'there', revisions, wasThere: false };
    // A process that stopped may have left another model's Device unfinished.
    const begun = summarizeSession(revisions).open;
    const next = { kind: 'device' as const, patient: '', run: { id, time }, versions, writes };
    const revision = begun ?? (await parts.ledger.freeze(lease, place, next));
    const result = await deliverRevision(parts, { site, lease, revision, references: new Map() }, signal);
    // If that one cannot be delivered, this one still can.
    const isOurs = revision.writes.some(({ base }) => base.value === identity.value);
    if (result.kind !== 'done' && isOurs) return result;
  }
}

function hasDevice(revisions: readonly Revision[], { identity }: MappedDocument): boolean {
  return summarizeSession(revisions).documents.has(identity.value);
}
