// The ledger in memory, with a clock that the test sets. No call is interrupted by another.
import { createHash } from 'node:crypto';
import type {
  ChartWrite,
  Revision,
  RevisionState,
  WritePlace,
  WriteState,
} from '../../src/domain/chart/chart-write.ts';
import { AppError } from '../../src/domain/errors.ts';
import { isInScope } from '../../src/domain/people/role.ts';
import type { Finding, Lease, Ledger, OpenFinding, WriteResult } from '../../src/ports/ledger.ts';

export type FakeLedger = Ledger & {
  /** Moves the ledger's clock on. */
  readonly passMs: (ms: number) => void;
};

type KeptWrite = { -readonly [Key in keyof ChartWrite]: ChartWrite[Key] } & { checkedAt?: number; serial: number };
type KeptRevision = Omit<Revision, 'writes' | 'state' | 'reason'> & {
  state: RevisionState;
  reason?: string | undefined;
  readonly writes: KeptWrite[];
};
type KeptLease = { holder: string; fence: number; expiresAt: number };
type KeptFinding = Finding & { references: readonly string[]; readonly foundAt: number; readonly serial: number };

type Memory = {
  readonly now: () => number;
  readonly leases: Map<string, KeptLease>;
  readonly revisions: KeptRevision[];
  readonly bindings: Map<string, string>;
  findings: KeptFinding[];
  serial: number;
};

/** A send that begins shortly before the lease expires may arrive after that. */
const SENDING_NEEDS_MS = 5000;
const FINAL = new Set<WriteState>(['written', 'refused', 'ambiguous', 'dropped']);

export function makeFakeLedger({ now = () => new Date() }: { readonly now?: () => Date } = {}): FakeLedger {
  let passedMs = 0;
  const memory: Memory = {
    now: () => now().getTime() + passedMs,
    leases: new Map(),
    revisions: [],
    bindings: new Map(),
    findings: [],
    serial: 0,
  };
  return {
    passMs: (ms) => {
      passedMs += ms;
    },
    now: async () => new Date(memory.now()),
    ...leasesOf(memory),
    ...revisionsOf(memory),
    ...lookupsOf(memory),
    ...findingsOf(memory),
  };
}

function leasesOf(memory: Memory): Pick<Ledger, 'acquire' | 'renew' | 'release'> {
  const { leases, now } = memory;
  return {
    acquire: async (name, holder, ttlMs) => {
      const kept = leases.get(name);
      if (kept && kept.expiresAt > now()) return undefined;
      const fence = (kept?.fence ?? 0) + 1;
      leases.set(name, { holder, fence, expiresAt: now() + ttlMs });
      return { name, holder, fence };
    },
    renew: async (lease, ttlMs) => {
      heldLease(memory, lease).expiresAt = now() + ttlMs;
    },
    release: async ({ name, holder, fence }) => {
      const kept = leases.get(name);
      if (kept?.holder === holder && kept.fence === fence) kept.expiresAt = Math.min(kept.expiresAt, now());
    },
  };
}

function heldLease({ leases, now }: Memory, { name, holder, fence }: Lease, forMs = 0): KeptLease {
  const kept = leases.get(name);
  if (kept?.holder === holder && kept.fence === fence && kept.expiresAt > now() + forMs) return kept;
  throw new AppError('inUse', 'The lease on this chart has ended, or another process holds it');
}

