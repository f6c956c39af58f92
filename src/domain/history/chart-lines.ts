// Writes one line per fact: what a resource of the chart says for a diagnosis, followed by its reference. A resource without content gives
// undefined.

import { codesOf, listOf, memberOf, textOf } from '../raw-members.ts';
import { conceptPhrase, datePhrase, isDefined, momentPhrase, phraseOf, quantityPhrase } from './chart-text.ts';

const CONCLUSION_LENGTH = 500;
/** Limits lists inside one resource: a blood pressure has two components, a blood count a dozen. */
const MAX_PARTS = 15;

/** `- Condition: Asthma, since 2019 [Condition/3]` */
export function factLine(label: string, parts: readonly (string | undefined)[], reference: string): string {
  return `- ${label}: ${parts.filter(isDefined).join(', ')} [${reference}]`;
}

export function lineOf(resource: unknown, reference: string): string | undefined {
  const fact = factOf(resource);
  return fact && factLine(fact.label, fact.parts, reference);
}

/** The same without label and source: `Asthma, since 2019`. */
export function wordsOfFact(resource: unknown): string | undefined {
  return factOf(resource)?.parts.filter(isDefined).join(', ');
}

type Fact = { readonly label: string; readonly parts: readonly (string | undefined)[] };

function factOf(resource: unknown): Fact | undefined {
  switch (textOf(resource, 'resourceType')) {
    case 'Condition':
      return conditionFact(resource);
    case 'MedicationRequest':
    case 'MedicationStatement':
      return medicationFact(resource);
    case 'AllergyIntolerance':
      return allergyFact(resource);
    case 'Observation':
      return observationFact(resource);
    case 'DiagnosticReport':
      return reportFact(resource);
    default:
      return undefined;
  }
}

/** Verification statuses that are written; a confirmed fact needs none. */
const UNSURE = new Set(['unconfirmed', 'provisional', 'differential', 'presumed']);

function unsurePhrase(resource: unknown): string | undefined {
  return codesOf(memberOf(resource, 'verificationStatus')).find((code) => UNSURE.has(code));
}

function conditionFact(resource: unknown): Fact | undefined {
  const name = conceptPhrase(memberOf(resource, 'code'));
  if (name === undefined) return undefined;
  const severity = conceptPhrase(memberOf(resource, 'severity'), 40);
  return { label: 'Condition', parts: [name, severity, sincePhrase(resource), unsurePhrase(resource)] };
}

function sincePhrase(resource: unknown): string | undefined {
  const start = memberOf(resource, 'onsetDateTime') ?? memberOf(memberOf(resource, 'onsetPeriod'), 'start');
  const since = datePhrase(start) ?? phraseOf(memberOf(resource, 'onsetString'), 60);
  if (since !== undefined) return `since ${since}`;
  const age = quantityPhrase(memberOf(resource, 'onsetAge'));
  if (age !== undefined) return `since the age of ${age}`;
  const recorded = datePhrase(memberOf(resource, 'recordedDate'));
  return recorded === undefined ? undefined : `recorded ${recorded}`;
}

function medicationFact(resource: unknown): Fact | undefined {
  const name = medicationName(resource);
  if (name === undefined) return undefined;
  // doNotPerform is a modifier: without it the line would say the opposite.
  const label = memberOf(resource, 'doNotPerform') === true ? 'Medication that must not be given' : 'Medication';
  const doses = [...listOf(resource, 'dosageInstruction'), ...listOf(resource, 'dosage')].slice(0, MAX_PARTS);
  const dose = doses.map(dosePhrase).filter(isDefined).slice(0, 3).join('; ');
  const start = memberOf(resource, 'effectiveDateTime') ?? memberOf(memberOf(resource, 'effectivePeriod'), 'start');
  const since = datePhrase(start ?? memberOf(resource, 'authoredOn'));
  const parts = [name, dose === '' ? undefined : dose, since === undefined ? undefined : `since ${since}`];
  return { label, parts };
}

function medicationName(resource: unknown): string | undefined {
  const concept = conceptPhrase(memberOf(resource, 'medicationCodeableConcept'));
  if (concept !== undefined) return concept;
  const link = memberOf(resource, 'medicationReference');
  const target = textOf(link, 'reference');
  const contained = listOf(resource, 'contained').find((one) => `#${textOf(one, 'id')}` === target);
  return conceptPhrase(memberOf(contained, 'code')) ?? phraseOf(memberOf(link, 'display'));
}

function dosePhrase(dosage: unknown): string | undefined {
  const text = phraseOf(memberOf(dosage, 'text')) ?? phraseOf(memberOf(dosage, 'patientInstruction'));
  if (text !== undefined) return text;
  const [rate] = listOf(dosage, 'doseAndRate');
  const dose = quantityPhrase(memberOf(rate, 'doseQuantity'));
  const timing = memberOf(dosage, 'timing');
  const often = conceptPhrase(memberOf(timing, 'code'), 60) ?? repeatPhrase(memberOf(timing, 'repeat'));
  const route = conceptPhrase(memberOf(dosage, 'route'), 40);
  const asNeeded = memberOf(dosage, 'asNeededBoolean') === true ? 'as needed' : undefined;
  const parts = [dose, often, route, asNeeded].filter(isDefined);
  return parts.length === 0 ? undefined : parts.join(' ');
}

