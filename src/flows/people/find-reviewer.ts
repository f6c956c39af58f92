// The account of a clinician whom an EHR has named: known by the EHR's own name, or by the Practitioner as whom a reviewer signs, or made at the first
// launch if the site says so.
import { AppError } from '../../domain/errors.ts';
import { LaunchRefused } from '../../domain/people/launch-refusal.ts';
import type { Person, PersonGrant } from '../../domain/people/person.ts';
import type { LaunchSettings } from '../../domain/site/launch-settings.ts';
import type { Audit } from '../../ports/audit.ts';
import type { EhrClinician } from '../../ports/ehr-sign-in.ts';
import type { People } from '../../ports/people.ts';
import type { Runtime } from '../../ports/runtime.ts';
import { randomId } from '../random-names.ts';

export type FindReviewerParts = {
  readonly people: Pick<
    People,
    'find' | 'findByIdentity' | 'findByPractitioner' | 'create' | 'addIdentity' | 'setGrants'
  >;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'makeSecret'>;
};

export type ReviewerQuestion = {
  readonly site: string;
  readonly settings: Pick<LaunchSettings, 'newReviewers'>;
  readonly clinician: EhrClinician;
};

/** Throws LaunchRefused. */
export async function findReviewer(parts: FindReviewerParts, question: ReviewerQuestion): Promise<Person> {
  const person = (await knownPerson(parts, question)) ?? (await newPerson(parts, question));
  const { site, settings, clinician } = question;
  const refused = (why: 'disabled' | 'other-practitioner') =>
    new LaunchRefused(why, { practitioner: clinician.practitioner });
  if (person.disabledAt !== undefined) throw refused('disabled');
  const signing = person.grants.filter((grant) => grant.role === 'reviewer' && grant.site === site);
  if (signing.length === 0) {
    if (!settings.newReviewers) throw noRole(question);
    return giveRole(parts, person, question);
  }
  // Else a signature would be that of someone else than who is at the EHR.
  if (!signing.every((grant) => isOf(clinician, grant))) throw refused('other-practitioner');
  return person;
}

async function knownPerson(
  { people, audit }: FindReviewerParts,
  { site, clinician }: ReviewerQuestion,
): Promise<Person | undefined> {
  const { identity, practitioner, practitionerRole } = clinician;
  const known = await people.findByIdentity(identity);
  const signer =
    (await people.findByPractitioner(site, practitioner)) ??
    (practitionerRole === undefined ? undefined : await people.findByPractitioner(site, practitionerRole));
  if (known !== undefined && signer !== undefined && known.id !== signer.id) {
    throw new LaunchRefused('other-practitioner', { practitioner });
  }
  if (known !== undefined || signer === undefined) return known;
  if (signer.disabledAt === undefined) {
    const details = { person: signer.id, practitioner, way: 'launch' };
    await audit.append({ action: 'person.link', actor: 'engine', site, details });
    await people.addIdentity(signer.id, identity);
  }
  return signer;
}

/** Two first launches of one clinician at once make one account. */
async function newPerson(parts: FindReviewerParts, question: ReviewerQuestion): Promise<Person> {
  const { people, audit, runtime } = parts;
  const { site, settings, clinician } = question;
  if (!settings.newReviewers) throw noRole(question);
  const { identity, name, practitioner } = clinician;
  const id = randomId(runtime);
  await audit.append({
    action: 'person.create',
    actor: 'engine',
    site,
    details: { person: id, practitioner, way: 'launch' },
  });
  try {
    return await people.create({ id, name, origin: 'launch', grants: [grantOf(question)], identity });
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'conflict') throw thrown;
    const other = await knownPerson(parts, question);
    if (other === undefined) throw thrown;
    return other;
  }
}

async function giveRole(parts: FindReviewerParts, { id, grants }: Person, question: ReviewerQuestion): Promise<Person> {
  const { people, audit } = parts;
  const { site, clinician } = question;
  const details = { person: id, added: [`reviewer ${site} ${clinician.practitioner}`], taken: [], way: 'launch' };
  await audit.append({ action: 'person.change', actor: 'engine', site, details });
  const fromLaunches = grants.filter(({ origin }) => origin === 'launch');
  await people.setGrants({ id, origin: 'launch', grants: [...fromLaunches, grantOf(question)], by: 'engine' });
  const person = await people.find(id);
  if (person === undefined) throw new AppError('internal', 'A person was removed during the sign-in');
  return person;
}

function grantOf({ site, clinician: { practitioner } }: ReviewerQuestion): PersonGrant {
  return { role: 'reviewer', site, practitioner, origin: 'launch' };
}

function isOf({ practitioner, practitionerRole }: EhrClinician, grant: PersonGrant): boolean {
  return grant.practitioner === practitioner || grant.practitioner === practitionerRole;
}

function noRole({ site, clinician: { practitioner } }: ReviewerQuestion): LaunchRefused {
  const more = `An admin of ${site} gives you the role reviewer, as ${practitioner}.`;
  return new LaunchRefused('no-role', { more, practitioner });
}
