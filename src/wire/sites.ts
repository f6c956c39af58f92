// What /ops/sites answers: every site with its mode, EHR, findings, pauses and feeds.
import { z } from 'zod';
import { type Answer, timestamp } from './fields.ts';
import { sitePause } from './pauses.ts';

export const FINDING_KINDS = ['duplicate', 'missing', 'foreign', 'unknown', 'encounter', 'moved'] as const;
export const siteMode = z.enum(['off', 'shadow', 'live']);
export const ehrAuth = z.enum(['none', 'basic', 'bearer', 'client-credentials', 'backend-services']);

const FEEDS = ['amqp', 'subscription', 'push', 'poll', 'catch-up'] as const;
const ALARMS = ['silent', 'no-heartbeat', 'subscription', 'catch-up', 'topology'] as const;

const feed = z.object({
  kind: z.enum(FEEDS),
  lastEventAt: timestamp('When the last event was received through this feed.').optional(),
  searchedUntil: timestamp('Up to when the EHR was searched for missed events.').optional(),
  subscription: z.string().optional(),
  subscriptionStatus: z.string().optional(),
  alarm: z
    .object({ kind: z.enum(ALARMS), since: timestamp('Start time.').optional(), message: z.string().optional() })
    .optional()
    .meta({ description: 'What is wrong with the feed, and what to do; absent if nothing is wrong.' }),
});

const site = z.object({
  name: z.string(),
  organization: z.string().optional(),
  mode: siteMode,
  ehr: z.object({ baseUrl: z.string(), auth: ehrAuth }),
  mappings: z.string().meta({ description: 'Version of its settings and mappings: a hash of its files.' }),
  isStale: z.boolean().meta({ description: 'Its files have problems now; the last valid version is in use.' }),
  warning: z.string().optional(),
  findings: z
    .partialRecord(z.enum(FINDING_KINDS), z.int().min(1))
    .meta({ description: 'Open findings of the reconciler, by kind.' }),
  checks: z
    .object({
      written: z.int().min(0).meta({ description: 'Resources of the engine in charts.' }),
      checked: z.int().min(0).meta({ description: 'How many of them the reconciler has checked.' }),
      oldestAt: timestamp('The check that is longest ago.').optional(),
    })
    .optional()
    .meta({ description: 'How far the reconciler is; absent if nothing is in charts.' }),
  lastContact: timestamp(
    'When the EHR last answered this engine; absent if it has not answered since the start.',
  ).optional(),
  paused: z.array(sitePause).meta({ description: 'What an operator has paused.' }),
  feeds: z.array(feed).meta({ description: 'The feeds that deliver its events.' }),
});

export const siteListResponse = z
  .object({
    sites: z.array(site),
    unavailable: z
      .array(z.string())
      .meta({ description: 'Sites whose files have problems and have never been valid.' }),
  })
  .meta({
    id: 'SiteList',
    examples: [
      {
        sites: [
          {
            name: 'mercy',
            organization: 'mercy-general',
            mode: 'live',
            ehr: { baseUrl: 'https://ehr.example.org/fhir/R4', auth: 'client-credentials' },
            mappings: '5f0c2a9b7d3e',
            isStale: false,
            findings: { duplicate: 1 },
            checks: { written: 4682, checked: 4670, oldestAt: '2026-11-21T06:26:00.000Z' },
            lastContact: '2026-11-21T08:00:00.000Z',
            paused: [{ what: 'write', reason: 'EHR upgrade', since: '2026-11-21T07:30:00.000Z' }],
            feeds: [{ kind: 'amqp', lastEventAt: '2026-11-21T07:59:00.000Z' }],
          },
        ],
        unavailable: [],
      },
    ],
  });

export type SiteListAnswer = Answer<typeof siteListResponse>;
export type SiteAnswer = SiteListAnswer['sites'][number];
export type FeedAnswer = SiteAnswer['feeds'][number];
