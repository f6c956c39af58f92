// What every store of people promises.
import { describe, expect, it } from '@jest/globals';
import type { PersonGrant } from '../../src/domain/people/person.ts';
import type { Grant } from '../../src/domain/people/role.ts';
import type { NewPerson, People } from '../../src/ports/people.ts';

export type PeopleSubject = {
  readonly people: People;
  /** The same store as another engine has it. */
  readonly other: People;
};

let count = 0;
export function aPersonId(): string {
  count += 1;
  return count.toString(16).padStart(16, '0');
}

export function aPerson(parts: Partial<NewPerson> = {}): NewPerson {
  return { id: aPersonId(), name: 'Ada Made-Up', origin: 'local', grants: [], ...parts };
}

export const viewerOf = (site: string): PersonGrant => ({ role: 'viewer', site, origin: 'admin' });
export const reviewerAt = (site: string, practitioner: string): PersonGrant => ({
  role: 'reviewer',
  site,
  practitioner,
  origin: 'admin',
});
const byText = (grants: readonly Grant[] = []) => grants.map((grant) => JSON.stringify(grant)).toSorted();

export function peopleContract(name: string, makeSubject: () => Promise<PeopleSubject>): void {
  describe(`the people of ${name}`, () => {
    it('are found by their id, by an identity of theirs, and by the Practitioner that they sign as', async () => {
      const { people } = await makeSubject();
      const [identity, second] = ['https://one.example.org', 'https://two.example.org'].map((issuer) => ({
        issuer,
        subject: 'ada',
      })) as [NonNullable<NewPerson['identity']>, NonNullable<NewPerson['identity']>];
      const given = aPerson({ email: 'ada@example.org', grants: [reviewerAt('mercy', 'Practitioner/1')], identity });
      const person = await people.create(given);
      const { identity: _, ...parts } = given;
      expect(person).toEqual({ ...parts, createdAt: expect.any(Date) });
      expect(await people.find(given.id)).toEqual(person);
      expect(await people.findByIdentity(identity)).toEqual(person);
      expect(await people.findByIdentity(second)).toBeUndefined();
      await people.addIdentity(given.id, second);
      await people.addIdentity(given.id, second);
      expect(await people.findByIdentity(second)).toEqual(person);
      expect(await people.findByPractitioner('mercy', 'Practitioner/1')).toEqual(person);
      expect(await people.findByPractitioner('clinic', 'Practitioner/1')).toBeUndefined();
      expect(await people.find(aPersonId())).toBeUndefined();
    });

    it('never share an id or an identity, and a person that is refused leaves no trace', async () => {
      const { people } = await makeSubject();
      const identity = { issuer: 'https://one.example.org', subject: 'ada' };
      const first = await people.create(aPerson({ identity }));
      await expect(people.create(aPerson({ id: first.id }))).rejects.toMatchObject({ code: 'conflict' });
      const second = aPerson({ identity, grants: [reviewerAt('mercy', 'Practitioner/2')] });
      await expect(people.create(second)).rejects.toMatchObject({ code: 'conflict' });
      expect(await people.find(second.id)).toBeUndefined();
      expect(await people.findByPractitioner('mercy', 'Practitioner/2')).toBeUndefined();
      const third = await people.create(aPerson());
      await expect(people.addIdentity(third.id, identity)).rejects.toMatchObject({ code: 'conflict' });
      expect((await people.findByIdentity(identity))?.id).toBe(first.id);
    });

    it('never sign as the same Practitioner of a site, however they got it; at another site it is another one', async () => {
      const { people } = await makeSubject();
      const first = await people.create(aPerson({ grants: [reviewerAt('mercy', 'Practitioner/1')] }));
      const same = [reviewerAt('mercy', 'Practitioner/1')];
      await expect(people.create(aPerson({ grants: same }))).rejects.toMatchObject({ code: 'conflict' });
      const second = await people.create(aPerson({ grants: [viewerOf('mercy')] }));
      for (const origin of ['admin', 'claims', 'launch'] as const) {
        const order = { id: second.id, origin, grants: same, by: 'operator' };
        await expect(people.setGrants(order)).rejects.toMatchObject({ code: 'conflict' });
      }
      expect((await people.find(second.id))?.grants).toEqual([viewerOf('mercy')]);
      const elsewhere = [reviewerAt('clinic', 'Practitioner/1')];
      await people.setGrants({ id: second.id, origin: 'admin', grants: elsewhere, by: 'operator' });
      await people.setGrants({ id: first.id, origin: 'launch', grants: same, by: 'engine' });
      await people.setGrants({ id: first.id, origin: 'admin', grants: [], by: 'operator' });
      expect((await people.findByPractitioner('mercy', 'Practitioner/1'))?.id).toBe(first.id);
    });

    it('sign as a Practitioner once when two engines give it at the same moment', async () => {
      const { people, other } = await makeSubject();
      const grants = [reviewerAt('mercy', 'Practitioner/1'), reviewerAt('clinic', 'Practitioner/1')];
      const results = await Promise.allSettled([
        people.create(aPerson({ grants })),
        other.create(aPerson({ grants: grants.toReversed() })),
      ]);
      expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const refused = results.find((result) => result.status === 'rejected');
      expect(refused?.reason).toMatchObject({ code: 'conflict' });
    });

    it('keep the roles of other origins, and of sites out of the scope, when some are replaced', async () => {
      const { people } = await makeSubject();
      const { id } = await people.create(aPerson({ grants: [viewerOf('mercy'), viewerOf('clinic')] }));
      const claimed: Grant[] = [
        { role: 'viewer', site: 'mercy' },
        { role: 'auditor', site: '*' },
      ];
      await people.setGrants({ id, origin: 'claims', grants: claimed, by: 'engine' });
      const order = { id, origin: 'admin', by: 'person/1', scope: ['mercy'] } as const;
      await people.setGrants({ ...order, grants: [{ role: 'operator', site: 'mercy' }] });
      const expected = [
        viewerOf('clinic'),
        { role: 'operator', site: 'mercy', origin: 'admin' },
        ...claimed.map((grant) => ({ ...grant, origin: 'claims' })),
      ];
      expect((await people.find(id))?.grants).toEqual(expect.arrayContaining(expected));
      expect((await people.find(id))?.grants).toHaveLength(expected.length);
      const foreign = people.setGrants({ ...order, grants: [{ role: 'admin', site: 'clinic' }] });
      await expect(foreign).rejects.toMatchObject({ code: 'forbidden' });
      const everywhere = people.setGrants({ ...order, grants: [{ role: 'admin', site: '*' }] });
      await expect(everywhere).rejects.toMatchObject({ code: 'forbidden' });
      expect((await people.find(id))?.grants).toHaveLength(expected.length);
      await people.setGrants({ id, origin: 'claims', grants: [], by: 'engine' });
      const rest = expected.slice(0, 2) as PersonGrant[];
      expect((await people.find(id))?.grants).toEqual(expect.arrayContaining(rest));
      expect((await people.find(id))?.grants).toHaveLength(2);
      const nobody = people.setGrants({ id: aPersonId(), origin: 'admin', grants: [], by: 'operator' });
      await expect(nobody).rejects.toMatchObject({ code: 'notFound' });
    });

    it('have the roles of one of two changes at the same moment, never of both', async () => {
      const { people, other } = await makeSubject();
      const { id } = await people.create(aPerson());
      const changes = [[viewerOf('mercy')], [viewerOf('clinic')]];
      const stores = [people, other];
      await Promise.all(
        changes.map((grants, index) => stores[index]?.setGrants({ id, origin: 'admin', grants, by: 'operator' })),
      );
      expect(changes.map(byText)).toContainEqual(byText((await people.find(id))?.grants));
    });

    it('are listed newest first and page by page, those of other sites never, with their roles in the scope alone', async () => {
      const { people } = await makeSubject();
      const ids: string[] = [];
      const grants = [
        [viewerOf('mercy')],
        [viewerOf('clinic')],
        [],
        [viewerOf('mercy'), viewerOf('clinic')],
        [viewerOf('*')],
      ];
      for (const held of grants) ids.push((await people.create(aPerson({ grants: held }))).id);
      const [mercy, clinic, none, both, everywhere] = ids;
      const list = async (scope: 'all' | readonly string[]) => (await people.list({ scope, limit: 10 })).people;
      expect((await list('all')).map(({ id }) => id)).toEqual([everywhere, both, none, clinic, mercy]);
      expect((await list(['mercy'])).map(({ id }) => id)).toEqual([both, mercy]);
      expect((await list(['mercy']))[0]?.grants).toEqual([viewerOf('mercy')]);
      expect((await list(['mercy', 'clinic']))[0]?.grants).toHaveLength(2);
      expect(await list(['nowhere'])).toEqual([]);
      expect(await list([])).toEqual([]);
      const pages: string[][] = [];
      for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
        const page = await people.list({ scope: 'all', limit: 2, ...(cursor !== undefined && { cursor }) });
        pages.push(page.people.map(({ id }) => id));
        cursor = page.next;
      }
      expect(pages).toEqual([[everywhere, both], [none, clinic], [mercy]]);
    });

    it('are renamed, keep what is not changed, and are disabled and enabled again', async () => {
      const { people } = await makeSubject();
      const { id } = await people.create(aPerson({ email: 'ada@example.org' }));
      await people.rename(id, { name: 'Ada Renamed' });
      expect(await people.find(id)).toMatchObject({ name: 'Ada Renamed', email: 'ada@example.org' });
      await people.rename(id, { email: 'renamed@example.org' });
      expect(await people.find(id)).toMatchObject({ name: 'Ada Renamed', email: 'renamed@example.org' });
      expect(await people.disable(id)).toBe(true);
      const disabledAt = (await people.find(id))?.disabledAt;
      expect(disabledAt).toEqual(expect.any(Date));
      expect(await people.disable(id)).toBe(true);
      expect((await people.find(id))?.disabledAt).toEqual(disabledAt);
      expect(await people.enable(id)).toBe(true);
      expect(await people.find(id)).not.toHaveProperty('disabledAt');
      expect(await people.disable(aPersonId())).toBe(false);
      expect(await people.enable(aPersonId())).toBe(false);
    });

    it('have had an admin once there was one of every site, and for ever', async () => {
      const { people } = await makeSubject();
      const { id } = await people.create(aPerson({ grants: [{ role: 'admin', site: 'mercy', origin: 'admin' }] }));
      await people.setGrants({ id, origin: 'claims', grants: [{ role: 'operator', site: '*' }], by: 'engine' });
      expect(await people.hasAdmin()).toBe(false);
      await people.setGrants({ id, origin: 'admin', grants: [{ role: 'admin', site: '*' }], by: 'operator' });
      expect(await people.hasAdmin()).toBe(true);
      await people.disable(id);
      await people.setGrants({ id, origin: 'admin', grants: [], by: 'operator' });
      expect(await people.hasAdmin()).toBe(true);
    });
  });
}