function revisionsOf(memory: Memory): Pick<Ledger, 'read' | 'freeze' | 'beginSending' | 'recordResults' | 'close'> {
  return {
    read: async (place) => revisionsAt(memory, place).map(asRevision),
    freeze: async (lease, place, revision) => {
      heldLease(memory, lease);
      return freeze(memory, place, revision);
    },
    beginSending: async (lease, sends, ttlMs) => {
      if (ttlMs !== undefined) heldLease(memory, lease).expiresAt = memory.now() + ttlMs;
      heldLease(memory, lease, SENDING_NEEDS_MS);
      ensureNamedOnce(sends);
      const all = sends.map(({ id, sentSha256 }) => ({ ...findWrite(memory, id), sentSha256 }));
      for (const send of all) ensureMayBeSent(send);
      const sentAt = new Date(memory.now());
      for (const { write, sentSha256 } of all) Object.assign(write, { state: 'sending', sentAt, sentSha256 });
      return sentAt;
    },
    recordResults: async (lease, results) => {
      heldLease(memory, lease);
      ensureNamedOnce(results);
      const all = results.map((result) => ({ ...findWrite(memory, result.id), result }));
      for (const { write, result } of all) ensureMaySettle(write, result);
      for (const { revision, write, result } of all) {
        if (isAtEnd(write.state, result.state)) continue;
        settleWrite(write, result);
        if (write.action === 'retire' && write.state === 'written') endFindings(memory, revision.place, write);
      }
    },
    close: async (lease, place, { number, state, reason, isLast = false }) => {
      const held = heldLease(memory, lease);
      const revision = revisionsAt(memory, place).find((one) => one.number === number);
      if (!revision) throw new AppError('conflict', 'There is no such revision');
      if (revision.state === state && (state === 'done' || state === 'replaced')) return;
      if (revision.state === 'done' || revision.state === 'replaced') {
        throw new AppError('conflict', 'A revision that has ended stays as it ended');
      }
      if (state === 'done' && revision.writes.some((write) => !FINAL.has(write.state))) {
        throw new AppError('conflict', 'A revision is not done while a write of it has no end');
      }
      if (state === 'replaced') dropUnsent([revision]);
      Object.assign(revision, { state, reason });
      if (isLast) held.expiresAt = memory.now();
    },
  };
}

function freeze(memory: Memory, place: WritePlace, { writes, ...rest }: Parameters<Ledger['freeze']>[2]): Revision {
  if (Number.isNaN(Date.parse(rest.run.time))) throw new AppError('internal', 'A run without a time');
  const earlier = revisionsAt(memory, place);
  const going = earlier.filter(({ state }) => state === 'open' || state === 'parked');
  ensureNoneIsSending(going);
  ensureNoSecondCreate(memory, place, going, writes);
  dropUnsent(going);
  for (const revision of going) revision.state = 'replaced';
  const kept: KeptRevision = {
    ...rest,
    place: { ...place },
    number: (earlier.at(-1)?.number ?? 0) + 1,
    state: 'open',
    writes: writes.map((write, position) => {
      memory.serial += 1;
      const sha256 = createHash('sha256').update(write.body).digest('hex');
      return { ...write, id: `write-${memory.serial}`, position, sha256, state: 'frozen', serial: memory.serial };
    }),
  };
  memory.revisions.push(kept);
  return asRevision(kept);
}

function ensureNoneIsSending(revisions: readonly KeptRevision[]): void {
  if (!revisions.some(({ writes }) => writes.some(({ state }) => state === 'sending'))) return;
  throw new AppError('conflict', 'A write of an earlier revision may be on its way: it must be settled first');
}

function dropUnsent(revisions: readonly KeptRevision[]): void {
  ensureNoneIsSending(revisions);
  for (const write of revisions.flatMap(({ writes }) => writes)) if (write.state === 'frozen') write.state = 'dropped';
}

function ensureNoSecondCreate(
  memory: Memory,
  place: WritePlace,
  going: readonly KeptRevision[],
  writes: Parameters<Ledger['freeze']>[2]['writes'],
): void {
  const taken = new Set<string>();
  for (const revision of memory.revisions.filter((one) => one.place.site === place.site)) {
    for (const { action, identity, state } of revision.writes) {
      const isGone = state === 'refused' || state === 'dropped' || (state === 'frozen' && going.includes(revision));
      if (action === 'create' && !isGone) taken.add(identity.value);
    }
  }
  const inRevision = new Set<string>();
  for (const { action, identity } of writes) {
    const name = JSON.stringify([action, identity.value]);
    const isSecond = inRevision.has(name) || (action === 'create' && taken.has(identity.value));
    if (isSecond) throw new AppError('conflict', 'A document of this identity was frozen before');
    inRevision.add(name);
  }
}

