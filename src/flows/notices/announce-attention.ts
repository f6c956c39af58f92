// Makes notices for reviewers of outcome events that ask for their attention: a RED triage, and drafts that wait. The event is stored once with
// what it is about, and the id of a notice follows from event and person: no person gets two of one event, however many engines run.
import { createHash } from 'node:crypto';
import type { Person } from '../../domain/people/person.ts';
import type { AttentionCause } from '../../domain/run/outcome-event.ts';
import type { Run } from '../../domain/run/run.ts';
import type { Attention, AttentionEvents } from '../../ports/attention.ts';
import type { Drafts } from '../../ports/drafts.ts';
import type { NoticeKind, Notices } from '../../ports/notices.ts';
import type { People } from '../../ports/people.ts';
import type { Runs } from '../../ports/runs.ts';

type AnnounceParts = {
  readonly attentionEvents: AttentionEvents;
  readonly drafts: Pick<Drafts, 'findClaim'>;
  readonly runs: Pick<Runs, 'find'>;
  readonly people: Pick<People, 'find' | 'list'>;
  readonly notices: Pick<Notices, 'add'>;
};

/** Resolves with true if there may be more. Throws what the stores throw; what was not announced then is announced the next time. */
export type AnnounceAttention = (signal: AbortSignal) => Promise<boolean>;

const AT_ONCE = 20;
/** What is older is no news: an engine that gets a mail server must not send what was decided long ago. */
const WITHIN_MS = 3_600_000;
const PEOPLE_AT_ONCE = 200;

/** The others are for operators, who get the outcome event. */
const KINDS: Readonly<Partial<Record<AttentionCause, NoticeKind>>> = {
  red: 'red',
  'review-due': 'review-due',
  'review-overdue': 'review-overdue',
};

export function makeAnnounceAttention(parts: AnnounceParts): AnnounceAttention {
  return async (signal) => {
    const events = await parts.attentionEvents.unnoticed({ limit: AT_ONCE, withinMs: WITHIN_MS });
    for (const event of events) {
      signal.throwIfAborted();
      const kind = KINDS[event.because];
      if (kind !== undefined && (await isOpen(parts, event))) await announce(parts, event, kind);
      await parts.attentionEvents.markNoticed([event.id]);
    }
    return events.length === AT_ONCE;
  };
}

const OVER: ReadonlySet<Run['status']> = new Set<Run['status']>(['rejected', 'retracted', 'cancelled']);

async function isOpen({ runs }: AnnounceParts, { run: id, site }: Attention): Promise<boolean> {
  const run = await runs.find(id, { sites: [site] });
  if (run === undefined || OVER.has(run.status)) return false;
  return run.review === undefined || (run.status !== 'written' && run.review.revision !== run.revision);
}

async function announce(parts: AnnounceParts, event: Attention, kind: NoticeKind): Promise<void> {
  const { site, run } = event;
  for (const { id: person, email } of await receiversOf(parts, event)) {
    if (email === undefined) continue;
    const channel = { kind: 'mail', to: email } as const;
    await parts.notices.add({ id: noticeId(event.id, person), kind, channel, site, run, details: {} });
  }
}

/** Who has claimed the draft; otherwise, and if that person cannot be reached, each reviewer of the site. */
async function receiversOf({ drafts, people }: AnnounceParts, { site, run }: Attention): Promise<readonly Person[]> {
  const claim = await drafts.findClaim(run);
  const holder = claim?.holder.startsWith('person/')
    ? await people.find(claim.holder.slice('person/'.length))
    : undefined;
  if (holder !== undefined && canReceive(holder, site)) return [holder];
  const found: Person[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await people.list({ scope: [site], limit: PEOPLE_AT_ONCE, ...(cursor !== undefined && { cursor }) });
    found.push(...page.people.filter((person) => canReceive(person, site)));
    cursor = page.next;
  }
  return found;
}

function canReceive({ email, disabledAt, grants }: Person, site: string): boolean {
  return (
    email !== undefined &&
    disabledAt === undefined &&
    grants.some((one) => one.role === 'reviewer' && one.site === site)
  );
}

/** A UUID of version 8 (RFC 9562). */
function noticeId(event: string, person: string): string {
  const hex = createHash('sha256').update(`notice ${event} ${person}`).digest('hex');
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
