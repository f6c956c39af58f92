// What the addresses of pauses, the audit trail, set-aside deliveries and reviewers take and answer.
import { z } from 'zod';
import { EVENT_SOURCES } from '../../../domain/run/run.ts';
import type { AuditAction } from '../../../ports/audit.ts';
import { emptyAsAbsent, required } from '../api/schemas.ts';
import { runId, siteName } from './ops-run-schemas.ts';
import { lineOfText, moment, ONCE, pageFields } from './ops-schemas.ts';
import { PAUSES, pause } from './ops-site-schemas.ts';

const time = (description: string) => z.string().meta({ description, format: 'date-time' });
const next = z.string().optional().meta({ description: 'The `cursor` of the next page; absent on the last.' });
const site = emptyAsAbsent(siteName.optional());

const WHAT_RULE = `must be one of ${PAUSES.join(', ')}`;
const what = z.enum(PAUSES, { error: required(WHAT_RULE) }).meta({
  description:
    'intake: no encounter is looked at. model: nothing goes to the engines. write: nothing is written. Events are taken all the while.',
});

export const pauseBody = z
  .strictObject({ what, reason: lineOfText('Why; shown to whoever asks. Nothing of a patient belongs here.') })
  .meta({ id: 'PauseOrder' });

export const resumeBody = z
  .strictObject({ what: what.default('all').meta({ description: '`all` ends every pause of the site.' }) })
  .meta({ id: 'ResumeOrder' });

export const pauseResponse = z.object({ site: z.string(), paused: z.array(pause) }).meta({
  id: 'PausedSite',
  examples: [{ site: 'mercy', paused: [{ what: 'write', reason: 'EHR upgrade', since: '2026-11-21T07:30:00.000Z' }] }],
});

/** A new action does not compile until it stands here. */
const ACTIONS = Object.keys({
  'run.write': true,
  'run.retract': true,
  'run.start': true,
  'run.replay': true,
  'run.cancel': true,
  'run.review': true,
  'run.view': true,
  'run.recall': true,
  'site.pause': true,
  'site.resume': true,
  'site.probe': true,
  'site.settings': true,
  'key.create': true,
  'key.rotate': true,
  'key.revoke': true,
  'plan.change': true,
  'reviewer.create': true,
  'reviewer.revoke': true,
  'sandbox.finish': true,
  'sandbox.cancel': true,
  'sandbox.merge': true,
  'sandbox.recording': true,
  'sandbox.visit': true,
  'sandbox.view': true,
  'sandbox.reset': true,
  'sandbox.drill': true,
} satisfies Record<AuditAction, true>) as readonly AuditAction[];

export const auditQuery = z.strictObject({
  ...pageFields,
  site,
  run: emptyAsAbsent(runId.optional()),
  action: emptyAsAbsent(
    z
      .enum(ACTIONS, { error: `must be one of ${ACTIONS.join(', ')}` })
      .optional()
      .meta({ description: 'Only what was done so.' }),
  ),
  since: emptyAsAbsent(moment('Only what was done since.').optional()),
});

const entry = z.object({
  seq: z.int().min(1).meta({ description: 'Its number in the trail.' }),
  at: time('When.'),
  action: z.enum(ACTIONS),
  actor: z.string().meta({ description: '`operator`, `engine`, `reviewer/<id>` or `key/<id>`.' }),
  site: z.string().optional(),
  run: z.string().optional(),
  details: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .optional()
    .meta({ description: 'Ids, codes and counts.' }),
});

export const auditListResponse = z
  .object({ entries: z.array(entry).meta({ description: 'The newest first.' }), next })
  .meta({
    id: 'AuditTrail',
    examples: [
      {
        entries: [
          {
            seq: 42,
            at: '2026-11-21T08:00:00.000Z',
            action: 'site.pause',
            actor: 'operator',
            site: 'mercy',
            details: { what: 'write' },
          },
        ],
      },
    ],
  });

const SEQ_RULE = 'must be the number of an entry';
const HASH_RULE = 'must be the hash of an entry: 64 of 0-9 and a-f';
export const verifyBody = z
  .strictObject({
    seq: z
      .int({ error: SEQ_RULE })
      .min(0, { error: SEQ_RULE })
      .optional()
      .meta({ description: '`head.seq` of an earlier answer.' }),
    hash: z
      .string({ error: HASH_RULE })
      .regex(/^[0-9a-f]{64}$/, { error: HASH_RULE })
      .optional()
      .meta({ description: '`head.hash` of the same answer.' }),
  })
  .superRefine(({ seq, hash }, context) => {
    if ((seq === undefined) === (hash === undefined)) return;
    context.addIssue({ code: 'custom', path: ['seq'], message: 'and hash are given together, or neither' });
  })
  .meta({ id: 'VerifyOrder' });

