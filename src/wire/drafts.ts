// A reviewer's work as /ops/reviews returns it: the drafts that wait, who has claimed them, what was signed, and the figures of edits. None of it
// holds patient data except ids.
import { z } from 'zod';
import { TRIAGE_LEVELS } from '../domain/diagnosis/diagnosis.ts';
import { EFFECTS, VERDICTS } from '../domain/note/check-report.ts';
import { REJECT_CATEGORIES } from '../domain/run/draft-decision.ts';
import { REVIEWABLE_REASONS } from '../domain/run/reviewable.ts';
import {
  type Answer,
  emptyAsAbsent,
  lineOfText,
  nextCursor,
  optionalMoment,
  pageFields,
  timestamp,
  yesOrNo,
} from './fields.ts';
import { optionalSite } from './ids.ts';
import { exampleRun, runFields, runIdField, runStatus, written } from './run.ts';

const REASON_RULE = `must be one of ${REVIEWABLE_REASONS.join(', ')}`;
const reason = emptyAsAbsent(
  z
    .enum(REVIEWABLE_REASONS, { error: REASON_RULE })
    .optional()
    .meta({ description: 'Only drafts that are held for this reason.', examples: ['unsupported'] }),
);

export const draftsQuery = z.strictObject({
  ...pageFields,
  site: optionalSite,
  reason,
  urgent: yesOrNo('Only drafts with a RED triage, or of urgent encounters.'),
  claimed: emptyAsAbsent(
    z
      .enum(['me', 'free', 'any'], { error: 'must be one of me, free, any' })
      .optional()
      .meta({
        description: 'Only drafts that the caller has claimed, or that are claimed by no one.',
        examples: ['free'],
      }),
  ),
});

const claim = z.object({
  by: z.string().meta({ description: 'The name of the person.' }),
  isMine: z.boolean(),
  since: timestamp('When it was claimed.'),
  until: timestamp('When the claim ends if it is not used.'),
  isDelegated: z.boolean().meta({ description: 'Another reviewer has handed it over.' }),
});

const draft = z.object({
  triage: z.enum(TRIAGE_LEVELS).optional(),
  marks: z
    .array(z.object({ verdict: z.enum(VERDICTS), effect: z.enum(EFFECTS), count: z.int().min(1) }))
    .optional()
    .meta({
      description: 'How many statements the check has marked, by verdict and severity; `hold` is the severest.',
    }),
  missing: z.int().min(0).optional().meta({ description: 'How many things were said that the note does not have.' }),
  ageSeconds: z.int().min(0).meta({ description: 'Since the run was created.' }),
  claim: claim.optional(),
});

const exampleClaim = {
  by: 'Dr. Example',
  isMine: true,
  since: '2026-11-21T09:00:00.000Z',
  until: '2026-11-21T09:30:00.000Z',
  isDelegated: false,
};
const exampleDraft = {
  ...exampleRun,
  status: 'held' as const,
  reason: 'unsupported',
  draft: {
    triage: 'RED' as const,
    marks: [{ verdict: 'unsupported' as const, effect: 'hold' as const, count: 2 }],
    missing: 1,
    ageSeconds: 3_600,
    claim: exampleClaim,
  },
};

const waitingDraft = z
  .object({ ...runFields, draft: draft.meta({ description: 'Facts without a word of the draft.' }) })
  .meta({ id: 'WaitingDraft', examples: [exampleDraft] });

export const draftListResponse = z
  .object({
    runs: z.array(waitingDraft).meta({
      description: 'RED first, then by the severity of their marks, then the oldest first.',
    }),
    next: nextCursor,
  })
  .meta({ id: 'DraftList', examples: [{ runs: [exampleDraft] }] });

export const nextDraftBody = z
  .strictObject({ site: optionalSite, reason, urgent: z.boolean({ error: 'must be true or false' }).optional() })
  .meta({ id: 'NextDraftOrder', examples: [{ site: 'mercy', urgent: true }] });

export const nextDraftResponse = z
  .object({ run: waitingDraft.optional().meta({ description: 'Absent: no draft is free.' }) })
  .meta({ id: 'NextDraft', examples: [{ run: exampleDraft }] });

