// The lines of a prompt about today, the visit and the patient. They are data: the version of the prompts does not depend on them.
import type { Visit } from '../../domain/history/visit.ts';

export function visitLines({ date, age, sex }: Visit = {}, now: Date): readonly string[] {
  const today = now.toISOString().slice(0, 'YYYY-MM-DD'.length);
  const known = [age, sex].filter((fact) => fact !== undefined);
  return [
    `Today's date: ${today}.${date === undefined ? '' : ` Date of the visit: ${date}.`}`,
    known.length === 0
      ? 'Age and sex of the patient: not known, unless the data says them.'
      : `The patient by the chart: ${known.join(', ')}.`,
  ];
}