function ensureNamedOnce(wanted: readonly { readonly id: string }[]): void {
  if (new Set(wanted.map(({ id }) => id)).size === wanted.length) return;
  throw new AppError('conflict', 'A write is named twice');
}

function findWrite({ revisions }: Memory, id: string): { revision: KeptRevision; write: KeptWrite } {
  for (const revision of revisions) {
    const write = revision.writes.find((one) => one.id === id);
    if (write) return { revision, write };
  }
  throw new AppError('conflict', 'There is no such write');
}

function ensureMayBeSent(send: { revision: KeptRevision; write: KeptWrite; sentSha256: string }): void {
  const { revision, write, sentSha256 } = send;
  const isGoing = revision.state === 'open' || revision.state === 'parked';
  const isPending = write.state === 'frozen' || write.state === 'sending';
  if (!isGoing || !(isPending || (write.state === 'stored' && write.action !== 'create'))) {
    throw new AppError('conflict', 'A write that has come to its end is not sent again');
  }
  if (write.sentSha256 !== undefined && write.sentSha256 !== sentSha256) {
    throw new AppError('conflict', 'Other bytes were sent before for the same write');
  }
}

function isAtEnd(from: WriteState, to: WriteState): boolean {
  const isCleared = from === 'ambiguous' && (to === 'written' || to === 'dropped');
  return FINAL.has(from) && !isCleared;
}

function ensureMaySettle(write: KeptWrite, { state, reference }: WriteResult): void {
  const from = write.state;
  if (isAtEnd(from, state)) {
    const isOther = reference !== undefined && reference !== write.reference;
    if (state === from && !isOther) return;
    throw new AppError('conflict', 'A write that has come to its end stays as it ended');
  }
  const isImpossible =
    (state === 'sending' && from === 'frozen') ||
    (state === 'frozen' && from === 'stored' && write.action === 'create') ||
    (state === 'dropped' && from !== 'frozen' && from !== 'ambiguous');
  if (isImpossible) throw new AppError('conflict', `A write cannot go from ${from} to ${state}`);
  if (state === 'written' && (write.target ?? reference ?? write.reference) === undefined) {
    throw new AppError('internal', 'A write is not written without a reference');
  }
}

function settleWrite(write: KeptWrite, { state, reference, version }: WriteResult): void {
  write.state = state;
  if (reference !== undefined) write.reference = reference;
  if (version !== undefined) write.version = version;
  if (state !== 'frozen') return;
  // Certainly not stored: other bytes may be sent next.
  delete write.sentAt;
  delete write.sentSha256;
}

function lookupsOf(
  memory: Memory,
): Pick<
  Ledger,
  'bindEhr' | 'findWritten' | 'dueForCheck' | 'riskyForCheck' | 'checkProgress' | 'markChecked' | 'knownIdentities'
