// The decision that a form of the page says, by the same rules as that of POST /ops/runs/{id}/review.
import { AppError } from '../../../domain/errors.ts';
import type { WrittenNote } from '../../../domain/note/note.ts';
import type { Access } from '../../../domain/people/caller.ts';
import { present } from '../../../domain/present.ts';
import type { Decision, ReviewOrder } from '../../../flows/reviews/review-run.ts';
import { reviewBody } from '../../../wire/review.ts';
import { validate } from '../body/validate.ts';
import { deciderOf } from '../ops/ops-review.ts';

const SECTION = 'section.';

type FormOf = { readonly id: string; readonly note: WrittenNote | undefined; readonly access: Access };

/** Throws `invalidRequest`. Of an edit only the sections that were changed are passed on. */
export function orderOf(fields: ReadonlyMap<string, string>, { id, note, access }: FormOf): ReviewOrder {
  const kind = fields.get('decision');
  const hasReason = kind === 'reject' || kind === 'correct';
  const { decision, sections, reason, category, revision, takeOver } = validate(reviewBody, {
    decision: kind,
    revision: Number(fields.get('revision')),
    ...(kind === 'edit' && { sections: changedSections(fields, note) }),
    ...(hasReason && { reason: fields.get('reason'), category: fields.get('category') }),
    ...(fields.get('takeOver') === 'true' && { takeOver: true }),
  });
  return {
    id,
    access,
    decider: deciderOf(access.caller),
    decision: decisionOf(decision, { sections, reason, category }),
    revision,
    takesOver: takeOver === true,
  };
}

type DecisionFields = Pick<ReturnType<typeof reviewBody.parse>, 'sections' | 'reason' | 'category'>;

function decisionOf(kind: Decision['kind'], { sections = {}, reason = '', category }: DecisionFields): Decision {
  if (kind === 'approve') return { kind };
  if (kind === 'edit') return { kind, sections };
  if (kind === 'reject') return { kind, reason, ...present({ category }) };
  return { kind, instruction: reason, ...present({ category }) };
}

function changedSections(
  fields: ReadonlyMap<string, string>,
  note: WrittenNote | undefined,
): Readonly<Record<string, string>> {
  const shown = note?.note.sections ?? [];
  const changed = shown.flatMap(({ key, text }) => {
    const given = fields.get(SECTION + key);
    return given === undefined || sameLines(given, text) ? [] : [[key, given] as const];
  });
  if (changed.length === 0) {
    throw new AppError('invalidRequest', 'You changed nothing: approve the draft instead, or change a section.');
  }
  return Object.fromEntries(changed);
}

/** A form drops what a text area cannot hold: line ends of other kinds. */
function sameLines(one: string, other: string): boolean {
  return one === other.replace(/\r\n?/g, '\n');
}
