// Finds in the chart of a visit what must not appear in it.
import type { Resource } from '@medplum/fhirtypes';
import type { SandboxPatient } from '../../src/sandbox/patients/sandbox-patient.ts';
import { flagTextIn, noteIn, writtenIn } from './chart-answer.ts';
import { factsIn } from './counted-facts.ts';
import { isSilent } from './score-talk.ts';
import { type Statement, statementsOf, wrongWords } from './statements.ts';
import type { AbsentCodes, VisitList } from './visit-lists.ts';

/** `what` is the statement, the code or the section in which it was found. */
export type Misread = {
  readonly kind: VisitList['absent'][number]['kind'] | 'not-discussed';
  readonly place: VisitList['absent'][number]['in'];
  readonly what: string;
  /** True of a mistake that the list names as one that the built-in rules still make. */
  readonly isKnown?: boolean;
};

/** In the order of the list. The same finding counts once, however often it is repeated. */
export function misreadFacts(
  { language, expected: { template } }: Pick<SandboxPatient, 'language' | 'expected'>,
  { discussed, absent, read, notYet }: VisitList,
  chart: readonly Resource[],
): readonly Misread[] {
  const answer = noteIn(chart, { template, language });
  const sections = answer.isMedical ? answer.note.sections : [];
  const flag = flagStatements(flagTextIn(chart), language);
  const places: Readonly<Record<'facts' | 'flag' | 'note', readonly Statement[]>> = {
    note: sections.flatMap(({ text }) => statementsOf(text)),
    flag,
    facts: [...factsIn(rationalesIn(chart), language), ...flag],
  };
  const codes = { candidates: candidateCodes(chart), conditions: conditionCodes(chart) };
  const wrong = [...absent, ...read].flatMap((entry): readonly Misread[] => {
    const found = 'codes' in entry ? wrongCodes(entry, codes[entry.in]) : wrongWords(entry, places[entry.in], language);
    return found.map((what) => ({ kind: entry.kind, place: entry.in, what }));
  });
  const silent = sections.filter(({ key, text }) => discussed.includes(key) && isSilent(text));
  const found = [
    ...eachOnce(wrong),
    ...silent.map(({ key }): Misread => ({ kind: 'not-discussed', place: 'note', what: key })),
  ];
  const known = new Set(notYet.map(({ what }) => what));
  return found.map((one) => (known.has(`${one.place}: ${one.what}`) ? { ...one, isKnown: true } : one));
}

function flagStatements(text: string, language: SandboxPatient['language']): readonly Statement[] {
  const facts = factsIn(text.split('\n'), language);
  return facts.length > 0 ? facts : statementsOf(text);
}

/** By the name of the finding; where it is quoted, with the quotation. */
function eachOnce(found: readonly Misread[]): readonly Misread[] {
  const named = new Map<string, Misread>();
  for (const one of found) {
    const name = one.what.replace(/ \([“«].*$/, '');
    const known = named.get(name);
    if (known === undefined || (known.what === name && one.what !== name)) named.set(name, one);
  }
  return [...named.values()];
}

function wrongCodes({ codes }: AbsentCodes, given: readonly string[]): readonly string[] {
  return given.filter((code) => codes === 'any' || codes.split('|').some((beginning) => code.startsWith(beginning)));
}

function rationalesIn(chart: readonly Resource[]): readonly string[] {
  return predictionsIn(chart).flatMap(({ rationale }) => rationale ?? []);
}

function candidateCodes(chart: readonly Resource[]): readonly string[] {
  return predictionsIn(chart).flatMap(({ outcome }) => outcome?.coding?.[0]?.code ?? []);
}

function predictionsIn(chart: readonly Resource[]) {
  return writtenIn(chart).flatMap((one) => (one.resourceType === 'RiskAssessment' ? (one.prediction ?? []) : []));
}

function conditionCodes(chart: readonly Resource[]): readonly string[] {
  return writtenIn(chart).flatMap((one) =>
    one.resourceType === 'Condition' ? (one.code?.coding?.[0]?.code ?? []) : [],
  );
}
