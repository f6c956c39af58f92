// Keeps one admin of every site: without one, only the operator key of the engine could make the next.
import { AppError } from '../../domain/errors.ts';
import { isAdminOfAll } from '../../domain/people/giving.ts';
import type { Person } from '../../domain/people/person.ts';
import type { People } from '../../ports/people.ts';

const PAGE = 500;

type LoseAdmin = {
  /** As it is now. */
  readonly person: Person;
  /** Takes the role, or the account. */
  readonly act: () => Promise<void>;
  readonly undo: () => Promise<void>;
};

/**
 * Acts only if another admin of every site is left. Two admins who take the role from each other at the same moment both see the other one
 * before they act, and none afterwards: then it is undone. Throws `conflict`.
 */
export async function keepAnAdmin(people: Pick<People, 'list'>, { person, act, undo }: LoseAdmin): Promise<void> {
  if (!isAdminOfAll(person)) return act();
  if (!(await isAnotherLeft(people, person.id))) throw lastAdmin();
  await act();
  if (await isAnotherLeft(people, person.id)) return;
  await undo();
  throw lastAdmin();
}

async function isAnotherLeft(people: Pick<People, 'list'>, id: string): Promise<boolean> {
  let cursor: string | undefined;
  do {
    const page = await people.list({ scope: 'all', limit: PAGE, ...(cursor !== undefined && { cursor }) });
    if (page.people.some((person) => person.id !== id && isAdminOfAll(person))) return true;
    cursor = page.next;
  } while (cursor !== undefined);
  return false;
}

function lastAdmin(): AppError {
  return new AppError('conflict', 'This is the last admin of every site: make another one first');
}
