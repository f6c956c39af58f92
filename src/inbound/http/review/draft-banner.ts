// Whose draft it is, and of which visit: what a clinician compares with the chart before reading on.
import type { Encounter, Patient } from '@medplum/fhirtypes';
import { humanName } from '../../../domain/chart/human-name.ts';
import { cleanText } from '../../../domain/clean-text.ts';
import { spanOf } from '../../../domain/fhir-time.ts';
import type { Language } from '../../../domain/language.ts';
import { present } from '../../../domain/present.ts';
import type { SiteSettings } from '../../../domain/site/site.ts';

export type DraftBanner = {
  readonly name?: string;
  readonly birthDate?: string;
  readonly gender?: Patient['gender'];
  readonly mrn?: string;
  /** The reference of the patient, if it has no number. */
  readonly patient: string;
  readonly visitTime?: string;
  readonly place?: string;
};

type BannerParts = {
  readonly patient: Patient;
  readonly encounter: Encounter;
  readonly settings: Pick<SiteSettings, 'identifiers' | 'timeZone'>;
  readonly language: Language;
};

export function draftBanner({ patient, encounter, settings, language }: BannerParts): DraftBanner {
  const { timeZone, identifiers } = settings;
  return present({
    name: humanName(patient.name),
    birthDate: clean(patient.birthDate),
    gender: patient.gender,
    mrn: mrnOf(patient, identifiers.mrn),
    patient: `Patient/${patient.id ?? ''}`,
    visitTime: visitTime(encounter.period?.start, { timeZone, language }),
    place: placeOf(encounter),
  });
}

/** By the site's system; else the one that says it is a medical record number. */
function mrnOf({ identifier = [] }: Patient, system: string | undefined): string | undefined {
  const own = identifier.find((one) => system !== undefined && one.system === system);
  const typed = identifier.find(({ type }) => type?.coding?.some(({ code }) => code === 'MR'));
  return clean((own ?? typed)?.value);
}

function placeOf({ location = [], serviceProvider }: Encounter): string | undefined {
  const current = location.filter(({ status }) => status !== 'planned' && status !== 'reserved');
  const names = current.flatMap(({ location: { display } }) => clean(display) ?? []);
  return names.length > 0 ? names.join(', ') : clean(serviceProvider?.display);
}

/** In the time zone of the site, which it names. */
function visitTime(
  start: string | undefined,
  { timeZone, language }: { readonly timeZone: string; readonly language: Language },
): string | undefined {
  const fromMs = spanOf(start, timeZone)?.fromMs;
  return fromMs === undefined ? undefined : siteTime(new Date(fromMs), { timeZone, language });
}

export function siteTime(
  time: Date,
  { timeZone, language }: { readonly timeZone: string; readonly language: Language },
): string {
  const form = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const;
  return `${new Intl.DateTimeFormat(LOCALES[language], form).format(time)} (${timeZone})`;
}

/** The day before the month, as the month is a word. */
const LOCALES: Readonly<Record<Language, string>> = { en: 'en-GB', es: 'es', pt: 'pt' };

function clean(text: string | undefined): string | undefined {
  const cleaned = text === undefined ? '' : cleanText(text).replace(/\s+/g, ' ').trim();
  return cleaned === '' ? undefined : cleaned.slice(0, 200);
}
