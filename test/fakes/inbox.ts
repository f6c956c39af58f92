// The inbox, in memory.
import { isInScope } from '../../src/domain/people/role.ts';
import type {
  Accepted,
  AcceptOrder,
  Inbox,
  QuarantinedDelivery,
  StoredDelivery,
  UploadOrder,
} from '../../src/ports/inbox.ts';
import { addRun, findSession, type KeptEvent, type KeptRun, lookAgain, makeId, type RunsMemory } from './runs-store.ts';

export function makeFakeInbox(memory: RunsMemory): Inbox {
  return {
    accept: async (order) => take(memory, order, () => acceptAll(memory, order)),
    acceptUpload: async (order) => {
      const standing = findSession(memory, order);
      const accepted = take(memory, order, () => [standing ?? addUpload(memory, order)]);
      return standing && accepted.kind === 'accepted' ? { kind: 'repeated', runs: [standing.id] } : accepted;
    },
    quarantine: async ({ key, body, ...delivery }) => {
      const kept = findEvent(memory, delivery.site, `aside:${key}`);
      if (kept) {
        Object.assign(kept, { repeats: kept.repeats + 1, lastAt: laterOf(kept.lastAt, delivery.receivedAt) });
        return false;
      }
      addEvent(memory, { ...delivery, key: `aside:${key}`, body });
      return true;
    },
    listQuarantined: async ({ scope, site, limit, cursor }) => {
      const fitting = memory.events
        .map((event, position) => ({ event, position }))
        .filter(({ event }) => isAside(event) && isInScope(scope, event.site))
        .filter(({ event, position }) => (!site || event.site === site) && (!cursor || position < Number(cursor)))
        .toReversed();
      const page = fitting.slice(0, limit);
      const last = page.at(-1);
      return {
        deliveries: page.map(({ event }) => asAside(event)),
        ...(last && fitting.length > limit && { next: String(last.position) }),
      };
    },
    findQuarantined: async (id, scope) => {
      const kept = memory.events.find((event) => event.id === id && isAside(event) && isInScope(scope, event.site));
      return kept && asStored(kept);
    },
    settleQuarantined: async (id) => {
      const kept = memory.events.find((event) => event.id === id && isAside(event));
      if (kept) Object.assign(kept, { outcome: 'nothing', body: undefined });
    },
    lastEventAt: async (site) =>
      memory.events
        .filter((event) => event.site === site)
        .map(({ lastAt }) => lastAt)
        .reduce<Date | undefined>((latest, at) => laterOf(latest ?? at, at), undefined),
  };
}

type Order = Omit<AcceptOrder, 'encounters' | 'settleMs'>;
type Coming = Omit<KeptEvent, 'id' | 'lastAt' | 'repeats' | 'runs'>;

function take(memory: RunsMemory, order: Order, makeRuns: () => readonly KeptRun[]): Accepted {
  const { site, source, key, content, eventId, receivedAt, body, contentType } = order;
  const event = { site, source, receivedAt, ...(eventId !== undefined && { eventId }) };
  const kept = findEvent(memory, site, key);
  if (kept && kept.content !== content) {
    const why = 'Its id was used before, for another content.';
    const reused = findEvent(memory, site, `reused:${key}/${content}`);
    if (reused) note(reused, order);
    else addEvent(memory, { ...event, outcome: 'id-reused', key: `reused:${key}/${content}`, why, body, contentType });
    return { kind: 'id-reused' };
  }
  if (kept) {
    note(kept, order);
    return { kind: 'repeated', runs: [...kept.runs] };
  }
  const runs = makeRuns();
  const added = addEvent(memory, { ...event, outcome: 'accepted', key, content });
  for (const { id } of runs) added.runs.add(id);
  return { kind: 'accepted', runs: [...added.runs] };
}

function acceptAll(memory: RunsMemory, order: AcceptOrder): readonly KeptRun[] {
  const now = memory.now();
  const dueAt = new Date(now.getTime() + order.settleMs);
  return order.encounters.map(({ encounter, isUrgent }) => {
    const { site, organization } = order;
    const standing = findSession(memory, { site, encounter, session: '' });
    if (!standing) {
      return addRun(memory, { site, organization, encounter, session: '', isUrgent, trigger: triggerOf(order), dueAt });
    }
    standing.isUrgent ||= isUrgent;
    lookAgain(standing, dueAt, now, order.source === 'operator');
    return standing;
  });
}

function addUpload(memory: RunsMemory, order: UploadOrder): KeptRun {
  const { site, organization, encounter, session, recordings, isUrgent } = order;
  const dueAt = memory.now();
  const trigger = triggerOf(order);
  return addRun(memory, { site, organization, encounter, session, recordings, isUrgent, trigger, dueAt });
}

function triggerOf({ source, eventId, receivedAt }: Order): KeptRun['trigger'] {
  return { source, ...(eventId !== undefined && { eventId }), receivedAt };
}

function findEvent(memory: RunsMemory, site: string, key: string): KeptEvent | undefined {
  return memory.events.find((event) => event.site === site && event.key === key);
}

function addEvent(memory: RunsMemory, event: Coming): KeptEvent {
  const id = makeId(memory.events.length + 1);
  const kept = { ...event, id, lastAt: event.receivedAt, repeats: 0, runs: new Set<string>() };
  memory.events.push(kept);
  return kept;
}

/** An event that the engine's own search finds again is no sign that the site sends events, and no repeat. */
function note(kept: KeptEvent, { source, receivedAt }: Order): void {
  if (source === 'poll' || source === 'catch-up') return;
  kept.repeats += 1;
  kept.lastAt = laterOf(kept.lastAt, receivedAt);
}

function laterOf(one: Date, other: Date): Date {
  return other > one ? other : one;
}

function isAside({ outcome }: KeptEvent): boolean {
  return outcome === 'not-understood' || outcome === 'id-reused';
}

function asStored(kept: KeptEvent): StoredDelivery {
  const { contentType, body } = kept;
  return { ...asAside(kept), ...(contentType !== undefined && { contentType }), ...(body !== undefined && { body }) };
}

function asAside({ id, site, source, outcome, why, receivedAt, repeats }: KeptEvent): QuarantinedDelivery {
  return { id, site, source, outcome: outcome as QuarantinedDelivery['outcome'], why: why ?? '', receivedAt, repeats };
}