export const takeOver = z
  .boolean({ error: 'must be true or false' })
  .optional()
  .meta({ description: 'Goes on although another person has claimed the draft.' });

export const claimBody = z.strictObject({ takeOver }).meta({ id: 'ClaimOrder', examples: [{ takeOver: true }] });

export const claimResponse = z.object({ run: runIdField, claim }).meta({
  id: 'DraftClaim',
  examples: [{ run: exampleRun.id, claim: exampleClaim }],
});

export const releasedResponse = z
  .object({ released: z.boolean().meta({ description: 'False: the caller had not claimed it.' }) })
  .meta({ id: 'ReleasedDraft', examples: [{ released: true }] });

export const delegateBody = z
  .strictObject({
    to: lineOfText('Another reviewer of the site: the id of a person, or `Practitioner/<id>`.'),
    takeOver,
  })
  .meta({ id: 'DelegateOrder', examples: [{ to: 'Practitioner/8' }] });

export const signedQuery = z.strictObject({ ...pageFields, site: optionalSite });

const signedDraft = z.object({
  run: runIdField,
  site: z.string(),
  encounter: z.string(),
  patient: z.string().optional(),
  decision: z.enum(['approve', 'edit']),
  revision: z.int().min(1),
  noteType: z.string(),
  signedAt: timestamp('Time of the decision.'),
  status: runStatus,
  resources: z.array(written).meta({ description: 'What the run has written.' }),
});
const exampleSigned = {
  run: exampleRun.id,
  site: 'mercy',
  encounter: 'Encounter/123',
  patient: 'Patient/7',
  decision: 'edit' as const,
  revision: 1,
  noteType: 'progress',
  signedAt: '2026-11-21T09:10:00.000Z',
  status: 'written' as const,
  resources: exampleRun.resources,
};

export const signedResponse = z
  .object({ signed: z.array(signedDraft).meta({ description: 'Newest first.' }), next: nextCursor })
  .meta({ id: 'SignedList', examples: [{ signed: [exampleSigned] }] });

export const reviewFiguresQuery = z.strictObject({
  site: optionalSite,
  from: optionalMoment('Only decisions since then.'),
  to: optionalMoment('Only decisions before then.'),
});

const share = (description: string) => z.number().min(0).max(1).meta({ description });

export const reviewFiguresResponse = z
  .object({
    noteTypes: z.array(
      z.object({
        noteType: z.string(),
        decisions: z.object({ approve: z.int(), edit: z.int(), reject: z.int(), correct: z.int() }),
        shareApprovedUnchanged: share('Of all decisions but corrections.'),
      }),
    ),
    sections: z
      .array(
        z.object({
          noteType: z.string(),
          section: z.string(),
          count: z.int().min(1),
          medianShareChanged: share('The characters that were inserted and deleted, of all before and after.'),
          shareUnchanged: share('Of the sections that were signed.'),
        }),
      )
      .meta({ description: 'Of the drafts that were signed.' }),
    categories: z
      .array(z.object({ category: z.enum(REJECT_CATEGORIES), count: z.int().min(1) }))
      .meta({ description: 'Of rejections and corrections that name one.' }),
  })
  .meta({
    id: 'ReviewFigures',
    description: 'Counts and lengths, no text.',
    examples: [
      {
        noteTypes: [
          {
            noteType: 'progress',
            decisions: { approve: 30, edit: 8, reject: 2, correct: 1 },
            shareApprovedUnchanged: 0.75,
          },
        ],
        sections: [{ noteType: 'progress', section: 'PLAN', count: 38, medianShareChanged: 0.02, shareUnchanged: 0.8 }],
        categories: [{ category: 'invented-content', count: 2 }],
      },
    ],
  });

export type DraftListAnswer = Answer<typeof draftListResponse>;
export type NextDraftAnswer = Answer<typeof nextDraftResponse>;
export type ClaimAnswer = Answer<typeof claimResponse>;
export type ReleasedAnswer = Answer<typeof releasedResponse>;
export type SignedAnswer = Answer<typeof signedResponse>;
export type ReviewFiguresAnswer = Answer<typeof reviewFiguresResponse>;