> {
  const { revisions, bindings } = memory;
  return {
    bindEhr: async (site, baseUrl) => {
      const url = baseUrl.replace(/\/+$/, '');
      const bound = bindings.get(site) ?? url;
      if (bound !== url) throw new AppError('conflict', 'This site wrote to another EHR before');
      bindings.set(site, url);
    },
    findWritten: async (query) => {
      const fitting = revisions.filter(
        (revision) =>
          fits(revision, query) &&
          revision.writes.some(
            (write) => (isInDoubt(write) || isCurrent(memory, revision, write)) && canBeRetired(write),
          ),
      );
      const places = new Map(fitting.map(({ place }) => [placeName(place), { ...place }]));
      return [...places.values()].toSorted((one, other) => (placeName(one) < placeName(other) ? -1 : 1));
    },
    dueForCheck: async (site, limit, sentBefore) => {
      const due = revisions
        .filter(({ place }) => place.site === site)
        .flatMap((revision) => revision.writes.map((write) => ({ revision, write })))
        .filter(({ revision, write }) => isCurrent(memory, revision, write))
        .filter(({ write: { sentAt } }) => !sentAt || !sentBefore || sentAt <= sentBefore)
        .toSorted(
          (one, other) => checkOrder(one.write) - checkOrder(other.write) || one.write.serial - other.write.serial,
        );
      return due.slice(0, limit).map(asChecked);
    },
    riskyForCheck: async (site, limit, { sentAfter, sentBefore, checkedBefore }) => {
      const all = currentOf(memory, site);
      const risky = all.flatMap((one) => {
        const { write } = one;
        const rank = rankOf(memory, one, sentAfter);
        const isSent = !write.sentAt || write.sentAt <= sentBefore;
        const isDue = write.checkedAt === undefined || write.checkedAt < checkedBefore.getTime();
        return rank === undefined || !isSent || !isDue ? [] : [{ ...one, rank }];
      });
      return risky
        .toSorted(
          (a, b) => a.rank - b.rank || checkOrder(a.write) - checkOrder(b.write) || a.write.serial - b.write.serial,
        )
        .slice(0, limit)
        .map(asChecked);
    },
    checkProgress: async (scope) => {
      const sites = new Set(revisions.map(({ place }) => place.site).filter((site) => isInScope(scope, site)));
      return new Map(
        [...sites].flatMap((site) => {
          const writes = currentOf(memory, site).map(({ write }) => write);
          const checks = writes.flatMap(({ checkedAt }) => checkedAt ?? []);
          if (writes.length === 0) return [];
          const oldest = checks.length > 0 && { oldestAt: new Date(Math.min(...checks)) };
          return [[site, { written: writes.length, checked: checks.length, ...oldest }] as const];
        }),
      );
    },
    markChecked: async (site, ids) => {
      for (const { place, writes } of revisions) {
        if (place.site !== site) continue;
        for (const write of writes) if (ids.includes(write.id)) write.checkedAt = memory.now();
      }
    },
    knownIdentities: async (site, values) => {
      const writes = revisions.filter(({ place }) => place.site === site).flatMap((revision) => revision.writes);
      const live = writes.filter(({ state }) => state !== 'dropped' && state !== 'refused');
      const known = new Set(live.map(({ identity }) => identity.value));
      return new Set(values.filter((value) => known.has(value)));
    },
  };
}

type CurrentWrite = { readonly revision: KeptRevision; readonly write: KeptWrite };

function currentOf(memory: Memory, site: string): readonly CurrentWrite[] {
  return memory.revisions
    .filter(({ place }) => place.site === site)
    .flatMap((revision) => revision.writes.map((write) => ({ revision, write })))
    .filter(({ revision, write }) => isCurrent(memory, revision, write));
}

function asChecked({ revision, write }: CurrentWrite) {
  return { place: { ...revision.place }, patient: revision.patient, write: asWrite(write) };
}

/** Undefined: it is checked in its turn. */
function rankOf(memory: Memory, { revision, write }: CurrentWrite, sentAfter: Date): number | undefined {
  const { site, encounter, session } = revision.place;
  const isFound = memory.findings.some(
    (one) =>
      one.site === site &&
      ((one.kind === 'foreign' && one.identity === write.identity.value) ||
        (['moved', 'encounter'].includes(one.kind) && one.identity === `${encounter}/${session}`)),
  );
  if (isFound) return 0;
  if (!write.sentAt || write.sentAt <= sentAfter) return undefined;
  const ofSession = revisionsAt(memory, revision.place).flatMap(({ writes }) => writes);
  return ofSession.some(({ type, state }) => type === 'Flag' && state === 'written') ? 1 : 2;
}

