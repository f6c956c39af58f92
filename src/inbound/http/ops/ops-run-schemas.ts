// What the addresses of runs take, for validation and for the OpenAPI document.
import { z } from 'zod';
import { RUN_STATUSES, RUN_STEPS } from '../../../domain/run/run.ts';
import { emptyAsAbsent, required } from '../api/schemas.ts';
import { lineOfText, moment, ONCE, pageFields } from './ops-schemas.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Taken bare or as `Run/<id>`. */
export const runId = z
  .string({ error: ONCE })
  .transform((value) => value.replace(/^Run\//, '').toLowerCase())
  .refine((value) => UUID.test(value), { error: 'must be the id of a run' })
  .meta({ description: 'Id of a run, bare or as `Run/<id>`.', examples: ['0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a77'] });

const SITE_RULE = 'must be the name of a site';
export const siteName = z
  .string({ error: required(SITE_RULE) })
  .transform((value) => value.replace(/^Site\//, ''))
  .refine((value) => /^[\w.-]{1,64}$/.test(value), { error: SITE_RULE })
  .meta({ description: 'Name of the site, bare or as `Site/<name>`.', examples: ['mercy'] });

function reference(type: 'Encounter' | 'Patient') {
  const rule = `must be an id, bare or as ${type}/id`;
  return z
    .string({ error: required(rule) })
    .transform((value) => (/^(?:visit:|[A-Z]\w+\/)/.test(value) ? value : `${type}/${value}`))
    .refine((value) => isReference(type, value), { error: rule })
    .meta({ description: `Id in the EHR, bare or as \`${type}/id\`.`, examples: [`${type}/123`] });
}

/** A visit number stands for its encounter until the EHR has been asked. */
function isReference(type: 'Encounter' | 'Patient', value: string): boolean {
  const [before, id = ''] = value.split('/');
  if (type === 'Encounter' && /^visit:[\x21-\x7e]{1,64}$/.test(value)) return true;
  return before === type && /^(?!\.{1,2}$)[A-Za-z0-9.-]{1,64}$/.test(id) && value.split('/').length === 2;
}

const STATUS_RULE = `must be of ${RUN_STATUSES.join(', ')}; several with commas, or each for itself`;
const statuses = z.preprocess(
  splitList,
  z
    .array(z.enum(RUN_STATUSES, { error: STATUS_RULE }), { error: STATUS_RULE })
    .optional()
    .meta({ description: 'Only runs that are so; several with commas, or repeated.', examples: [['held', 'parked']] }),
);

function splitList(value: unknown): unknown {
  const texts = [value].flat().flatMap((one) => (typeof one === 'string' ? one.split(',') : [one]));
  const given = texts.map((one) => (typeof one === 'string' ? one.trim() : one)).filter((one) => one !== '');
  return given.length === 0 || given[0] === undefined ? undefined : given;
}

const site = emptyAsAbsent(siteName.optional());
const name = (description: string) => emptyAsAbsent(lineOfText(description).optional());
const time = (description: string) => emptyAsAbsent(moment(description).optional());

export const runListQuery = z.strictObject({
  ...pageFields,
  status: statuses,
  site,
  patient: emptyAsAbsent(reference('Patient').optional()),
  encounter: emptyAsAbsent(reference('Encounter').optional()),
  q: name('An id of a run, an encounter, a patient or a session, or the beginning of one.'),
  since: time('Only runs that changed since.'),
  model: name('Only runs of this model.'),
  mapping: name('Only runs of this version of the mappings.'),
});

const yesOrNo = (description: string) => z.boolean({ error: 'must be true or false' }).optional().meta({ description });

const BRIEF_RULE = 'must be true or false';
export const runQuery = z.strictObject({
  brief: z.preprocess(
    (value) => (value === '' ? undefined : value),
    z
      .enum(['true', 'false'], { error: BRIEF_RULE })
      .default('false')
      .meta({ description: 'Without anything of the patient’s: no transcript, note, diagnosis, documents.' }),
  ),
});

export const startBody = z
  .strictObject({
    site: siteName,
    encounter: emptyAsAbsent(reference('Encounter').optional()),
    since: time('Instead of one encounter: all of the site since then.'),
    countOnly: yesOrNo('With `since`: only say how many they are.'),
  })
  .superRefine(({ encounter, since, countOnly }, context) => {
    const fail = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (encounter === undefined && since === undefined) fail('encounter', 'or since is required');
    if (encounter !== undefined && since !== undefined) fail('since', 'and encounter exclude each other');
    if (countOnly !== undefined && since === undefined) fail('countOnly', 'is only for since');
  })
  .meta({ id: 'RunOrder' });

export const replayBody = z
  .strictObject({
    from: emptyAsAbsent(
      z
        .enum(RUN_STEPS, { error: `must be one of ${RUN_STEPS.join(', ')}` })
        .optional()
        .meta({ description: 'Steps before it keep what they gave. Absent: read-chart.' }),
    ),
    dryRun: yesOrNo('Writes nothing: shows what would be different from what stands in the chart.'),
  })
  .meta({ id: 'ReplayOrder' });

const MAX_REASON = 1_000;
const REASON_RULE = `must be 1 to ${MAX_REASON} characters`;
const reasonText = z
  .string({ error: required(REASON_RULE) })
  .trim()
  .min(1, { error: REASON_RULE })
  .max(MAX_REASON, { error: REASON_RULE });

const MAX_EDIT_BYTES = 102_400;
const SECTIONS_RULE = 'must name sections by their keys, each with its text';
const REVISION_RULE = 'must be a whole number from 1';

export const reviewBody = z
  .strictObject({
    decision: z.enum(['approve', 'edit', 'reject'], { error: required('must be one of approve, edit, reject') }),
    sections: z
      .record(z.string().regex(/^[^\p{Cc}]{1,100}$/u), z.string({ error: SECTIONS_RULE }), { error: SECTIONS_RULE })
      .optional()
      .meta({ description: 'For `edit`: the new text of sections of the note; others stay as they are.' }),
    reason: emptyAsAbsent(
      reasonText
        .optional()
        .meta({ description: 'For `reject`. It goes into the chart with what is taken back, and nowhere else.' }),
    ),
    revision: z
      .int({ error: REVISION_RULE })
      .min(1, { error: REVISION_RULE })
      .optional()
      .meta({ description: 'Which revision was looked at; or as `If-Match: "<n>"`. Needed where there were several.' }),
  })
  .superRefine(({ decision, sections, reason }, context) => {
    const fail = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (decision === 'reject' && reason === undefined) fail('reason', 'is required to reject');
    if (decision !== 'reject' && reason !== undefined) fail('reason', 'is only for reject');
    if (decision !== 'edit' && sections !== undefined) fail('sections', 'is only for edit');
    const texts = Object.values(sections ?? {});
    if (decision === 'edit' && texts.length === 0) fail('sections', 'is required to edit, with one section or more');
    const sizeBytes = texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
    if (sizeBytes > MAX_EDIT_BYTES) fail('sections', 'must be at most 100 KB of text');
  })
  .meta({ id: 'ReviewOrder' });

export const recallBody = z
  .strictObject({
    site,
    model: name('What this model made.'),
    mapping: name('What this version of the mappings made.'),
    prompt: name('What was made with this version of the prompt.'),
    from: time('What was made from then on.'),
    to: time('What was made before then.'),
    reason: emptyAsAbsent(
      reasonText
        .optional()
        .meta({ description: 'Stands in the chart with what is taken back. Absent only in a dry run.' }),
    ),
    dryRun: yesOrNo('Only say what would be taken back.'),
  })
  .superRefine(({ reason, dryRun }, context) => {
    if (reason !== undefined || dryRun === true) return;
    context.addIssue({ code: 'custom', path: ['reason'], message: 'is required: it stands in each chart' });
  })
  .meta({ id: 'RecallOrder' });

const OF_RULE = 'must be an encounter, a visit number or a patient’s record number';
export const explainBody = z
  .strictObject({
    of: z
      .string({ error: required(OF_RULE) })
      .trim()
      .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,200}$/u, { error: OF_RULE })
      .meta({
        description: 'Id of an encounter, also as `Encounter/id`, a visit number, or a patient’s record number.',
        examples: ['Encounter/123'],
      }),
  })
  .meta({ id: 'ExplainOrder' });
