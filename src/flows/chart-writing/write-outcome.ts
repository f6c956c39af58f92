// What a write ended with, in the words that a person reads: what happened, and what to do. Nothing of the patient is in them.

import type { LeftDocument, Revision, WriteOutcome, WrittenDocument } from '../../domain/chart/chart-write.ts';
import { summarizeSession } from '../../domain/chart/existing-documents.ts';
import type { WritePlan } from '../../domain/chart/write-plan.ts';
import type { Permission } from '../../domain/history/chart-context.ts';
import { leftChanges } from './send-changes.ts';
import type { Parked } from './track-delivery.ts';

type ParkedOutcome = Extract<WriteOutcome, { readonly status: 'parked' }>;

const STATUSES = { create: 'created', update: 'updated', retire: 'retired' } as const;

/** `before`: the revisions that were there; `done`: the one that was brought, if there was anything to bring. */
export function writtenOutcome(
  before: readonly Revision[],
  done: Revision | undefined,
  left: readonly LeftDocument[],
): Extract<WriteOutcome, { readonly status: 'written' }> {
  const brought = writtenBy(done);
  const allLeft = [...left, ...leftOf(done)];
  const references = new Set([...brought, ...allLeft].map(({ reference }) => reference));
  const unchanged = [...summarizeSession(before).documents.values()]
    .filter(({ reference }) => !references.has(reference))
    .map(({ document, reference }) => ({ document, reference, status: 'unchanged' as const }));
  return { status: 'written', resources: [...unchanged, ...brought], left: allLeft };
}

export function retractedOutcome(
  done: Revision | undefined,
  left: readonly LeftDocument[],
): Extract<WriteOutcome, { readonly status: 'retracted' }> {
  const taken = writtenBy(done).filter(({ status }) => status === 'retired');
  return { status: 'retracted', resources: taken, left: [...left, ...leftOf(done)] };
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

export function nothingToWrite(): WriteOutcome {
  return { status: 'written', resources: [], left: [] };
}

export function heldAsDraft(site: string): WriteOutcome {
  return {
    status: 'held',
    reason: 'drafts',
    message: `${site}: this EHR takes no drafts`,
    advice: 'The result stays in the engine until a clinician has approved it.',
  };
}

export function noStrategyLeft(site: string): WriteOutcome {
  return parkedOutcome(site, {
    reason: 'no-way',
    message: 'this EHR takes none of the documents that the site writes',
    advice: `See what it takes (npm run cli -- sites probe ${site}), and change what write in site.yaml names.`,
    references: [],
  });
}

export function invalidResources(problems: readonly string[]): Parked {
  return {
    kind: 'parked',
    reason: 'invalid',
    message: `what the mappings made may not leave: ${problems.join('; ')}`,
    advice: 'Change the mapping (npm run cli -- mappings preview --validate shows the same), and replay the run.',
    references: [],
  };
}

export function changedByPerson(site: string, { touched: documents }: WritePlan): WriteOutcome {
  return parkedOutcome(site, {
    reason: 'touched',
    message: `a person changed ${documents.map(({ document }) => document).join(', ')} since it was written; the new result was not written`,
    advice: 'Compare it with the new result, which the engine keeps, and change it in the EHR by hand where needed.',
    references: documents.map(({ reference }) => reference),
  });
}

export function otherEhr(site: string): WriteOutcome {
  return parkedOutcome(site, {
    reason: 'other-ehr',
    message: 'ehr.baseUrl is another one than that which was written to before',
    advice: 'Set it back, or give the other EHR a folder (and so a name) of its own.',
    references: [],
  });
}

export function otherIdentity(site: string, why: string, reference: string): WriteOutcome {
  return parkedOutcome(site, {
    reason: 'identity',
    message: `${why}; nothing was written`,
    advice: 'Find out whose encounter it is. Replay the run when the EHR says so too, or cancel it.',
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
  return parkedOutcome(site, {
    reason: 'retract-by-hand',
    message: `${left.length === 1 ? 'one document was' : `${left.length} documents were`} signed or changed by a person, or cannot be changed: they still stand in the chart`,
    advice: 'Retract them in the EHR by hand.',
    references: left.map(({ reference }) => reference),
  });
}
