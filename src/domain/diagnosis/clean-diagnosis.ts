// Takes out of a diagnosis what no chart and no reader may be given: links outside of the allowed sources, dosages that cannot be meant,
// markup, and addresses that are not in the history.
import { addRemoved, type IsSaid, NOTHING_REMOVED, type Removed, removeMarkup } from '../text/plain-text.ts';
import type { IsAllowedSource } from './allowed-source.ts';
import type { Diagnosis, PartialDiagnosis } from './diagnosis.ts';
import { isPlausibleDosage } from './dosage.ts';

/** `links`: of sources, and addresses within texts. */
export type RemovedFromDiagnosis = { readonly links: number; readonly dosages: number; readonly markup: number };

export function hasRemovedAny({ links, dosages, markup }: RemovedFromDiagnosis): boolean {
  return links + dosages + markup > 0;
}

type CleanParts<T> = {
  readonly diagnosis: T;
  readonly isAllowedSource: IsAllowedSource;
  readonly isSaid?: IsSaid;
  readonly isPlausible?: IsPlausible;
};

type IsPlausible = (dosage: string) => boolean;

/** For the many states of one diagnosis: each dosage is read once. */
export function makeIsPlausible(): IsPlausible {
  const judged = new Map<string, boolean>();
  return (dosage) => {
    const verdict = judged.get(dosage) ?? isPlausibleDosage(dosage);
    judged.set(dosage, verdict);
    return verdict;
  };
}

/** A dosage that cannot be meant becomes empty. A second call changes nothing. */
export function cleanDiagnosis(parts: CleanParts<Diagnosis>): {
  readonly diagnosis: Diagnosis;
  readonly removed: RemovedFromDiagnosis;
} {
  const { diagnosis, removed } = cleanPartialDiagnosis(parts);
  // A final diagnosis has every field, and cleaning leaves out none but a link.
  return { diagnosis: diagnosis as Diagnosis, removed };
}

/** The same for a diagnosis that is still arriving. */
export function cleanPartialDiagnosis({
  diagnosis: whole,
  isAllowedSource,
  isSaid = () => false,
  isPlausible = isPlausibleDosage,
}: CleanParts<PartialDiagnosis>): {
  readonly diagnosis: PartialDiagnosis;
  readonly removed: RemovedFromDiagnosis;
} {
  const count = { links: 0, dosages: 0 };
  let texts: Removed = NOTHING_REMOVED;
  const clean = (before: string): string => {
    const { text, removed } = removeMarkup(before, isSaid);
    texts = addRemoved(texts, removed);
    return text;
  };
  const cleanCare = ({ url, ...care }: Care): Care => {
    const isLeftOut = url !== undefined && !isAllowedSource(url);
    if (isLeftOut) count.links += 1;
    return { ...cleanMembers(care, clean), ...(url !== undefined && !isLeftOut && { url }) };
  };
  const cleanDrug = (before: PartialDrug): PartialDrug => {
    const drug = cleanMembers(before, clean);
    if (drug.dosage === undefined || isPlausible(drug.dosage)) return drug;
    count.dosages += 1;
    return { ...drug, dosage: '' };
  };
  const cleanDisease = (disease: PartialDisease): PartialDisease => ({
    ...cleanMembers(disease, clean, ['icd10_code', 'category']),
    ...(disease.diagnostic_tests && { diagnostic_tests: disease.diagnostic_tests.map(clean).filter(hasWords) }),
    ...(disease.standard_care && {
      standard_care: disease.standard_care.map(cleanCare).filter(({ name }) => name === undefined || hasWords(name)),
    }),
    ...(disease.drugs && { drugs: disease.drugs.map(cleanDrug) }),
  });
  const { diagnosis, triage } = whole;
  const cleaned: PartialDiagnosis = {
    ...whole,
    ...(diagnosis && {
      diagnosis: {
        ...diagnosis,
        ...(diagnosis.diseases && { diseases: diagnosis.diseases.map(cleanDisease).filter(hasName) }),
      },
    }),
    ...(triage && { triage: cleanMembers(triage, clean, ['triage_level']) }),
  };
  return {
    diagnosis: cleaned,
    removed: { links: count.links + texts.addresses, dosages: count.dosages, markup: texts.markup },
  };
}

type PartialDisease = NonNullable<NonNullable<PartialDiagnosis['diagnosis']>['diseases']>[number];
type Care = NonNullable<PartialDisease['standard_care']>[number];
type PartialDrug = NonNullable<PartialDisease['drugs']>[number];

/** Cleans the members that are texts. */
function cleanMembers<T extends object>(value: T, clean: (text: string) => string, except: readonly string[] = []): T {
  const cleaned = { ...value } as Record<string, unknown>;
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === 'string' && !except.includes(key)) cleaned[key] = clean(member);
  }
  return cleaned as T;
}

function hasWords(text: string): boolean {
  return text.trim() !== '';
}

/** A candidate whose name was nothing but markup is none. */
function hasName({ name }: PartialDisease): boolean {
  return name === undefined || hasWords(name);
}
