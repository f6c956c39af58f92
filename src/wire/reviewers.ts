// What /ops/reviewers takes and answers.
import { z } from 'zod';
import { type Answer, lineOfText, ONCE_RULE, required, timestamp } from './fields.ts';
import { optionalSite, siteName } from './ids.ts';

export const PRACTITIONER_RULE = 'must be Practitioner/id or PractitionerRole/id in the EHR of the site';
export const reviewerBody = z
  .strictObject({
    site: siteName,
    practitioner: z
      .string({ error: required(PRACTITIONER_RULE) })
      .regex(/^Practitioner(?:Role)?\/[A-Za-z0-9.-]{1,64}$/, { error: PRACTITIONER_RULE })
      .meta({ description: 'The verifier that the chart names.', examples: ['Practitioner/7'] }),
    name: lineOfText('Name of the reviewer, as shown in the chart.'),
  })
  .meta({ id: 'NewReviewer' });

export const reviewerId = z
  .string({ error: ONCE_RULE })
  .transform((value) => value.replace(/^Reviewer\//, ''))
  .refine((value) => /^[0-9a-f]{16}$/.test(value), { error: 'must be the id of a reviewer' })
  .meta({ description: 'Id of a reviewer, bare or as `Reviewer/<id>`.', examples: ['5f0c2a9b7d3e4816'] });

export const reviewerQuery = z.strictObject({ site: optionalSite });

const reviewerFields = {
  id: z.string(),
  site: z.string(),
  practitioner: z.string(),
  name: z.string(),
  createdAt: timestamp('Time of creation.'),
  revokedAt: timestamp('When it was revoked.').optional(),
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
      description: 'Whether the EHR confirmed that the Practitioner exists; false if the EHR could not be reached.',
    }),
    key: z.string().meta({ description: 'What the reviewer sends as Authorization: Bearer. It is shown only once.' }),
  })
  .meta({
    id: 'IssuedReviewer',
    examples: [{ ...exampleReviewer, isChecked: true, key: 'rv_5f0c2a9b7d3e4816_EXAMPLE-NOT-A-KEY' }],
  });

export const reviewerListResponse = z
  .object({ reviewers: z.array(z.object(reviewerFields)) })
  .meta({ id: 'ReviewerList', examples: [{ reviewers: [exampleReviewer] }] });

export type IssuedReviewerAnswer = Answer<typeof issuedReviewerResponse>;
export type ReviewerListAnswer = Answer<typeof reviewerListResponse>;
export type ReviewerAnswer = ReviewerListAnswer['reviewers'][number];
