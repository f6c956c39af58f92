// What every audit trail promises.
import { describe, expect, it } from '@jest/globals';
import type { Audit, AuditEntry } from '../../src/ports/audit.ts';

export type AuditSubject = {
  /** Of two engines that share one trail, which is empty. */
  readonly audit: Audit;
  readonly other: Audit;
};

const DAY_MS = 86_400_000;

export function anAuditEntry(parts: Partial<AuditEntry> = {}): AuditEntry {
  return { action: 'run.write', actor: 'engine', site: 'mercy', run: 'run-1', ...parts };
}

export function auditContract(name: string, makeSubject: () => Promise<AuditSubject>): void {
  describe(`the audit trail of ${name}`, () => {
    it('shows who did what, when, where and to which run, the newest first', async () => {
      const { audit } = await makeSubject();
      const written = anAuditEntry({
        details: { resources: 3, references: ['Composition/1', 'Flag/2'], isDry: false },
      });
      const changed: AuditEntry = { action: 'plan.change', actor: 'operator' };
      await audit.append(written);
      await audit.append(changed);
      const at = expect.any(Date);
      const { entries, next } = await audit.list({ scope: 'all', limit: 10 });
      expect(entries).toEqual([
        { ...changed, seq: 2, at },
        { ...written, seq: 1, at },
      ]);
      expect(next).toBeUndefined();
    });

    it('keeps any text as it was, also quotes, half characters and braces', async () => {
      const { audit } = await makeSubject();
      const details = { why: `"it's" \\ {} \u{1f600} \ud800 \0 é`, list: ['a,b', '', '"', '{}'] };
      await audit.append(anAuditEntry({ actor: 'key/"x\',{}\\', details }));
      const { entries } = await audit.list({ scope: 'all', limit: 1 });
      expect(entries).toMatchObject([{ actor: 'key/"x\',{}\\', details }]);
      await audit.append(anAuditEntry({ actor: 'half \ud800' }));
      expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 2 });
    });

    it('refuses a NUL, and takes what others append at the same time', async () => {
      const { audit } = await makeSubject();
      const [bad, good] = await Promise.allSettled([
        audit.append(anAuditEntry({ actor: 'a\0b' })),
        audit.append(anAuditEntry()),
      ]);
      expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'invalidRequest' } });
      expect(good.status).toBe('fulfilled');
      expect(await audit.verify()).toMatchObject({ isWhole: true, entries: 1 });
    });

    it('is listed page by page, each entry once, also while further ones come', async () => {
      const { audit } = await makeSubject();
      for (let count = 0; count < 5; count += 1) await audit.append(anAuditEntry());
      const first = await audit.list({ scope: 'all', limit: 2 });
      await audit.append(anAuditEntry());
      const second = await audit.list({ scope: 'all', limit: 2, cursor: first.next ?? '' });
      const third = await audit.list({ scope: 'all', limit: 2, cursor: second.next ?? '' });
      expect([first, second, third].map((page) => page.entries.map(({ seq }) => seq))).toEqual([[5, 4], [3, 2], [1]]);
      expect(third.next).toBeUndefined();
      expect((await audit.list({ scope: 'all', limit: 6 })).next).toBeUndefined();
    });

    it.each(['', 'x', 'MTIz; drop', '-1', '%', 'a\0b', '9'.repeat(400)])('refuses the cursor %j', async (cursor) => {
      const { audit } = await makeSubject();
      await expect(audit.list({ scope: 'all', limit: 2, cursor })).rejects.toMatchObject({ code: 'invalidRequest' });
    });

    it('can be asked for a site, a run, an action and a time, also together', async () => {
      const { audit } = await makeSubject();
      await audit.append(anAuditEntry());
      await audit.append(anAuditEntry({ run: 'run-2' }));
      await audit.append(anAuditEntry({ site: 'clinic', run: 'run-3', action: 'run.view', actor: 'operator' }));
      await audit.append({ action: 'plan.change', actor: 'operator' });
      const seqs = async (query: Omit<Parameters<Audit['list']>[0], 'limit'>) =>
        (await audit.list({ ...query, limit: 10 })).entries.map(({ seq }) => seq);
      expect(await seqs({ scope: 'all', site: 'mercy' })).toEqual([2, 1]);
      expect(await seqs({ scope: ['clinic'] })).toEqual([3]);
      expect(await seqs({ scope: ['clinic', 'mercy'] })).toEqual([3, 2, 1]);
      expect(await seqs({ scope: ['clinic'], site: 'mercy' })).toEqual([]);
      expect(await seqs({ scope: [] })).toEqual([]);
      expect(await seqs({ scope: 'all', run: 'run-3' })).toEqual([3]);
      expect(await seqs({ scope: 'all', action: 'run.write' })).toEqual([2, 1]);
      expect(await seqs({ scope: 'all', site: 'mercy', run: 'run-2', action: 'run.write' })).toEqual([2]);
      expect(await seqs({ scope: 'all', site: 'mercy', action: 'run.view' })).toEqual([]);
      const [newest] = (await audit.list({ scope: 'all', limit: 1 })).entries;
      const at = newest?.at.getTime() ?? Number.NaN;
      expect(await seqs({ scope: 'all', since: new Date(at) })).toContain(4);
      expect(await seqs({ scope: 'all', since: new Date(at - DAY_MS), site: 'mercy' })).toEqual([2, 1]);
      expect(await seqs({ scope: 'all', since: new Date(at + DAY_MS) })).toEqual([]);
    });

    it('has one chain without a gap, however many engines append at once', async () => {
      const { audit, other } = await makeSubject();
      const actors = Array.from({ length: 60 }, (_, index) => `key/${index}`);
      await Promise.all(actors.map((actor, index) => [audit, other][index % 2]?.append(anAuditEntry({ actor }))));
      await audit.append(anAuditEntry({ actor: 'last' }));
      const { entries } = await other.list({ scope: 'all', limit: 100 });
      expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 61 }, (_, index) => 61 - index));
      expect(entries.map(({ actor }) => actor).toSorted()).toEqual([...actors, 'last'].toSorted());
      expect(entries[0]?.actor).toBe('last');
      expect(await other.verify()).toEqual({ isWhole: true, entries: 61, head: (await audit.head()).hash });
    });

    writtenDownContract(makeSubject);
  });
}