const exampleHash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
export const verifyResponse = z
  .object({
    isWhole: z.boolean(),
    entries: z.int().min(0),
    at: z.int().optional().meta({ description: 'Number of the first entry that is not what was kept.' }),
    why: z.string().optional(),
    head: z
      .object({ seq: z.int().min(0), hash: z.string() })
      .meta({ description: 'To be written down elsewhere, and given back the next time: shows a trail that was cut.' }),
  })
  .meta({ id: 'AuditVerdict', examples: [{ isWhole: true, entries: 42, head: { seq: 42, hash: exampleHash } }] });

export const asideQuery = z.strictObject({ ...pageFields, site });

export const asideResponse = z
  .object({
    deliveries: z.array(
      z.object({
        id: z.string(),
        site: z.string(),
        source: z.enum(EVENT_SOURCES),
        outcome: z.enum(['nothing', 'not-understood', 'id-reused']),
        why: z.string().meta({ description: 'In plain words; nothing of what was in it.' }),
        receivedAt: time('When it first came.'),
        repeats: z.int().min(0),
      }),
    ),
    next,
  })
  .meta({
    id: 'AsideList',
    examples: [
      {
        deliveries: [
          {
            id: '0198c5b2-6d1e-7a40-9c55-2f8b1e0d4a78',
            site: 'mercy',
            source: 'amqp',
            outcome: 'not-understood',
            why: 'The body is not valid JSON',
            receivedAt: '2026-11-21T08:00:00.000Z',
            repeats: 0,
          },
        ],
      },
    ],
  });

const PRACTITIONER_RULE = 'must be Practitioner/id or PractitionerRole/id, as the EHR of the site has it';
export const reviewerBody = z
  .strictObject({
    site: siteName,
    practitioner: z
      .string({ error: required(PRACTITIONER_RULE) })
      .regex(/^Practitioner(?:Role)?\/[A-Za-z0-9.-]{1,64}$/, { error: PRACTITIONER_RULE })
      .meta({ description: 'Who verified it, in the chart.', examples: ['Practitioner/7'] }),
    name: lineOfText('As it stands in the chart.'),
  })
  .meta({ id: 'NewReviewer' });

/** Taken bare or as `Reviewer/<id>`. */
export const reviewerId = z
  .string({ error: ONCE })
  .transform((value) => value.replace(/^Reviewer\//, ''))
  .refine((value) => /^[0-9a-f]{16}$/.test(value), { error: 'must be the id of a reviewer' })
  .meta({ description: 'Id of a reviewer, bare or as `Reviewer/<id>`.', examples: ['5f0c2a9b7d3e4816'] });

export const reviewerQuery = z.strictObject({ site });

const reviewerFields = {
  id: z.string(),
  site: z.string(),
  practitioner: z.string(),
  name: z.string(),
  createdAt: time('When it was made.'),
  revokedAt: time('When it was ended.').optional(),
};
const exampleReviewer = {
  id: '5f0c2a9b7d3e4816',
  site: 'mercy',
  practitioner: 'Practitioner/7',
  name: 'Dr. Example',
  createdAt: '2026-11-21T08:00:00.000Z',
};

export const issuedReviewerResponse = z
  .object({
    ...reviewerFields,
    isChecked: z.boolean().meta({
      description: 'Whether the EHR said that there is such a Practitioner; false where it could not be asked.',
    }),
    key: z.string().meta({ description: 'What the reviewer sends as Authorization: Bearer. Shown this once.' }),
  })
  .meta({
    id: 'IssuedReviewer',
    examples: [{ ...exampleReviewer, isChecked: true, key: 'rv_5f0c2a9b7d3e4816_EXAMPLE-NOT-A-KEY' }],
  });

export const reviewerListResponse = z
  .object({ reviewers: z.array(z.object(reviewerFields)) })
  .meta({ id: 'ReviewerList', examples: [{ reviewers: [exampleReviewer] }] });

export type AuditAnswer = z.output<typeof auditListResponse>;
export type VerifyAnswer = z.output<typeof verifyResponse>;
export type AsideAnswer = z.output<typeof asideResponse>;
export type ReviewerListAnswer = z.output<typeof reviewerListResponse>;
