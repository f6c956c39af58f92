// Sex, age and date of birth of a statement against the chart.
import { cuesOf } from '../../../../clinical-text/cues/cues.ts';
import type { Language } from '../../../language.ts';
import { memberAt } from '../relatives.ts';
import type { ChartFacts } from './chart-facts.ts';
import type { ChartFinding, ReadStatement } from './stated-in-note.ts';

const MALE_ONLY =
  /\b(?:prostat|turp|rtu de prostata|testic|testis|vasectom|orchi|orqui|penis\b|scrot|escrot|circumcis|psa\b)/;
const FEMALE_ONLY =
  /\b(?:hysterectom|histerectom|uter(?:us|ine|o|ino|ina)\b|pregnan|embaraz|gravid|gestante|gestacao|gestacion|menopaus|menarch|menarq|lmp\b|fum\b|dum\b|menstru|cervical smear|papanicol|ovar|vagina|cesar|caesar|gravida|puerper|lactancia|breastfe)/;
/** Of a small child the pregnancy and the birth are its mother's. */
const OF_MOTHER = /\b(?:pregnan|embaraz|gravid|gestac|gestante|cesar|caesar|vagina|puerper|lactancia|breastfe)/;
const GROWN_YEARS = 11;
const MALE: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:male|man|gentleman|\d{1,3} ?m)\b/,
  es: /\b(?:masculino|varon|hombre)\b/,
  pt: /\b(?:masculino|homem)\b/,
};
const FEMALE: Readonly<Record<Language, RegExp>> = {
  en: /\b(?:female|woman|lady|\d{1,3} ?f)\b/,
  es: /\b(?:femenin[oa]|mujer)\b/,
  pt: /\b(?:feminin[oa]|mulher)\b/,
};
const AGES: Readonly<Record<Language, readonly RegExp[]>> = {
  en: [
    /\b(\d{1,3})[ -]?(?:year|yr)s?[ -]?old\b/,
    /\b(\d{1,3}) ?(?:yo|y\/o)\b/,
    /(?:^|\b(?:patient|pt|man|woman|male|female|boy|girl|lady|gentleman),? )(?:aged|age)[: ]+(\d{1,3})\b(?! (?:month|week|day))/,
  ],
  es: [
    /\b(?:paciente|varon|hombre|mujer|masculino|femenin[oa]|nin[oa]|edad)(?: de)?[:, ]+(\d{1,3}) anos\b/,
    /\b(\d{1,3}) anos de edad\b/,
    /^(?:refiere |dice |tiene )?(\d{1,3}) anos(?=[.,;]|$)/,
    /, (\d{1,3}) anos\.?$/,
  ],
  pt: [
    /\b(?:paciente|homem|mulher|masculino|feminin[oa]|menin[oa]|idade)(?: de)?[:, ]+(\d{1,3}) anos\b/,
    /\b(\d{1,3}) anos de idade\b/,
    /^(?:refere |diz |tem )?(\d{1,3}) anos(?=[.,;]|$)/,
    /, (\d{1,3}) anos\.?$/,
  ],
};
const BIRTH =
  /\b(?:dob|d\.o\.b|date of birth|born|fn|f\. ?nac|fecha de nacimiento|nacid[oa]|dn|data de nascimento|nascid[oa]|nasc)\b/;

export function personFindings(statement: ReadStatement, { chart }: ChartFacts): readonly ChartFinding[] {
  const { tokens, language } = statement;
  const cues = cuesOf(language);
  if (tokens.some((_, index) => memberAt(tokens, index, cues) !== undefined)) return [];
  return [...sexFindings(statement, chart), ...ageFindings(statement, chart), ...birthFindings(statement, chart)];
}

type Chart = ChartFacts['chart'];

function sexFindings(statement: ReadStatement, chart: Chart): readonly ChartFinding[] {
  const { sex } = chart;
  if (sex === undefined) return [];
  const { folded, language } = statement;
  const source = { list: 'sex', text: sex } as const;
  const [own, other] = sex === 'male' ? [MALE, FEMALE] : [FEMALE, MALE];
  const named = placeOf(statement, other[language]);
  // `Male partner`, `seen by a female doctor`: both words may stand in one statement.
  if (named !== undefined && !own[language].test(folded)) {
    return [{ kind: 'history', ...named, isConflict: true, source }];
  }
  const organs = placeOf(statement, sex === 'male' ? FEMALE_ONLY : MALE_ONLY);
  if (organs === undefined || isDeniedAt(statement, organs)) return [];
  const age = ageAt(chart);
  if (OF_MOTHER.test(folded) && (age === undefined || age.years < GROWN_YEARS)) return [];
  return [{ kind: 'history', ...organs, isConflict: true, source }];
}

function isDeniedAt({ polarity }: ReadStatement, span: { readonly first: number; readonly end: number }): boolean {
  return polarity.findDenied([span])[0] === true;
}

/** The tokens of what the pattern finds. */
function placeOf({ folded, text, tokens }: ReadStatement, pattern: RegExp) {
  const found = pattern.exec(folded);
  if (found === null) return undefined;
  // Folding may have changed the length: then the whole statement is meant.
  if (folded.length !== text.length) return { first: 0, end: tokens.length };
  const [from, to] = [found.index, found.index + found[0].length];
  const first = tokens.findIndex((token) => token.to > from);
  const end = tokens.findLastIndex((token) => token.from < to) + 1;
  return first < 0 || end <= first ? undefined : { first, end };
}

function ageFindings(statement: ReadStatement, chart: Chart): readonly ChartFinding[] {
  const age = ageAt(chart);
  if (age === undefined) return [];
  for (const pattern of AGES[statement.language]) {
    const place = placeOf(statement, pattern);
    const years = Number(pattern.exec(statement.folded)?.[1]);
    if (place === undefined) continue;
    const isConflict = Math.abs(years - age.years) > (age.isExact ? 0 : 1);
    const source = { list: 'birthDate', text: chart.birthDate ?? '' } as const;
    return [{ kind: 'number', ...place, isConflict, source }];
  }
  return [];
}

function ageAt({ birthDate, date }: Chart): { readonly years: number; readonly isExact: boolean } | undefined {
  const [born, visit] = [partsOf(birthDate), partsOf(date)];
  if (born === undefined || visit === undefined) return undefined;
  const isExact = born.day !== undefined && visit.day !== undefined;
  const isBefore = (visit.month ?? 0) * 100 + (visit.day ?? 0) < (born.month ?? 0) * 100 + (born.day ?? 0);
  return { years: visit.year - born.year - (isExact && isBefore ? 1 : 0), isExact };
}

function partsOf(date: string | undefined) {
  const match = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?/.exec(date ?? '');
  if (match === null) return undefined;
  const [year = 0, month, day] = match.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
  return { year, month, day };
}

function birthFindings(statement: ReadStatement, chart: Chart): readonly ChartFinding[] {
  const born = partsOf(chart.birthDate);
  if (born === undefined || !BIRTH.test(statement.folded)) return [];
  const [date] = statement.dates.filter(({ year, month }) => year !== undefined && month !== undefined);
  if (date === undefined) return [];
  const isTurned = date.isEitherWay && date.day === born.month && date.month === born.day;
  const isSame = (stated: number | undefined, own: number | undefined) =>
    stated === undefined || own === undefined || stated === own;
  const isConflict =
    date.year !== born.year || !(isTurned || (isSame(date.month, born.month) && isSame(date.day, born.day)));
  const source = { list: 'birthDate', text: chart.birthDate ?? '' } as const;
  return [{ kind: 'date', first: date.first, end: date.end, isConflict, source }];
}