function writtenDownContract(makeSubject: () => Promise<AuditSubject>): void {
  it('is whole where nothing was kept yet', async () => {
    const { audit } = await makeSubject();
    const head = await audit.head();
    expect(head).toEqual({ seq: 0, hash: expect.stringMatching(/^0{64}$/) });
    expect(await audit.verify(head)).toEqual({ isWhole: true, entries: 0, head: head.hash });
  });

  it('is compared with a head that was recorded earlier', async () => {
    const { audit } = await makeSubject();
    await audit.append(anAuditEntry());
    const early = await audit.head();
    for (let count = 0; count < 3; count += 1) await audit.append(anAuditEntry());
    const head = await audit.head();
    expect([early.seq, head.seq]).toEqual([1, 4]);
    expect(new Set([early.hash, head.hash]).size).toBe(2);
    for (const expected of [early, head, undefined])
      expect(await audit.verify(expected)).toEqual({ isWhole: true, entries: 4, head: head.hash });
  });

  it('is another trail where the hash that was written down is not there, or its number was never reached', async () => {
    const { audit } = await makeSubject();
    for (let count = 0; count < 3; count += 1) await audit.append(anAuditEntry());
    const { hash } = await audit.head();
    expect(await audit.verify({ seq: 2, hash })).toMatchObject({ isWhole: false, at: 2 });
    expect(await audit.verify({ seq: 5, hash })).toMatchObject({ isWhole: false, entries: 3, at: 4 });
  });
}
