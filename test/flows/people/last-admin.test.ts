// One admin of every site is always left, also if two lose the role at the same moment.
import { describe, expect, it } from '@jest/globals';
import type { Person } from '../../../src/domain/people/person.ts';
import { keepAnAdmin } from '../../../src/flows/people/last-admin.ts';
import { makeFakePeople } from '../../fakes/people.ts';

const ADMIN = { role: 'admin', site: '*', origin: 'admin' } as const;

async function admins(count: number) {
  const people = makeFakePeople();
  const made: Person[] = [];
  for (let index = 0; index < count; index += 1) {
    const id = index.toString(16).padStart(16, '0');
    made.push(await people.create({ id, name: 'Ada Example', origin: 'local', grants: [ADMIN] }));
  }
  const lose = (person: Person) =>
    keepAnAdmin(people, {
      person,
      act: async () => void (await people.disable(person.id)),
      undo: async () => void (await people.enable(person.id)),
    });
  const left = async () => {
    const { people: all } = await people.list({ scope: 'all', limit: 1_000 });
    return all.filter(({ disabledAt }) => disabledAt === undefined).length;
  };
  return { people, made, lose, left };
}

describe('the last admin of every site', () => {
  it('is kept, one by one or all at the same moment', async () => {
    const { made, lose, left } = await admins(3);
    const ends = await Promise.allSettled(made.map(lose));
    expect(await left()).toBeGreaterThanOrEqual(1);
    expect(ends.some(({ status }) => status === 'rejected')).toBe(true);
  });

  it('is looked for on all pages of the list', async () => {
    const { made, lose, left } = await admins(1);
    const [first] = made;
    if (first === undefined) throw new Error('none was made');
    await expect(lose(first)).rejects.toThrow('This is the last admin of every site: make another one first');
    const many = await admins(502);
    for (const person of many.made.slice(0, 501)) await many.people.disable(person.id);
    const [last] = many.made.slice(-1);
    await expect(lose(first)).rejects.toThrow(/last admin/);
    expect([await left(), await many.left(), last?.id]).toEqual([1, 1, '00000000000001f5']);
    await many.people.enable(first.id);
    if (last !== undefined) await many.lose(last);
    expect(await many.left()).toBe(1);
  });

  it('does not matter for a person who is not an admin of every site, or disabled already', async () => {
    const { people, made, lose, left } = await admins(1);
    const viewer = { id: 'f'.repeat(16), name: 'Sam Example', origin: 'local', grants: [] } as const;
    await lose(await people.create(viewer));
    expect(await left()).toBe(1);
    await lose({ ...(made[0] as Person), disabledAt: new Date() });
    expect(await left()).toBe(0);
  });
});
