// How a request names a site, a run, an encounter or a patient: by its bare id, or as a FHIR reference (`Run/<id>`).
import { z } from 'zod';
import { emptyAsAbsent, ONCE_RULE, required } from './fields.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const runId = z
  .string({ error: ONCE_RULE })
  .transform((value) => value.replace(/^Run\//, '').toLowerCase())
  .refine((value) => UUID.test(value), { error: 'must be the id of a run' })
  .meta({ description: 'Id of a run, bare or as `Run/<id>`.', examples: ['0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77'] });

const SITE_RULE = 'must be the name of a site';
export const siteName = z
  .string({ error: required(SITE_RULE) })
  .transform((value) => value.replace(/^Site\//, ''))
  .refine((value) => /^[\w.-]{1,64}$/.test(value), { error: SITE_RULE })
  .meta({ description: 'Name of the site, bare or as `Site/<name>`.', examples: ['mercy'] });

export const optionalSite = emptyAsAbsent(siteName.optional());

export const sitePath = z.object({
  site: z
    .string()
    .meta({ description: 'Name of the site, which is the name of its folder in MAPPINGS_DIR.', examples: ['mercy'] }),
});

export function ehrReference(type: 'Encounter' | 'Patient') {
  const rule = `must be an id, bare or as ${type}/id`;
  return z
    .string({ error: required(rule) })
    .transform((value) => (/^(?:visit:|[A-Z]\w+\/)/.test(value) ? value : `${type}/${value}`))
    .refine((value) => isReference(type, value), { error: rule })
    .meta({ description: `Id in the EHR, bare or as \`${type}/id\`.`, examples: [`${type}/123`] });
}

/** A visit number (`visit:V-77`) names an encounter whose id is not known yet. */
function isReference(type: 'Encounter' | 'Patient', value: string): boolean {
  const [before, id = ''] = value.split('/');
  if (type === 'Encounter' && /^visit:[\x21-\x7e]{1,64}$/.test(value)) return true;
  return before === type && /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/.test(id) && value.split('/').length === 2;
}
