// Outcome events that ask for attention become notices to reviewers, once for each event and person.
import { describe, expect, it } from '@jest/globals';
import type { Grant } from '../../../src/domain/people/role.ts';
import { makeAnnounceAttention } from '../../../src/flows/notices/announce-attention.ts';
import type { Attention, AttentionEvents } from '../../../src/ports/attention.ts';
import { makeFakeNotices } from '../../fakes/notices.ts';
import { makeFakePeople } from '../../fakes/people.ts';
import { makeFakeRuns } from '../../fakes/runs.ts';
import { aKeptRun, HELD, RESULTS } from '../../support/stored-runs.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const REVIEWER = { role: 'reviewer', site: 'mercy', practitioner: 'Practitioner/7' } as const;
const ANA = '000000000000000a';
const BEN = '000000000000000b';

async function aRoom() {
  const now = () => NOW;
  const [stores, people, notices] = [makeFakeRuns({ now }), makeFakePeople({ now }), makeFakeNotices({ now })];
  const waiting: Attention[] = [];
  const marked: string[] = [];
  const attentionEvents: AttentionEvents = {
    unnoticed: async ({ limit }) => waiting.filter(({ id }) => !marked.includes(id)).slice(0, limit),
    markNoticed: async (ids) => void marked.push(...ids),
  };
  const announce = makeAnnounceAttention({ ...stores, people, notices, attentionEvents });
  const run = await aKeptRun(stores, { session: 's-1', results: RESULTS, end: HELD });
  const person = (id: string, email: string | undefined, grant: Grant = REVIEWER) => {
    const grants = [{ ...grant, origin: 'admin' as const }];
    return people.create({ id, name: id, origin: 'local', grants, ...(email !== undefined && { email }) });
  };
  return {
    stores,
    people,
    run,
    person,
    marked,
    happens: (because: Attention['because'], parts: Partial<Attention> = {}) => {
      waiting.push({ id: `event-${waiting.length + 1}`, site: 'mercy', run: run.id, because, ...parts });
    },
    announce: () => announce(new AbortController().signal),
    /** Another engine that has read the events before they were marked. */
    forgetMarks: () => void marked.splice(0),
    sent: () => notices.all().map(({ kind, channel, run: about }) => [kind, channel.to, about]),
    whole: () => JSON.stringify(notices.all()),
  };
}

describe('an event that asks for attention', () => {
  it.each(['red', 'review-due', 'review-overdue'] as const)(
    'for %s goes to each reviewer of the site with an address',
    async (because) => {
      const room = await aRoom();
      await room.person(ANA, 'ana@example.org');
      await room.person(BEN, 'ben@example.org', { ...REVIEWER, practitioner: 'Practitioner/8' });
      await room.person('000000000000000c', undefined, { ...REVIEWER, practitioner: 'Practitioner/9' });
      await room.person('000000000000000d', 'dana@example.org', { ...REVIEWER, site: 'general' });
      await room.person('000000000000000e', 'eve@example.org', { role: 'operator', site: 'mercy' });
      await room.person('000000000000000f', 'finn@example.org', { ...REVIEWER, practitioner: 'Practitioner/6' });
      await room.people.disable('000000000000000f');
      room.happens(because);
      await room.announce();
      expect(room.sent().toSorted()).toEqual([
        [because, 'ana@example.org', room.run.id],
        [because, 'ben@example.org', room.run.id],
      ]);
    },
  );

  it('goes to who has claimed the draft, and to no other', async () => {
    const room = await aRoom();
    await room.person(ANA, 'ana@example.org');
    await room.person(BEN, 'ben@example.org', { ...REVIEWER, practitioner: 'Practitioner/8' });
    const claim = { run: room.run.id, site: 'mercy', name: 'Ben', lastsMs: 60_000, takesOver: false };
    await room.stores.drafts.claim({ ...claim, holder: `person/${BEN}` });
    room.happens('review-due');
    await room.announce();
    expect(room.sent()).toEqual([['review-due', 'ben@example.org', room.run.id]]);
  });

  it('goes to the reviewers if who has claimed the draft has no address, or no account', async () => {
    const room = await aRoom();
    await room.person(ANA, 'ana@example.org');
    await room.person(BEN, undefined, { ...REVIEWER, practitioner: 'Practitioner/8' });
    const claim = { run: room.run.id, site: 'mercy', name: 'x', lastsMs: 60_000, takesOver: true };
    for (const holder of [`person/${BEN}`, 'reviewer/0123456789abcdef', 'person/ffffffffffffffff']) {
      await room.stores.drafts.claim({ ...claim, holder });
      room.happens('review-due');
    }
    await room.announce();
    expect(room.sent()).toEqual(Array.from({ length: 3 }, () => ['review-due', 'ana@example.org', room.run.id]));
  });

  it('goes to each person once, however many engines read it', async () => {
    const room = await aRoom();
    await room.person(ANA, 'ana@example.org');
    room.happens('red');
    await Promise.all([room.announce(), room.announce()]);
    room.forgetMarks();
    await room.announce();
    expect(room.sent()).toHaveLength(1);
    room.happens('review-due');
    await room.announce();
    expect(room.sent()).toHaveLength(2);
  });

  it.each(['needs-person', 'moved'] as const)('for %s is for operators, and goes to no reviewer', async (because) => {
    const room = await aRoom();
    await room.person(ANA, 'ana@example.org');
    room.happens(because);
    await room.announce();
    expect([room.sent(), room.marked]).toEqual([[], ['event-1']]);
  });

  it('goes to no one once the draft was decided about, or if its run is gone', async () => {
    const room = await aRoom();
    await room.person(ANA, 'ana@example.org');
    const time = NOW.toISOString();
    const review = { decision: 'approve', reviewer: 'Practitioner/7', time, revision: 1 } as const;
    await room.stores.runs.review({ id: room.run.id, review });
    room.happens('review-due');
    room.happens('red', { run: '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77' });
    await room.announce();
    expect([room.sent(), room.marked]).toEqual([[], ['event-1', 'event-2']]);
  });

  it('holds no name, patient or encounter', async () => {
    const room = await aRoom();
    await room.person(ANA, 'ana@example.org');
    room.happens('red');
    await room.announce();
    expect(room.whole()).not.toMatch(/Patient|Encounter|Cough|s-1/);
  });
});
