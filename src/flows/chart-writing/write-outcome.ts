// The outcome of a write in words for a person: what happened, and what to do. No patient data is in them.

import type { LeftDocument, Revision, WriteOutcome, WrittenDocument } from '../../domain/chart/chart-write.ts';
import { summarizeSession } from '../../domain/chart/existing-documents.ts';
import type { Permission } from '../../domain/history/chart-context.ts';
import { leftChanges } from './send-changes.ts';
import type { Parked } from './track-delivery.ts';

type ParkedOutcome = Extract<WriteOutcome, { readonly status: 'parked' }>;

const STATUSES = { create: 'created', update: 'updated', retire: 'retired' } as const;

/** `before`: the earlier revisions; `done`: the one that was delivered, if anything had to be written. */
export function writtenOutcome(
  before: readonly Revision[],
  done: Revision | undefined,
  left: readonly LeftDocument[],
): Extract<WriteOutcome, { readonly status: 'written' }> {
  const written = writtenBy(done);
  const allLeft = [...left, ...leftOf(done)];
  const references = new Set([...written, ...allLeft].map(({ reference }) => reference));
  const unchanged = [...summarizeSession(before).documents.values()]
    .filter(({ reference }) => !references.has(reference))
    .map(({ document, reference }) => ({ document, reference, status: 'unchanged' as const }));
  return { status: 'written', resources: [...unchanged, ...written], left: allLeft };
}

export function retractedOutcome(
  done: Revision | undefined,
  left: readonly LeftDocument[],
): Extract<WriteOutcome, { readonly status: 'retracted' }> {
  const retired = writtenBy(done).filter(({ status }) => status === 'retired');
  return { status: 'retracted', resources: retired, left: [...left, ...leftOf(done)] };
}

function writtenBy(done: Revision | undefined): readonly WrittenDocument[] {
  return (done?.writes ?? []).flatMap(({ document, action, state, reference }) =>
    state === 'written' && reference !== undefined ? [{ document, reference, status: STATUSES[action] }] : [],
  );
}

function leftOf(done: Revision | undefined): readonly LeftDocument[] {
  return leftChanges(done?.writes ?? []);
}

export function parkedOutcome(
  site: string,
  { reason, message, advice, references }: Omit<Parked, 'kind'>,
): ParkedOutcome {
  return { status: 'parked', reason, message: `${site}: ${message}`, advice, references };
}

const MAX_NAMED = 20;

/** The message of a parked run, with the resources that a person should look at: a run stores no references of its own for them. */
export function messageWithReferences({ message, references }: Pick<ParkedOutcome, 'message' | 'references'>): string {
  if (references.length === 0) return message;
  return `${message.replace(/\.$/, '')}. Look at ${references.slice(0, MAX_NAMED).join(', ')}.`;
}

export function nothingToWrite(): WriteOutcome {
  return { status: 'written', resources: [], left: [] };
}

export function heldAsDraft(site: string): WriteOutcome {
  return {
    status: 'held',
    reason: 'drafts',
    message: `${site}: this EHR accepts no drafts`,
    advice: 'The result stays in the engine until a clinician has approved it.',
  };
}

export function noStrategyLeft(site: string): WriteOutcome {
  return parkedOutcome(site, {
    reason: 'no-way',
    message: 'this EHR accepts none of the documents that the site writes',
    advice: `See what it accepts (npm run cli -- sites probe ${site}), and change the documents under write in site.yaml.`,
    references: [],
  });
}

export function invalidResources(problems: readonly string[]): Parked {
  return {
    kind: 'parked',
    reason: 'invalid',
    message: `the mappings made invalid FHIR: ${problems.join('; ')}`,
    advice: 'Change the mapping (npm run cli -- mappings preview --validate shows the same), and replay the run.',
    references: [],
  };
}

export function changedByPerson(site: string, documents: readonly LeftDocument[]): WriteOutcome {
  return parkedOutcome(site, {
    reason: 'touched',
    message: `a person changed ${documents.map(({ document }) => document).join(', ')} since it was written; the new result was not written`,
    advice: 'Compare it with the new result, which the engine keeps, and change it in the EHR by hand if needed.',
    references: documents.map(({ reference }) => reference),
  });
}

export function otherEhr(site: string): WriteOutcome {
  return parkedOutcome(site, {
    reason: 'other-ehr',
    message: 'ehr.baseUrl is not the EHR that this site wrote to before',
    advice: 'Set it back, or give the other EHR a site folder of its own.',
    references: [],
  });
}

export function otherIdentity(site: string, why: string, reference: string): WriteOutcome {
  return parkedOutcome(site, {
    reason: 'identity',
    message: `${why}; nothing was written`,
    advice: 'Find out whose encounter it is. Correct it in the EHR and replay the run, or cancel the run.',
    references: [reference],
  });
}

export function notPermitted(
  site: string,
  permission: Extract<Permission, { readonly isGranted: false }>,
): WriteOutcome {
  const { reason, then } = permission;
  const message = `${site}: ${permission.message}`;
  if (then === 'skip') return { status: 'skipped', reason, message };
  return { status: 'held', reason, message, advice: 'A person decides whether this may be written.' };
}

export function retractByHand(site: string, left: readonly LeftDocument[]): WriteOutcome {
  const outcome = parkedOutcome(site, {
    reason: 'retract-by-hand',
    message: `${left.length === 1 ? 'one document was' : `${left.length} documents were`} signed or changed by a person, or cannot be changed, and so still in the chart`,
    advice: 'Retract them in the EHR by hand.',
    references: left.map(({ reference }) => reference),
  });
  return { ...outcome, left };
}
