// The author of what a model wrote, in the EHR once per site: looked up in the ledger, else made under one lease, whoever comes first.
import type { Revision } from '../../domain/chart/chart-write.ts';
import { devicePlace, summarizeSession } from '../../domain/chart/existing-documents.ts';
import { freezeResource } from '../../domain/chart/frozen-body.ts';
import type { Lease } from '../../ports/ledger.ts';
import { type DeliveryResult, deliverRevision } from './deliver-revision.ts';
import { holdLease } from './hold-lease.ts';
import type { MappedDocument } from './map-documents.ts';
import type { DeliveryParts, Parked } from './track-delivery.ts';

type DeviceOrder = {
  readonly site: string;
  readonly device: MappedDocument;
  readonly run: Revision['run'];
  readonly versions: Revision['versions'];
  /** What the ledger had of the site's Devices at any time. */
  readonly known: readonly Revision[] | undefined;
  /** Whether it is fit to leave, asked only before it is made. Undefined: it is. */
  readonly check: () => Promise<Parked | undefined>;
};

/** `revisions`: what the ledger has of the site's Devices; `wasThere`: nobody had to be waited for. */
export type Ensured =
  | { readonly kind: 'there'; readonly revisions: readonly Revision[]; readonly wasThere: boolean }
  | Exclude<DeliveryResult, { readonly kind: 'done' }>;

/** Ten sessions at once make one Device: nine of them wait for the first. */
const TRIES = 60;

export async function ensureDevice(parts: DeliveryParts, order: DeviceOrder, signal: AbortSignal): Promise<Ensured> {
  // What was brought there once, the ledger never forgets.
  if (order.known !== undefined && isThere(order.known, order)) return there(order.known);
  const revisions = await parts.ledger.read(devicePlace(order.site));
  if (isThere(revisions, order)) return there(revisions);
  const unfit = await order.check();
  if (unfit !== undefined) return unfit;
  const name = `${order.site}/devices`;
  return holdLease({ ...parts, name, tries: TRIES }, (lease) => makeDevice(parts, { ...order, lease }, signal), signal);
}

function there(revisions: readonly Revision[]): Ensured {
  return { kind: 'there', revisions, wasThere: true };
}

async function makeDevice(
  parts: DeliveryParts,
  order: DeviceOrder & { readonly lease: Lease },
  signal: AbortSignal,
): Promise<Ensured> {
  const { site, lease, device } = order;
  const place = devicePlace(site);
  const settle = (revision: Revision) =>
    deliverRevision(parts, { site, lease, revision, references: new Map() }, signal);
  for (;;) {
    const revisions = await parts.ledger.read(place);
    if (isThere(revisions, order)) return { kind: 'there', revisions, wasThere: false };
    // Another model's, begun by somebody who did not come to the end.
    const begun = summarizeSession(revisions).open;
    const settled = await settle(begun ?? (await parts.ledger.freeze(lease, place, newDevice(order))));
    if (settled.kind !== 'done' && isOf(begun, device)) return settled;
  }
}

/** What stopped another model's Device does not stop this one. */
function isOf(begun: Revision | undefined, device: MappedDocument): boolean {
  return begun === undefined || begun.writes.some(({ base }) => base.value === device.identity.value);
}

function newDevice({ device, run, versions }: DeviceOrder) {
  const { document, identity, fullUrl, resource } = device;
  const write = { document, action: 'create' as const, type: resource.resourceType, base: identity, identity, fullUrl };
  return {
    kind: 'device' as const,
    patient: '',
    run,
    versions,
    writes: [{ ...write, body: freezeResource(resource) }],
  };
}

function isThere(revisions: readonly Revision[], { device }: DeviceOrder): boolean {
  return summarizeSession(revisions).documents.has(device.identity.value);
}
