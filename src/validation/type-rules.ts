// Rules of single types that FHIR states only in its text, so that neither the general rules nor the invariants check them.
import type { Report } from './resource-problem.ts';

type Rule = (value: Readonly<Record<string, unknown>>, element: string, report: Report) => void;

const RULES: Readonly<Record<string, Rule>> = {
  RiskAssessmentPrediction({ probabilityDecimal: probability }, element, report) {
    if (typeof probability !== 'number' || (probability >= 0 && probability <= 100)) return;
    report.error(`${element}.probabilityDecimal`, 'must be a percentage, from 0 to 100');
  },

  Period({ start, end }, element, report) {
    if (typeof start !== 'string' || typeof end !== 'string' || !isAfter(start, end)) return;
    report.error(`${element}.end`, 'is before the start');
  },

  Attachment({ data, size }, element, report) {
    if (typeof data !== 'string' || typeof size !== 'number' || data.length % 4 !== 0) return;
    const padding = data.endsWith('==') ? 2 : Number(data.endsWith('='));
    if (size !== (data.length / 4) * 3 - padding) {
      report.error(`${element}.size`, 'must be the number of bytes of the data before base64');
    }
  },
};

export function checkType(
  type: string,
  value: Readonly<Record<string, unknown>>,
  place: { element: string; report: Report },
): void {
  if (Object.hasOwn(RULES, type)) RULES[type]?.(value, place.element, place.report);
}

/** Compares points in time if both are; else the part of the date that both have. */
function isAfter(start: string, end: string): boolean {
  if (start.includes('T') && end.includes('T')) return Date.parse(start) > Date.parse(end);
  const length = Math.min(start.length, end.length, 10);
  return start.slice(0, length) > end.slice(0, length);
}
