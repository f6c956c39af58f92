// What the steps found, as the facts that documents are made of. The same results give the same facts.
import type { ChartFacts, RunFacts } from '../../domain/chart/chart.ts';
import { asConfidentiality, higherOf, highestConfidentiality } from '../../domain/chart/confidentiality.ts';
import type { Run, StepResults } from '../../domain/run/run.ts';
import { needsNoReview } from '../../domain/site/signed-without-review.ts';
import type { SiteSettings } from '../../domain/site/site.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { templateOf } from './reason-steps.ts';
import { need } from './step-work.ts';

type FactsParts = {
  readonly run: Run;
  readonly site: LoadedSite;
  readonly results: Partial<StepResults>;
  readonly engine: RunFacts['engine'];
  /** An instant: whether nobody need sign is decided by the day. */
  readonly now: string;
};

const UPLOAD = 'upload:';

export function factsOfResults(parts: FactsParts): ChartFacts {
  const { run, results } = parts;
  const read = need(results, 'read-chart');
  const written = need(results, 'write-note');
  const { transcript, recordings } = need(results, 'transcribe');
  const template = templateOf(results);
  const confidentiality = confidentialityOf(results);
  const { diagnose } = results;
  const { revision: _, ...review } = run.review ?? { revision: 0 };
  return {
    language: written.language,
    ...(template.noteType !== undefined && { noteType: template.noteType }),
    template: template.name,
    note: results.check?.note ?? written.note,
    ...(diagnose && { diagnosis: diagnose.diagnosis }),
    transcript,
    recordings: recordings.map(({ reference, type, ...times }) => ({
      ...times,
      contentType: type,
      ...(!reference.startsWith(UPLOAD) && { reference }),
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

function runFacts({ run, site, results, engine, now }: FactsParts): RunFacts {
  const written = need(results, 'write-note');
  const { speech } = need(results, 'transcribe');
  const { diagnose } = results;
  const { prompt } = run.versions;
  return {
    id: run.id,
    time: diagnose?.madeAt ?? written.madeAt,
    status: statusOf(run, { settings: site.settings, now, isTranscriptOnly: written.isTranscriptOnly === true }),
    engine,
    model: modelOf(written.model),
    speech: nameAndVersion(speech),
    ...(prompt !== undefined && { prompt }),
    mapping: site.version,
  };
}

type Circumstances = { readonly settings: SiteSettings; readonly now: string; readonly isTranscriptOnly: boolean };

/** Only a clinician's approval makes it final; or a site that has said who answers for its notes without one. */
function statusOf(run: Run, { settings, now, isTranscriptOnly }: Circumstances): RunFacts['status'] {
  const isSigned = run.review !== undefined || (needsNoReview(settings, new Date(now)) && !isTranscriptOnly);
  return isSigned ? 'final' : 'preliminary';
}

/** `openai:gpt-5.4@2026-05`: who made it, what it is called, and which version. */
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
  const { encounter, patient, confidentiality } = need(results, 'read-chart');
  const ofPeople = higherOf(asConfidentiality(confidentiality), highestConfidentiality([encounter, patient]));
  return higherOf(ofPeople, asConfidentiality(results['fetch-recording']?.confidentiality));
}
