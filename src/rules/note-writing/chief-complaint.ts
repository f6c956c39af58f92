// Why the patient came: the first thing that was said of it.
import type { Statement } from './statement.ts';

const HEALTH = ['symptom', 'body', 'diagnosis'];
const MAX_STATEMENTS = 3;
/** Who does not say it at the beginning came for something else than what comes up later. */
const SOON = 4;

/** Empty where nobody said it. They stand in the history, too. */
export function chiefComplaint(statements: readonly Statement[]): readonly Statement[] {
  const told = statements.filter((one) => one.kind === 'complaint' || one.kind === 'history' || one.isComplaint);
  const first =
    told.find((one) => one.isComplaint && isOfHealth(one)) ??
    told.slice(0, SOON).find(isOfHealth) ??
    told.find((one) => one.isComplaint);
  if (first === undefined) return [];
  return told
    .filter((one) => one.exchange === first.exchange && one.speaker === first.speaker)
    .filter((one) => one === first || one.isComplaint || isOfHealth(one))
    .slice(0, MAX_STATEMENTS);
}

export function isOfHealth({ words }: Pick<Statement, 'words'>): boolean {
  return words.some(({ families }) => HEALTH.some((family) => families.has(family)));
}
