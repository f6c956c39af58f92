// What /ops/audit takes and answers.
import { z } from 'zod';
import { AUDIT_ACTIONS } from '../domain/access/audit-action.ts';
import { type Answer, emptyAsAbsent, moment, nextCursor, pageFields, timestamp } from './fields.ts';
import { optionalSite, runId } from './ids.ts';
import { SANDBOX_ACTIONS } from './sandbox-names.ts';

const ACTIONS = [...AUDIT_ACTIONS, ...SANDBOX_ACTIONS] as const;
/** In an answer the type is any text, because the trail keeps entries of all versions of the engine. */
const storedAction: z.ZodType<string> = z.enum(ACTIONS);

export const auditQuery = z.strictObject({
  ...pageFields,
  site: optionalSite,
  run: emptyAsAbsent(runId.optional()),
  action: emptyAsAbsent(
    z
      .enum(ACTIONS, { error: `must be one of ${ACTIONS.join(', ')}` })
      .optional()
      .meta({ description: 'Only entries with this action.', examples: ['key.create'] }),
  ),
  since: emptyAsAbsent(moment('Only entries since then.').optional()),
});

const entry = z.object({
  seq: z.int().min(1).meta({ description: 'Number of the entry in the trail.' }),
  at: timestamp('Time of the action.'),
  action: storedAction,
  actor: z.string().meta({
    description:
      '`person/<id>`, `token/<id>`, `reviewer/<id>`, `operator`, `engine`, `key/<id>`, or `unknown` of who was refused.',
  }),
  site: z.string().optional(),
  run: z.string().optional(),
  details: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .optional()
    .meta({
      description:
        'Ids, codes, counts and addresses of clients. What a person or token did has `as` (the role), `purpose` and `address`.',
    }),
});

export const auditListResponse = z
  .object({ entries: z.array(entry).meta({ description: 'Newest first.' }), next: nextCursor })
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
    context.addIssue({ code: 'custom', path: ['seq'], message: 'and hash must be given together' });
  })
  .meta({ id: 'VerifyOrder' });

const exampleHash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
export const verifyResponse = z
  .object({
    isWhole: z.boolean(),
    entries: z.int().min(0),
    at: z.int().optional().meta({ description: 'Number of the first entry that was changed.' }),
    why: z.string().optional(),
    head: z.object({ seq: z.int().min(0), hash: z.string() }).meta({
      description:
        'The end of the trail. Store it elsewhere and send it with the next verification, to detect a trail that was cut.',
    }),
  })
  .meta({ id: 'AuditVerdict', examples: [{ isWhole: true, entries: 42, head: { seq: 42, hash: exampleHash } }] });

export type AuditListAnswer = Answer<typeof auditListResponse>;
export type AuditEntryAnswer = AuditListAnswer['entries'][number];
export type VerifyAnswer = Answer<typeof verifyResponse>;
