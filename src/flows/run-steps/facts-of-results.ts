// Turns the results of the steps into the facts that documents are made of. The same results give the same facts.
import { type AnsweringModel, describeAnsweringModel } from '../../domain/answering-model.ts';
import type { ChartFacts } from '../../domain/chart/chart.ts';
import { asConfidentiality, higherOf, highestConfidentiality } from '../../domain/chart/confidentiality.ts';
import type { RunFacts } from '../../domain/chart/run-facts.ts';
import type { OfficialCodes } from '../../domain/coding/official-codes.ts';
import type { WrittenNote } from '../../domain/note/note.ts';
import { present } from '../../domain/present.ts';
import { uploadIdOf } from '../../domain/recording/upload-reference.ts';
import type { Run } from '../../domain/run/run.ts';
import { requireResult, type StepResults, templateOf } from '../../domain/run/step-results.ts';
import { isSignedWithoutReview } from '../../domain/site/signed-without-review.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import type { LoadedSite } from '../../ports/sites.ts';

type FactsParts = {
  readonly run: Run;
  readonly site: LoadedSite;
  readonly results: Partial<StepResults>;
  readonly engine: RunFacts['engine'];
  readonly officialCodes: OfficialCodes | undefined;
  /** An instant; signing without a review is allowed only in a period. */
  readonly now: string;
};

export function factsOfResults(parts: FactsParts): ChartFacts {
  const { run, results } = parts;
  const read = requireResult(results, 'read-chart');
  const written = requireResult(results, 'write-note');
  const { transcript, recordings } = requireResult(results, 'transcribe');
  const template = templateOf(results);
  const confidentiality = confidentialityOf(results);
  const { diagnose } = results;
  const { revision: _, ...review } = run.review ?? { revision: 0 };
  return {
    language: written.language,
    ...(template.noteType !== undefined && { noteType: template.noteType }),
    template: template.name,
    note: results.check?.note ?? written.note,
    ...evidenceOf(written.note, results),
    ...(diagnose && { diagnosis: diagnose.diagnosis }),
    ...(parts.officialCodes && { officialCodes: parts.officialCodes }),
    transcript,
    recordings: recordings.map(({ reference, type, ...times }) => ({
      ...times,
      contentType: type,
      ...(uploadIdOf(reference) === undefined && { reference }),
    })),
    encounter: read.encounter,
    patient: read.patient,
    ...(read.practitioner && { practitioner: read.practitioner }),
    chart: read.chart,
    session: { key: run.session ?? '' },
    run: runFacts(parts),
    ...(run.review !== undefined && { review: review as NonNullable<ChartFacts['review']> }),
    ...(confidentiality !== undefined && { confidentiality }),
  };
}

/** The check has read the note as it was written. Edits, of which there may be several, are in its result. */
function evidenceOf(written: WrittenNote, { check }: Partial<StepResults>): Pick<ChartFacts, 'evidence'> {
  const { evidence, missing = [] } = check?.report ?? {};
  return evidence === undefined ? {} : { evidence: { checked: written.note, statements: evidence, missing } };
}

function runFacts({ run, site, results, engine, now }: FactsParts): RunFacts {
  const written = requireResult(results, 'write-note');
  const { speech } = requireResult(results, 'transcribe');
  const { diagnose } = results;
  const { prompt } = run.versions;
  return {
    id: run.id,
    time: diagnose?.madeAt ?? written.madeAt,
    status: statusOf(run, { settings: site.settings, now, isTranscriptOnly: written.isTranscriptOnly === true }),
    engine,
    model: modelOf(written.model),
    ...present({ answeredBy: answeringModels([written.answeredBy, diagnose?.answeredBy]) }),
    speech: nameAndVersion(speech),
    ...(prompt !== undefined && { prompt }),
    mapping: site.version,
  };
}

/** Undefined if no vendor has said which model answered. */
function answeringModels(answered: readonly (AnsweringModel | undefined)[]): readonly AnsweringModel[] | undefined {
  const byName = new Map(
    answered.flatMap((one) => (one === undefined ? [] : [[describeAnsweringModel(one), one] as const])),
  );
  return byName.size === 0 ? undefined : [...byName.values()];
}

type Circumstances = { readonly settings: SiteSettings; readonly now: string; readonly isTranscriptOnly: boolean };

/** Final after the approval of a clinician, or if the site signs notes without a review. */
function statusOf(run: Run, { settings, now, isTranscriptOnly }: Circumstances): RunFacts['status'] {
  const isSigned = run.review !== undefined || (isSignedWithoutReview(settings, new Date(now)) && !isTranscriptOnly);
  return isSigned ? 'final' : 'preliminary';
}

/** `openai:gpt-5.4@2026-05`: manufacturer, name and version. */
function modelOf(engine: string): RunFacts['model'] {
  const colon = engine.indexOf(':');
  const [manufacturer, rest] = colon < 0 ? [undefined, engine] : [engine.slice(0, colon), engine.slice(colon + 1)];
  const kind = manufacturer === 'builtin' ? 'rules' : 'model';
  return { ...nameAndVersion(rest), kind, ...(manufacturer !== undefined && { manufacturer }) };
}

function nameAndVersion(text: string): { readonly name: string; readonly version?: string } {
  const at = text.lastIndexOf('@');
  return at <= 0 ? { name: text } : { name: text.slice(0, at), version: text.slice(at + 1) };
}

function confidentialityOf(results: Partial<StepResults>): string | undefined {
  const { encounter, patient, confidentiality } = requireResult(results, 'read-chart');
  const ofPeople = higherOf(asConfidentiality(confidentiality), highestConfidentiality([encounter, patient]));
  return higherOf(ofPeople, asConfidentiality(results['fetch-recording']?.confidentiality));
}
