// The audit trail of an engine that also reports reads to the EHR: what is appended about a read of a patient's data, or a decision about a draft,
// is also put down as an AuditEvent for the EHR of the site, if the site wants that. The flows that append need not know of it, and none waits for an
// EHR: the event is sent later. A read whose event cannot be put down fails, as one whose entry cannot be appended.
import { auditEventOf, type ChartRead } from '../../domain/people/chart-read-event.ts';
import { present } from '../../domain/present.ts';
import type { Audit, AuditEntry } from '../../ports/audit.ts';
import type { AuditEvents } from '../../ports/audit-events.ts';
import type { People } from '../../ports/people.ts';
import type { Reviewers } from '../../ports/reviewers.ts';
import type { Runs } from '../../ports/runs.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';

type ReportParts = {
  readonly auditEvents: Pick<AuditEvents, 'add'>;
  readonly runs: Pick<Runs, 'find'>;
  readonly people: Pick<People, 'find'>;
  readonly reviewers: Pick<Reviewers, 'find'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly runtime: Pick<Runtime, 'now' | 'makeUuid'>;
  /** Where the engine is reached. */
  readonly publicUrl: string;
};

const KINDS: ReadonlyMap<string, ChartRead['kind']> = new Map([
  ['run.view', 'read'],
  ['chart.open', 'read'],
  ['run.review', 'decision'],
] as const);

/** Programs of an organization read what is theirs, and are no readers in the sense of the EHR. */
const READERS = /^(?:person|token|reviewer)\/|^operator$/;

export function withReportedReads<Action extends string>(audit: Audit<Action>, parts: ReportParts): Audit<Action> {
  return {
    ...audit,
    async append(entry) {
      await audit.append(entry);
      const read = await readOf(entry, parts);
      if (read === undefined) return;
      const body = JSON.stringify(auditEventOf(read, parts.publicUrl));
      await parts.auditEvents.add({ id: parts.runtime.makeUuid(), site: read.site, body });
    },
  };
}

/** True for a site that may write to its EHR and wants these events there. */
export function reportsReads(site: LoadedSite | undefined): site is LoadedSite {
  return site?.settings.mode === 'live' && site.settings.audit?.toEhr === true;
}

async function readOf(
  { action, actor, site, run, details = {} }: AuditEntry<string>,
  parts: ReportParts,
): Promise<ChartRead | undefined> {
  const kind = KINDS.get(action);
  if (kind === undefined || site === undefined || !READERS.test(actor)) return undefined;
  if (!reportsReads(parts.sites.current().sites.get(site))) return undefined;
  const known = run === undefined ? undefined : await parts.runs.find(run, { sites: [site] });
  const patient = textOf(details['patient']) ?? known?.patient;
  // Before the encounter is read there is nothing of a patient to see.
  if (patient === undefined) return undefined;
  return {
    site,
    kind,
    at: parts.runtime.now(),
    actor,
    patient,
    ...present({
      run,
      encounter: textOf(details['encounter']) ?? known?.encounter,
      practitioner: await practitionerOf(actor, site, details, parts),
      purpose: textOf(details['purpose']),
      address: textOf(details['address']),
    }),
  };
}

/** Who the reader is in the EHR of the site. Undefined for those who are no reviewers there. */
async function practitionerOf(
  actor: string,
  site: string,
  details: NonNullable<AuditEntry['details']>,
  { people, reviewers }: Pick<ReportParts, 'people' | 'reviewers'>,
): Promise<string | undefined> {
  const [kind, id = ''] = actor.split('/');
  if (kind === 'person') {
    const grants = (await people.find(id))?.grants ?? [];
    return grants.find((one) => one.role === 'reviewer' && one.site === site)?.practitioner;
  }
  // A decision names who signs; a Task that was completed in the EHR has no key.
  if (kind === 'reviewer') return textOf(details['practitioner']) ?? (await reviewers.find(id, [site]))?.practitioner;
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
