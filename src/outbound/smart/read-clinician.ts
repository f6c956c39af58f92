// Finds out which Practitioner `fhirUser` means, with the access token of the launch: it must be of the EHR that launched, exist, and be active.
import { z } from 'zod';
import { humanName } from '../../domain/chart/human-name.ts';
import { AppError } from '../../domain/errors.ts';
import { LaunchRefused } from '../../domain/people/launch-refusal.ts';
import { present } from '../../domain/present.ts';
import type { EhrClinician } from '../../ports/ehr-sign-in.ts';
import type { SmartCalls } from './smart-calls.ts';

type ReadParts = {
  readonly calls: Pick<SmartCalls, 'call' | 'json'>;
  /** The FHIR address that launched; also `aud`. */
  readonly fhirBase: string;
  readonly accessToken: string;
};

type Named = Pick<EhrClinician, 'practitioner' | 'practitionerRole' | 'name'>;

const USER_TYPES = ['Practitioner', 'PractitionerRole', 'Patient', 'RelatedPerson', 'Person'] as const;
const REFERENCE = /^([A-Za-z]+)\/([A-Za-z0-9.-]{1,64})$/;
const name = z.object({
  use: z.enum(['usual', 'official', 'temp', 'nickname', 'anonymous', 'old', 'maiden']).optional().catch(undefined),
  text: z.string().optional(),
  family: z.string().optional(),
  given: z.array(z.string()).optional(),
  prefix: z.array(z.string()).optional(),
  suffix: z.array(z.string()).optional(),
});
const PRACTITIONER = z.object({
  resourceType: z.literal('Practitioner'),
  id: z.string(),
  active: z.boolean().optional(),
  name: z.array(name).optional().catch(undefined),
});
const ROLE = z.object({
  resourceType: z.literal('PractitionerRole'),
  id: z.string(),
  active: z.boolean().optional(),
  practitioner: z.object({ reference: z.string() }),
});

/** Throws LaunchRefused, `ehrUnavailable`, `ehrAnswer`. */
export async function readClinician(fhirUser: unknown, parts: ReadParts): Promise<Named> {
  if (typeof fhirUser !== 'string' || fhirUser === '') throw new LaunchRefused('scopes', { fault: 'no-fhirUser' });
  const reference = referenceAt(parts.fhirBase, fhirUser);
  const type = USER_TYPES.find((one) => reference.startsWith(`${one}/`));
  if (type === 'Practitioner') return readPractitioner(reference, parts);
  if (type !== 'PractitionerRole') throw new LaunchRefused('not-practitioner', { fault: type ?? 'unknown' });
  const role = await read(reference, ROLE, parts);
  const practitioner = referenceAt(parts.fhirBase, role.practitioner.reference);
  if (!practitioner.startsWith('Practitioner/')) throw new LaunchRefused('not-practitioner');
  return { ...(await readPractitioner(practitioner, parts)), practitionerRole: reference };
}

async function readPractitioner(practitioner: string, parts: ReadParts): Promise<Named> {
  const { name: names } = await read(practitioner, PRACTITIONER, parts);
  return { practitioner, name: humanName(names?.map(present)) ?? practitioner };
}

/** Relative, or at the address that launched: an id of another server may be another person here. */
function referenceAt(fhirBase: string, reference: string): string {
  const base = `${fhirBase.replace(/\/+$/, '')}/`;
  const relative = reference.startsWith(base) ? reference.slice(base.length) : reference;
  if (!REFERENCE.test(relative)) throw new LaunchRefused('other-base');
  return relative;
}

async function read<
  T extends { readonly resourceType: string; readonly id: string; readonly active?: boolean | undefined },
>(reference: string, schema: z.ZodType<T>, { calls, fhirBase, accessToken }: ReadParts): Promise<T> {
  const headers = { accept: 'application/fhir+json, application/json', authorization: `Bearer ${accessToken}` };
  const answer = await calls.call(`${fhirBase.replace(/\/+$/, '')}/${reference}`, { method: 'GET', headers });
  const { status } = answer;
  if (status === 404 || status === 410) throw new LaunchRefused('practitioner-gone');
  if (status === 401 || status === 403) throw new LaunchRefused('unreadable', { fault: String(status) });
  if (status >= 500 || status === 429) throw new AppError('ehrUnavailable', 'The EHR cannot say now who you are');
  const { success, data } = schema.safeParse(await calls.json(answer));
  if (status !== 200 || !success || `${data.resourceType}/${data.id}` !== reference) {
    throw new AppError('ehrAnswer', `The EHR does not answer with the clinician who was asked for (HTTP ${status})`);
  }
  if (data.active === false) throw new LaunchRefused('practitioner-inactive');
  return data;
}
