// Removes one of the writer's safety measures at a time, by ports that do not keep their contract. No product code is changed.
import type { ChartFacts } from '../../src/domain/chart/chart.ts';
import type { ChartWrite, Revision } from '../../src/domain/chart/chart-write.ts';
import { freezeResource, sha256 } from '../../src/domain/chart/frozen-body.ts';
import { mapDocuments } from '../../src/flows/chart-writing/map-documents.ts';
import type { WriteChartParts } from '../../src/flows/chart-writing/write-states.ts';
import type { Ehr } from '../../src/ports/ehr.ts';
import type { Lease, Ledger } from '../../src/ports/ledger.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import type { Sabotage } from './chart-histories.ts';
import { aLiveSite } from './chart-writing.ts';

type Sabotaged = {
  readonly sabotage: Sabotage;
  /** The broken rule that some scenario must report. */
  readonly breaks: RegExp;
};

export const SABOTAGES: Readonly<Record<string, Sabotaged>> = {
  'identities on stored resources': { sabotage: withoutIdentity, breaks: /^more than once: content/ },
  'a look before anything is sent again': { sabotage: withoutLook, breaks: /^more than once/ },
  'frozen bytes': { sabotage: withoutFreezing, breaks: /is not as it was frozen/ },
  'fencing of the writer': { sabotage: withoutFence, breaks: /^more than once/ },
};

/** The EHR gets resources that carry no identifier and no tag. */
function withoutIdentity(parts: WriteChartParts): WriteChartParts {
  const strip = (body: string) =>
    JSON.stringify(JSON.parse(body), (name, value) => (name === 'identifier' || name === 'tag' ? undefined : value));
  return withEhr(parts, (ehr) => ({
    ...ehr,
    create: (order, signal) => ehr.create({ ...order, body: strip(order.body) }, signal),
    transact: (bundle, signal) => ehr.transact(strip(bundle), signal),
  }));
}

/** A process that has not sent anything itself finds nothing. */
function withoutLook(parts: WriteChartParts): WriteChartParts {
  let hasSent = false;
  const sending = <T>(answer: Promise<T>): Promise<T> => {
    hasSent = true;
    return answer;
  };
  return withEhr(parts, (ehr) => ({
    ...ehr,
    find: async (order, signal) => {
      const answer = await ehr.find(order, signal);
      return hasSent || !answer.canFind ? answer : { canFind: true, found: new Map() };
    },
    create: (order, signal) => sending(ehr.create(order, signal)),
    transact: (bundle, signal) => sending(ehr.transact(bundle, signal)),
  }));
}

/** Each process maps the bytes again, and the ledger reports that they never changed. */
function withoutFreezing(parts: WriteChartParts, facts: ChartFacts): WriteChartParts {
  const { ledger, runtime } = parts;
  const now: ChartFacts = { ...facts, run: { ...facts.run, time: runtime.now().toISOString() } };
  const made = new Map(
    mapDocuments({ site: aLiveSite(), facts: now }).documents.map(({ identity, resource }) => [
      identity.value,
      freezeResource(resource),
    ]),
  );
  const remake = (write: ChartWrite): ChartWrite => {
    const body = made.get(write.identity.value);
    const isFresh = write.action === 'create' && write.state !== 'written' && body !== undefined;
    return isFresh ? { ...write, body, sha256: sha256(body) } : write;
  };
  const hashes = hashesKept.get(ledger) ?? new Map<string, string>();
  hashesKept.set(ledger, hashes);
  return {
    ...parts,
    ledger: {
      ...ledger,
      read: async (place) =>
        (await ledger.read(place)).map((revision): Revision => ({ ...revision, writes: revision.writes.map(remake) })),
      beginSending: (lease, sends, ttlMs) => {
        for (const { id, sentSha256 } of sends) if (!hashes.has(id)) hashes.set(id, sentSha256);
        return ledger.beginSending(
          lease,
          sends.map(({ id, sentSha256 }) => ({ id, sentSha256: hashes.get(id) ?? sentSha256 })),
          ttlMs,
        );
      },
    },
  };
}

const hashesKept = new WeakMap<Ledger, Map<string, string>>();

/** Every process that asks for the lease gets it, and keeps it. */
function withoutFence(parts: WriteChartParts): WriteChartParts {
  const { ledger } = parts;
  const shared = leasesShared.get(ledger) ?? new Map<string, Lease>();
  leasesShared.set(ledger, shared);
  const anybodys = async ({ name }: { readonly name: string }): Promise<Lease> => {
    const lease = shared.get(name);
    const isHeld =
      lease !== undefined &&
      (await ledger.renew(lease, 30_000).then(
        () => true,
        () => false,
      ));
    const held = isHeld ? lease : await ledger.acquire(name, 'anybody', 30_000);
    if (held === undefined) throw new Error('the lease is held by somebody outside of this sabotage');
    shared.set(name, held);
    return held;
  };
  return {
    ...parts,
    ledger: {
      ...ledger,
      acquire: (name) => anybodys({ name }),
      renew: async (lease) => void (await anybodys(lease)),
      release: async () => undefined,
      freeze: async (lease, place, revision) => ledger.freeze(await anybodys(lease), place, revision),
      beginSending: async (lease, sends, ttlMs) => ledger.beginSending(await anybodys(lease), sends, ttlMs),
      recordResults: async (lease, results) => ledger.recordResults(await anybodys(lease), results),
      close: async (lease, place, end) => ledger.close(await anybodys(lease), place, end),
    },
  };
}

const leasesShared = new WeakMap<Ledger, Map<string, Lease>>();

function withEhr(parts: WriteChartParts, change: (ehr: Ehr) => Ehr): WriteChartParts {
  return { ...parts, ehrs: { ...parts.ehrs, of: (site: LoadedSite) => change(parts.ehrs.of(site)) } };
}
