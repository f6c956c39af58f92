// Finds why the patient came: the first statement of a complaint.
import type { Statement } from './statement.ts';

const HEALTH = ['symptom', 'body', 'diagnosis'];
const MAX_STATEMENTS = 3;
/** A statement counts as the reason for the visit only if it is among the first ones. */
const SOON = 4;

/** Returns no statement if none gives the reason. The returned ones stay in the history, too. */
export function chiefComplaint(statements: readonly Statement[]): readonly Statement[] {
  const reported = statements.filter((one) => one.kind === 'complaint' || one.kind === 'history' || one.isComplaint);
  const first =
    reported.find((one) => one.isComplaint && isOfHealth(one)) ??
    reported.slice(0, SOON).find((one) => isOfHealth(one) || isConfirmed(one)) ??
    reported.find((one) => one.isComplaint);
  if (first === undefined) return [];
  return reported
    .filter((one) => one.exchange === first.exchange && one.speaker === first.speaker)
    .filter((one) => one === first || one.isComplaint || isOfHealth(one))
    .slice(0, MAX_STATEMENTS);
}

export function isOfHealth({ words }: Pick<Statement, 'words'>): boolean {
  return words.some(({ families }) => HEALTH.some((family) => families.has(family)));
}

/** `You came in because you were short of breath, isn't it?` `Yes.` */
function isConfirmed({ question, words }: Statement): boolean {
  return question !== undefined && isOfHealth(question) && !words.some(({ families }) => families.has('denial'));
}
