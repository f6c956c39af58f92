// What /ops/sites/{site}/pause and /resume take and answer.
import { z } from 'zod';
import { type Answer, lineOfText, required, timestamp } from './fields.ts';

export const PAUSES = ['intake', 'model', 'write', 'all'] as const;

export const sitePause = z.object({
  what: z.enum(PAUSES),
  reason: z.string(),
  since: timestamp('Start time.'),
});

const WHAT_RULE = `must be one of ${PAUSES.join(', ')}`;
const what = z.enum(PAUSES, { error: required(WHAT_RULE) }).meta({
  description:
    'intake: no encounter is read. model: no data goes to the AI engines. write: nothing is written to charts. Events are still accepted.',
});

export const pauseBody = z
  .strictObject({
    what,
    reason: lineOfText('The reason, shown to operators and reviewers. It must not contain patient data.'),
  })
  .meta({ id: 'PauseOrder' });

export const resumeBody = z
  .strictObject({ what: what.default('all').meta({ description: '`all` ends every pause of the site.' }) })
  .meta({ id: 'ResumeOrder' });

export const pauseResponse = z
  .object({
    site: z.string(),
    paused: z.array(sitePause),
    wokenRuns: z.int().min(0).optional().meta({ description: 'After a resumption: how many waiting runs go on.' }),
  })
  .meta({
    id: 'PausedSite',
    examples: [
      { site: 'mercy', paused: [{ what: 'write', reason: 'EHR upgrade', since: '2026-11-21T07:30:00.000Z' }] },
    ],
  });

export type PausedSiteAnswer = Answer<typeof pauseResponse>;
export type PauseAnswer = PausedSiteAnswer['paused'][number];
