// The entries of a chart with which a note is compared: what step read-chart has read, in the words of the chart.
import type { Encounter, Patient, Resource } from '@medplum/fhirtypes';
import type { ChartEntry, ChartToCheck } from '../note/chart-to-check.ts';
import { present } from '../present.ts';
import { codesOf, memberOf, textOf } from '../raw-members.ts';
import type { ChartContext } from './chart-context.ts';
import { wordsOfFact } from './chart-lines.ts';
import { visitOf } from './visit.ts';

type Parts = Pick<ChartContext, 'chart' | 'omissions'> & {
  readonly encounter: Encounter;
  readonly patient: Patient;
  readonly timeZone: string;
  /** Used if the encounter has no start. */
  readonly now: Date;
};

/** Of allergies, or of all of the chart, as step read-chart words them. */
const OMITS_ALLERGIES = /allergies|of the chart/;

/** Results of earlier versions may have no lists: then only the person is compared. */
export function chartToCheck({ chart = {}, omissions = [], ...visit }: Parts): ChartToCheck {
  const { date, sex } = visitOf(visit);
  const allergies = chart.allergies && entriesOf(chart.allergies);
  // Who is known to have no allergy is another than who has one that was left out.
  const isUncertain = allergies?.length === 0 && omissions.some((omission) => OMITS_ALLERGIES.test(omission));
  return present({
    allergies: isUncertain ? undefined : allergies,
    drugs: chart.medications && entriesOf(chart.medications),
    problems: chart.conditions && entriesOf(chart.conditions),
    sex,
    birthDate: textOf(visit.patient, 'birthDate'),
    date,
  });
}

function entriesOf(resources: readonly Resource[]): readonly ChartEntry[] {
  return resources.filter(isCurrent).flatMap((resource) => {
    const text = wordsOfFact(resource);
    return text === undefined ? [] : [{ text, reference: `${resource.resourceType}/${resource.id}` }];
  });
}

const NOT_CURRENT = new Set(['inactive', 'resolved', 'remission']);
const NOT_CERTAIN = new Set(['refuted', 'entered-in-error', 'provisional', 'differential']);

/** Neither over, nor refuted or only suspected, nor a drug that must not be given. */
function isCurrent(resource: Resource): boolean {
  if (memberOf(resource, 'doNotPerform') === true) return false;
  const status = textOf(resource, 'status');
  if (status !== undefined && status !== 'active') return false;
  return (
    !codesOf(memberOf(resource, 'clinicalStatus')).some((code) => NOT_CURRENT.has(code)) &&
    !codesOf(memberOf(resource, 'verificationStatus')).some((code) => NOT_CERTAIN.has(code))
  );
}
