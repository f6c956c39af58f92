// Finds a person for an admin, who sees only people of the admin's sites, and changes only those who have roles nowhere else.
import { AppError } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import { isManaged, isSeen, mayGive } from '../../domain/people/giving.ts';
import type { Person } from '../../domain/people/person.ts';
import type { People } from '../../ports/people.ts';

/** Throws `notFound`. */
export async function findPerson(people: Pick<People, 'find'>, id: string): Promise<Person> {
  const person = await people.find(id);
  if (person === undefined) throw noPerson();
  return person;
}

/** Throws `notFound`, in the same words whether the person is elsewhere or nowhere. */
export async function findSeen(people: Pick<People, 'find'>, id: string, { scope }: Access): Promise<Person> {
  const person = await findPerson(people, id);
  if (!isSeen(scope, person.grants)) throw noPerson();
  return person;
}

/** Without the roles elsewhere, as in the list: an admin of one site does not learn where else a person works. */
export function asSeen(person: Person, { scope }: Access): Person {
  return { ...person, grants: person.grants.filter((grant) => mayGive(scope, grant)) };
}

/** Throws `notFound`, and `forbidden` for a person who also has roles at other sites. */
export async function findManaged(people: Pick<People, 'find'>, id: string, access: Access): Promise<Person> {
  const person = await findSeen(people, id, access);
  if (!isManaged(access.scope, person.grants)) {
    throw new AppError('forbidden', 'This person has roles at other sites too: an admin of every site does this');
  }
  return person;
}

function noPerson(): AppError {
  return new AppError('notFound', 'There is no person with this id');
}
