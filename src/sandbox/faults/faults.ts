// The closed set of faults that the sandbox's EHR can have, as plain objects with a description each. Their behaviour is in the other files of
// this folder. If several are active, the first of the list is nearest to the client.
import type { RequestFilter } from './request-filter.ts';

/** The requests that a fault affects. Without `times` it affects all that fit until it is removed. */
type Scope = {
  /** The number of fitting requests that it affects. */
  readonly times?: number;
  /** The number of fitting requests that pass first. */
  readonly after?: number;
  /** Limits the fault to a part of its requests. */
  readonly on?: RequestFilter;
};

/** Whether the CapabilityStatement announces the missing feature. Absent: it does not, so a client has to find out. */
type Announced = { readonly isAnnounced?: boolean };

/** How an answer is lost: it never comes, the connection breaks before it or in the middle, or it has no useful content. */
export type LostAnswer = 'hang' | 'reset' | 'cut' | 'empty' | 'garbage' | 500 | 502 | 503 | 504;

export type RetryAdvice = 'seconds' | 'date' | 'garbage' | 'negative' | 'rate-limit' | 'none';

export type Fault = Scope &
  (
    | { readonly mode: 'entry-limit'; readonly maxEntries?: number }
    /** `takesMs`: how long each request takes. With `times`, the first requests are refused regardless of others. */
    | { readonly mode: 'disturbed'; readonly status?: 400 | 409; readonly takesMs?: number }
    | ({ readonly mode: 'transaction-as-batch'; readonly says?: 'batch-response' | 'transaction-response' } & Announced)
    | {
        readonly mode: 'stops-midway';
        readonly stored?: number;
        readonly status?: number;
        readonly says?: 'batch-response' | 'transaction-response';
      }
    | ({ readonly mode: 'no-transactions'; readonly status?: 400 | 404 | 405 | 422 | 501 } & Announced)
    /** Of batches that only read. `status`: that of the refusal. */
    | {
        readonly mode: 'wrong-batches';
        readonly how: 'refused' | 'reordered' | 'entry-missing' | 'other-types' | 'failing-entries';
        readonly status?: 400 | 404 | 405 | 413 | 501;
      }
    | ({ readonly mode: 'no-conditional-create'; readonly how?: 'ignored' | 400 | 412 | 501 } & Announced)
    | { readonly mode: 'conditional-race'; readonly windowMs?: number }
    | { readonly mode: 'search-lag'; readonly ms?: number; readonly alsoConditions?: boolean }
    | { readonly mode: 'lost-answer'; readonly how: LostAnswer; readonly isStored: boolean }
    | { readonly mode: 'too-many-requests'; readonly advice?: RetryAdvice; readonly seconds?: number }
    | { readonly mode: 'unauthorized' }
    | { readonly mode: 'expiring-tokens'; readonly requestsPerToken: number }
    /** `isLasting`: new links do not open either. Only signed links end. */
    | { readonly mode: 'ended-links'; readonly status?: 400 | 401 | 403 | 404 | 410; readonly isLasting?: boolean }
    | { readonly mode: 'update-conflict' }
    | { readonly mode: 'if-match-ignored' }
    | { readonly mode: 'edited-in-between'; readonly change?: Readonly<Record<string, unknown>> }
    | { readonly mode: 'merged-patient'; readonly patient: string; readonly into: string; readonly encounter?: string }
    | { readonly mode: 'moved-encounter'; readonly encounter: string; readonly to: string }
    | { readonly mode: 'cancelled-encounter'; readonly encounter: string; readonly status?: string }
    | { readonly mode: 'deleted-patient'; readonly patient: string }
    | { readonly mode: 'update-as-create-refused'; readonly status?: 400 | 404 | 405 }
    | ({
        readonly mode: 'identifier-search';
        readonly how: 'refused' | 'ignored' | 'nothing';
        readonly parameter?: string;
      } & Announced)
    | { readonly mode: 'foreign-results' }
    | ({
        readonly mode: 'types-refused';
        readonly types: readonly string[];
        readonly status?: 404 | 405 | 422;
      } & Announced)
    /** `saysWhere`: the answer names the refused element. */
    | { readonly mode: 'drafts-refused'; readonly status?: 400 | 422; readonly saysWhere?: boolean }
    | ({ readonly mode: 'no-versions' } & Announced)
    | { readonly mode: 'slow'; readonly ms: number }
    | { readonly mode: 'down' }
    | { readonly mode: 'server-errors'; readonly status?: 500 | 502 | 503 | 504 }
    | { readonly mode: 'epic-like' }
    | { readonly mode: 'oracle-like' }
  );

export type FaultMode = Fault['mode'];
export type FaultOf<Mode extends FaultMode> = Extract<Fault, { readonly mode: Mode }>;

/** One line for each fault, for people: what the EHR does. */
export const FAULT_LINES = {
  'entry-limit': 'Refuses a transaction with conditions in it that has more than eight entries.',
  disturbed: 'Refuses a transaction with conditions in it while another one is under way; nothing is stored.',
  'transaction-as-batch': 'Runs transactions entry by entry: some may be stored and others not.',
  'stops-midway': 'Runs transactions entry by entry, and refuses everything after the first three.',
  'no-transactions': 'Takes no transactions at all.',
  'wrong-batches':
    'Refuses batches of reads, or answers them wrongly: in another order, with entries missing or mistaken.',
  'no-conditional-create':
    'Does not know "only if it is not there yet": ignores it and makes a duplicate, or refuses it.',
  'conditional-race': 'Two creates "only if it is not there yet" at the same time both make one.',
  'search-lag': 'What was just written does not show up in searches for a while.',
  'lost-answer': 'Stores it, or does not, and the answer never comes, breaks off or says nothing.',
  'too-many-requests': 'Says that there are too many requests, with or without useful advice on when to come back.',
  unauthorized: 'Refuses credentials that are right.',
  'expiring-tokens': 'Forgets each token after a few requests.',
  'ended-links':
    'Refuses the first link to a recording that is tried, as if it had ended; a link that is read later opens.',
  'update-conflict': 'Answers that another user has changed the resource.',
  'if-match-ignored': 'Overwrites whatever is there, whichever version the update was made for.',
  'edited-in-between': 'A clinician edits the resource just before the update.',
  'merged-patient': 'The patient is merged into another one, and with them the encounter, if one is named.',
  'moved-encounter': 'The encounter turns out to be another patient’s.',
  'cancelled-encounter': 'The encounter is cancelled.',
  'deleted-patient': 'The patient is deleted.',
  'update-as-create-refused': 'Refuses updates of resources that are not there.',
  'identifier-search': 'Cannot search for identifiers: says so, or answers with everything or with nothing.',
  'foreign-results': 'Finds other patients’ resources, too.',
  'types-refused': 'Does not take some types of resources.',
  'drafts-refused': 'Takes nothing that is preliminary.',
  'no-versions': 'Keeps no versions: no ETag, no versionId.',
  slow: 'Takes its time with everything.',
  down: 'Breaks every connection.',
  'server-errors': 'Answers with server errors; nothing is stored.',
  'epic-like':
    'Takes what Epic takes: text notes and provisional conditions one by one; no identifiers, no transactions.',
  'oracle-like': 'Takes what Oracle Health takes: signed notes with their encoding and end of visit; no drafts.',
} as const satisfies Record<FaultMode, string>;
