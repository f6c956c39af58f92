// Reads a reasoner's answer for an encounter back from the chart alone: the note, the differential, the triage.
import type { CompositionSection, Resource, RiskAssessment } from '@medplum/fhirtypes';
import type { Diagnosis } from '../../src/domain/diagnosis/diagnosis.ts';
import type { Language } from '../../src/domain/language.ts';
import { chooseTemplate, type TemplateName } from '../../src/domain/note/template.ts';
import type { NoteAnswer } from '../../src/ports/reasoner.ts';

/** As the engine names what it makes. */
const IDENTITIES = 'urn:chartwright:sandbox';

/** Of a chart, what the engine wrote. */
export function writtenIn(chart: readonly Resource[]): readonly Resource[] {
  return chart.filter((resource) => {
    const { identifier, meta } = resource as { readonly identifier?: unknown } & Pick<Resource, 'meta'>;
    return [identifier, meta?.tag].flat().some((one) => isNamed(one));
  });
}

function isNamed(one: unknown): boolean {
  return typeof one === 'object' && one !== null && 'system' in one && one.system === IDENTITIES;
}

/** Without a note, nothing medical was found. Sections are known by their titles and returned without the notice. */
export function noteIn(
  chart: readonly Resource[],
  { template, language }: { readonly template: TemplateName; readonly language: Language },
): NoteAnswer {
  const composition = writtenIn(chart).find((resource) => resource.resourceType === 'Composition');
  if (composition === undefined) return { isMedical: false };
  const keys = new Map(chooseTemplate({ template, language }).sections.map(({ key, title }) => [title, key]));
  const sections = flatten(composition.section).flatMap(({ title = '', text }) =>
    text === undefined ? [] : [{ key: keys.get(title) ?? title, title, text: wordsOf(text.div) }],
  );
  return { isMedical: true, note: { title: composition.title, sections } };
}

/** No RiskAssessment: no disease. No Flag: WHITE, for which nothing is ever written. */
export function diagnosisIn(chart: readonly Resource[]): Diagnosis {
  const written = writtenIn(chart);
  const assessment = written.find((resource) => resource.resourceType === 'RiskAssessment');
  const isRed = written.some(
    (resource) =>
      resource.resourceType === 'Flag' &&
      resource.status === 'active' &&
      resource.code.coding?.some(({ code }) => code === 'RED'),
  );
  return {
    diagnosis: { diseases: (assessment?.prediction ?? []).map(toDisease) },
    triage: { triage_level: isRed ? 'RED' : 'WHITE', triage_justification: '', triage_recommendation: '' },
  };
}

/** Why the triage flag is there and what to do, without the notice and its title; empty without a Flag. */
export function flagTextIn(chart: readonly Resource[]): string {
  const flag = writtenIn(chart).find((resource) => resource.resourceType === 'Flag');
  if (flag?.resourceType !== 'Flag' || flag.text === undefined) return '';
  return wordsOf(flag.text.div)
    .split('\n')
    .filter((line) => line !== flag.code.text)
    .join('\n');
}

type Prediction = NonNullable<RiskAssessment['prediction']>[number];

function toDisease({
  outcome,
  probabilityDecimal = 0,
  rationale = '',
}: Prediction): Diagnosis['diagnosis']['diseases'][number] {
  return {
    name: outcome?.text ?? '',
    icd10_code: outcome?.coding?.[0]?.code ?? '',
    probability: probabilityDecimal / 100,
    why: rationale,
    diagnostic_tests: [],
    standard_care: [],
    category: 'expanded',
  };
}

function flatten(sections: readonly CompositionSection[] = []): readonly CompositionSection[] {
  return sections.flatMap((section) => [section, ...flatten(section.section)]);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", apos: "'" };

/** Without the first paragraph, which is the notice. */
function wordsOf(div: string): string {
  const [, ...paragraphs] = div.split('</p>').map((part) => part.replace(/<br\/?>/g, '\n').replace(/<[^>]*>/g, ''));
  return paragraphs
    .join('\n')
    .replace(/&(#?\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .trim();
}