function checkOrder({ checkedAt }: KeptWrite): number {
  return checkedAt ?? Number.NEGATIVE_INFINITY;
}

function fits({ kind, place, versions, run }: KeptRevision, query: Parameters<Ledger['findWritten']>[0]): boolean {
  const time = Date.parse(run.time);
  return (
    kind === 'documents' &&
    isInScope(query.scope, place.site) &&
    (query.site === undefined || query.site === place.site) &&
    (query.model === undefined ||
      query.model === versions.model ||
      versions.answeredBy?.includes(query.model) === true) &&
    (query.mapping === undefined || query.mapping === versions.mapping) &&
    (query.prompt === undefined || query.prompt === versions.prompt) &&
    (query.from === undefined || time >= query.from.getTime()) &&
    (query.to === undefined || time < query.to.getTime())
  );
}

/** Returns the last write of its resource, if that is not a retirement. */
function isCurrent(memory: Memory, { place, number }: KeptRevision, write: KeptWrite): boolean {
  if (write.state !== 'written' || write.action === 'retire') return false;
  const resource = write.target ?? write.reference;
  const later = revisionsAt(memory, place).filter((revision) => revision.number > number);
  return !later.some(({ writes }) =>
    writes.some((one) => one.state === 'written' && (one.target ?? one.reference) === resource),
  );
}

/** The write was sent and is not confirmed yet. */
function isInDoubt({ state }: KeptWrite): boolean {
  return state === 'sending' || state === 'stored';
}

/** These types have no status entered-in-error. */
function canBeRetired({ type }: KeptWrite): boolean {
  return type !== 'Provenance' && type !== 'AuditEvent' && type !== 'Binary';
}

function findingsOf(memory: Memory): Pick<Ledger, 'storeFindings' | 'openFindings'> {
  return {
    storeFindings: async (site, looked, findings) => {
      const found = new Map(findings.map((finding) => [findingName(finding), finding]));
      memory.findings = memory.findings.filter(
        (open) => open.site !== site || !looked.includes(open.identity) || found.has(findingName(open)),
      );
      for (const [name, finding] of found) {
        const open = memory.findings.find((one) => findingName(one) === name);
        memory.serial += 1;
        if (open) open.references = [...finding.references];
        else memory.findings.push({ ...finding, foundAt: memory.now(), serial: memory.serial });
      }
    },
    openFindings: async (scope) =>
      memory.findings
        .filter((finding) => isInScope(scope, finding.site))
        .toSorted((one, other) => other.serial - one.serial)
        .map(
          ({ serial: _, foundAt, references, ...finding }): OpenFinding => ({
            ...finding,
            references: [...references],
            foundAt: new Date(foundAt),
          }),
        ),
  };
}

/** A retracted write does not count as missing. Findings about other resources with its identity remain open. */
function endFindings(memory: Memory, { site, encounter, session }: WritePlace, { identity }: KeptWrite): void {
  const ended = new Set([
    JSON.stringify([site, 'missing', identity.value]),
    JSON.stringify([site, 'foreign', identity.value]),
    JSON.stringify([site, 'encounter', `${encounter}/${session}`]),
  ]);
  memory.findings = memory.findings.filter((finding) => !ended.has(findingName(finding)));
}

function findingName({ site, kind, identity }: Finding): string {
  return JSON.stringify([site, kind, identity]);
}

function revisionsAt({ revisions }: Memory, place: WritePlace): readonly KeptRevision[] {
  return revisions.filter((revision) => placeName(revision.place) === placeName(place));
}

function placeName({ site, encounter, session }: WritePlace): string {
  return JSON.stringify([site, encounter, session]);
}

function asRevision({ state, reason, writes, place, ...rest }: KeptRevision): Revision {
  return { ...rest, place: { ...place }, state, ...(reason !== undefined && { reason }), writes: writes.map(asWrite) };
}

function asWrite({ checkedAt: _, serial: __, ...write }: KeptWrite): ChartWrite {
  return write;
}