/** `2 times every 1 d`, with UCUM units. */
function repeatPhrase(repeat: unknown): string | undefined {
  const [frequency, period] = [memberOf(repeat, 'frequency'), memberOf(repeat, 'period')];
  const unit = textOf(repeat, 'periodUnit');
  if (typeof frequency !== 'number' || typeof period !== 'number' || unit === undefined) return undefined;
  return /^(s|min|h|d|wk|mo|a)$/.test(unit) ? `${frequency} times every ${period} ${unit}` : undefined;
}

function allergyFact(resource: unknown): Fact | undefined {
  const name = conceptPhrase(memberOf(resource, 'code'));
  if (name === undefined) return undefined;
  const label = textOf(resource, 'type') === 'intolerance' ? 'Intolerance' : 'Allergy';
  const reactions = listOf(resource, 'reaction').slice(0, MAX_PARTS).map(reactionPhrase).filter(isDefined);
  const criticality = textOf(resource, 'criticality') === 'high' ? 'high criticality' : undefined;
  const unsure = unsurePhrase(resource);
  return { label, parts: [name, ...reactions.slice(0, 3), criticality, unsure] };
}

function reactionPhrase(reaction: unknown): string | undefined {
  const signs = listOf(reaction, 'manifestation')
    .slice(0, MAX_PARTS)
    .map((sign) => conceptPhrase(sign, 80));
  const known = signs.filter(isDefined).slice(0, 5);
  const said = known.length > 0 ? known.join(' and ') : phraseOf(memberOf(reaction, 'description'), 80);
  if (said === undefined) return undefined;
  const severity = textOf(reaction, 'severity');
  const isKnown = severity === 'mild' || severity === 'moderate' || severity === 'severe';
  return `reaction: ${said}${isKnown ? ` (${severity})` : ''}`;
}

const CATEGORY_LABELS: ReadonlyMap<string, string> = new Map([
  ['vital-signs', 'Vital sign'],
  ['laboratory', 'Laboratory'],
]);
const OBSERVATION_CATEGORIES = new Set([
  'http://terminology.hl7.org/CodeSystem/observation-category',
  'http://hl7.org/fhir/observation-category',
]);

/** The known categories of an Observation. */
export function observationCategories(resource: unknown): readonly string[] {
  return listOf(resource, 'category').flatMap((category) => codesOf(category, OBSERVATION_CATEGORIES));
}

function observationFact(resource: unknown): Fact | undefined {
  const name = conceptPhrase(memberOf(resource, 'code'), 100);
  const components = listOf(resource, 'component').slice(0, MAX_PARTS).map(componentPhrase).filter(isDefined);
  const values = [valuePhrase(resource), ...components].filter(isDefined);
  if (name === undefined || values.length === 0) return undefined;
  const category = observationCategories(resource)
    .map((code) => CATEGORY_LABELS.get(code))
    .find(isDefined);
  const label = category ?? 'Observation';
  const [interpretation] = listOf(resource, 'interpretation').map((concept) => conceptPhrase(concept, 40));
  const judged = interpretation === undefined ? '' : ` (${interpretation})`;
  const said = `${name} ${values.join(', ')}${judged}`;
  return { label, parts: [said, momentPhrase(momentOf(resource))] };
}

/** The time of an Observation or a report. */
export function momentOf(resource: unknown): unknown {
  const period = memberOf(resource, 'effectivePeriod');
  return (
    memberOf(resource, 'effectiveDateTime') ??
    memberOf(resource, 'effectiveInstant') ??
    memberOf(period, 'end') ??
    memberOf(period, 'start') ??
    memberOf(resource, 'issued')
  );
}

function componentPhrase(component: unknown): string | undefined {
  const [name, value] = [conceptPhrase(memberOf(component, 'code'), 80), valuePhrase(component)];
  return name === undefined || value === undefined ? undefined : `${name} ${value}`;
}

function valuePhrase(holder: unknown): string | undefined {
  const quantity = quantityPhrase(memberOf(holder, 'valueQuantity'));
  const said = quantity ?? conceptPhrase(memberOf(holder, 'valueCodeableConcept'), 120);
  if (said !== undefined) return said;
  const [flag, count] = [memberOf(holder, 'valueBoolean'), memberOf(holder, 'valueInteger')];
  if (typeof flag === 'boolean') return flag ? 'yes' : 'no';
  if (typeof count === 'number' && Number.isFinite(count)) return String(count);
  const range = memberOf(holder, 'valueRange');
  const [low, high] = [quantityPhrase(memberOf(range, 'low')), quantityPhrase(memberOf(range, 'high'))];
  if (low !== undefined || high !== undefined) return `${low ?? 'up'} to ${high ?? 'more'}`;
  return phraseOf(memberOf(holder, 'valueString')) ?? momentPhrase(memberOf(holder, 'valueDateTime'));
}

function reportFact(resource: unknown): Fact | undefined {
  const name = conceptPhrase(memberOf(resource, 'code'), 100);
  const codes = listOf(resource, 'conclusionCode')
    .slice(0, MAX_PARTS)
    .map((code) => conceptPhrase(code, 80));
  const coded = codes.filter(isDefined).slice(0, 5).join('; ');
  const conclusion =
    phraseOf(memberOf(resource, 'conclusion'), CONCLUSION_LENGTH) ?? (coded === '' ? undefined : coded);
  if (name === undefined && conclusion === undefined) return undefined;
  const parts = [
    name,
    datePhrase(momentOf(resource)),
    conclusion === undefined ? 'no conclusion' : `conclusion: ${conclusion}`,
  ];
  return { label: 'Report', parts };
}
