// The person of an identity that a provider has proven. The claims say the roles: an account is made if they give one, and their roles are replaced
// at each sign-in.
import { AppError } from '../../domain/errors.ts';
import { type ClaimRoles, grantsFromClaims } from '../../domain/people/claim-roles.ts';
import { grantText, isSameGrant, siteOf } from '../../domain/people/giving.ts';
import type { Identity, Person, PersonGrant } from '../../domain/people/person.ts';
import type { Grant } from '../../domain/people/role.ts';
import { present } from '../../domain/present.ts';
import type { Audit } from '../../ports/audit.ts';
import type { ProvenIdentity } from '../../ports/identity-provider.ts';
import type { People } from '../../ports/people.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { randomId } from '../random-names.ts';

/**
 * Throws `forbidden` with words for the person: there is no role here, or no longer, or the account is disabled. Throws `conflict` if another
 * person signs as the same Practitioner.
 */
export type AdmitIdentity = (proven: ProvenIdentity) => Promise<Person>;

export type AdmitIdentityParts = {
  readonly people: Pick<People, 'findByIdentity' | 'find' | 'create' | 'rename' | 'setGrants'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'makeSecret'>;
  /** Absent: claims give nothing, and take nothing away. */
  readonly roles: ClaimRoles | undefined;
};

export function makeAdmitIdentity(parts: AdmitIdentityParts): AdmitIdentity {
  const { people, roles } = parts;
  return async (proven) => {
    const grants = roles === undefined ? undefined : grantsFromClaims(roles, proven.claims);
    const known = await people.findByIdentity(proven.identity);
    if (known !== undefined) return admitKnown(parts, { known, proven, grants });
    if (grants === undefined || grants.length === 0) throw withoutRole(proven.identity);
    return makeAccount(parts, proven, grants);
  };
}

type KnownPerson = {
  readonly known: Person;
  readonly proven: ProvenIdentity;
  readonly grants: readonly Grant[] | undefined;
};

async function admitKnown(
  { people, audit }: AdmitIdentityParts,
  { known, proven, grants }: KnownPerson,
): Promise<Person> {
  const { id } = known;
  if (known.disabledAt !== undefined) {
    throw new AppError('forbidden', 'This account is disabled: ask an admin of this engine');
  }
  const { name, email } = proven;
  const isRenamed = (name !== undefined && name !== known.name) || (email !== undefined && email !== known.email);
  if (isRenamed) await people.rename(id, present({ name, email }));
  const former = known.grants.filter(({ origin }) => origin === 'claims');
  if (grants !== undefined && !areSame(former, grants)) {
    const details = { person: id, why: 'claims', roles: grants.map(grantText) };
    await audit.append({ action: 'person.change', actor: 'engine', ...siteOf([...former, ...grants]), details });
    await people.setGrants({ id, origin: 'claims', grants, by: 'engine' });
  }
  const person = await people.find(id);
  if (person === undefined || person.grants.length === 0) throw withoutRole(proven.identity, former.length > 0);
  return person;
}

async function makeAccount(
  { people, audit, runtime }: AdmitIdentityParts,
  { identity, name, email }: ProvenIdentity,
  given: readonly Grant[],
): Promise<Person> {
  const id = randomId(runtime);
  const grants = given.map((grant): PersonGrant => ({ ...grant, origin: 'claims' }));
  const details = { person: id, why: 'claims', roles: given.map(grantText) };
  await audit.append({ action: 'person.create', actor: 'engine', ...siteOf(given), details });
  try {
    const order = { id, name: name ?? identity.subject, email, origin: 'oidc', grants, identity } as const;
    return await people.create(present(order));
  } catch (thrown) {
    // Two first sign-ins of one person at once: the other one made the account.
    const other = await people.findByIdentity(identity);
    if (other === undefined) throw thrown;
    return other;
  }
}

function areSame(former: readonly Grant[], grants: readonly Grant[]): boolean {
  return former.length === grants.length && grants.every((grant) => former.some((one) => isSameGrant(one, grant)));
}

function withoutRole({ issuer, subject }: Identity, isLost = false): AppError {
  const what = isLost
    ? 'You had roles here, and your identity provider gives you none any more'
    : 'Your identity provider knows you, but you have no role here';
  return new AppError(
    'forbidden',
    `${what}: ask an admin of this engine, and say that you are ${subject} at ${issuer}`,
  );
}
