// Step map: makes the documents, for the resource types that this EHR accepts. Then it decides whether they go to the chart now, wait for a
// clinician, or are only stored.
import type { ChartFacts } from '../../domain/chart/chart.ts';
import { acceptedContent } from '../../domain/chart/write-strategies.ts';
import { type CodeCheck, checkCodes, type OfficialCodes } from '../../domain/coding/official-codes.ts';
import { codesOf, type Diagnosis } from '../../domain/diagnosis/diagnosis.ts';
import { draftFacts } from '../../domain/run/draft-facts.ts';
import type { RunEnd } from '../../domain/run/run-end.ts';
import type { ShownDraft } from '../../domain/run/step-results.ts';
import { endBeforeWrite } from '../../domain/run/write-decision.ts';
import type { CodeLists } from '../../ports/codes.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { EhrKnowledge } from '../../ports/ehr-knowledge.ts';
import type { CheckResources } from '../../ports/resource-check.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { ChartSet } from '../chart-writing/map-chart.ts';
import type { CompareChart } from './compare-chart.ts';
import { factsOfResults } from './facts-of-results.ts';
import { findOfficialCodes } from './find-official-codes.ts';
import {
  draftReviewed,
  isAsShown,
  type MapFacts,
  mapFor,
  resultsAsShown,
  shownDraft,
  unreviewed,
} from './shown-draft.ts';
import type { Step, StepWork } from './step-work.ts';

export type MapParts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly knowledge: Pick<EhrKnowledge, 'recall'>;
  readonly codes: Pick<CodeLists, 'find'>;
  /** Called with the codes of each mapped diagnosis, for metrics. */
  readonly onCodes: (check: CodeCheck) => void;
  readonly check: CheckResources;
  readonly compareChart: CompareChart;
  readonly engine: { readonly name: string; readonly version: string };
  readonly runtime: Pick<Runtime, 'now'>;
};

export function makeMapStep(parts: MapParts): Step<'map'> {
  return async (work, signal) => {
    const { run, site } = work;
    const now = parts.runtime.now().toISOString();
    const map = await mapForEhr(parts, site, signal);
    const diagnosis = work.results.diagnose?.diagnosis;
    const officialCodes = await findOfficialCodes(parts.codes, { site, diagnosis });
    const factsOf: FactsOf = (source) => factsOfResults({ ...source, site, engine: parts.engine, officialCodes, now });
    const decided = draftDecided(work, factsOf, map);
    const facts = factsOf(decided === undefined ? { ...work, run: unreviewed(run) } : work);
    const set = map(facts);
    work.memory.mapped = { site, facts, set };
    const shown = decided ?? shownDraft({ facts, set }, run.revision + 1, map);
    const wait =
      endBeforeWrite({ ...work, report: work.results.check?.report }) ??
      (run.review === undefined || decided !== undefined ? undefined : CHANGED);
    // Documents that go to the chart now are validated by the writer, in the form in which they are sent.
    const problem = wait && (await findProblem(parts, set, signal));
    const differences = run.isDry ? await parts.compareChart({ site, facts, set }, signal) : undefined;
    const end = problem ?? wait;
    const codes = checkDiagnosis(site, diagnosis, officialCodes);
    if (codes !== undefined) parts.onCodes(codes);
    return {
      result: {
        documents: set.documents.map(({ document, fullUrl, resource }) => ({ document, fullUrl, resource })),
        leftOut: set.leftOut,
        mapping: site.version,
        madeAt: now,
        shown,
        ...(officialCodes && { officialCodes }),
        ...(codes && { codes }),
        ...(differences && { differences }),
      },
      versions: { mapping: site.version },
      ...(!run.isDry && { draft: draftFacts(work.results.check?.report, diagnosis) }),
      ...(end && { end }),
    };
  };
}

/** Undefined if the site writes no diagnosis. */
function checkDiagnosis(
  { settings, codes: { diagnosis: table } }: LoadedSite,
  diagnosis: Diagnosis | undefined,
  official: OfficialCodes | undefined,
): CodeCheck | undefined {
  if (diagnosis === undefined || settings.write.diagnosis.length === 0) return undefined;
  return checkCodes({ codes: codesOf(diagnosis), table, official });
}

type FactsOf = (source: Pick<StepWork, 'run' | 'results'>) => ChartFacts;

/** The draft that a clinician has decided about. Undefined if there is no decision, or if another draft would be written now. */
function draftDecided(work: StepWork, factsOf: FactsOf, map: MapFacts): ShownDraft | undefined {
  const { run, results } = work;
  const shown = run.review && draftReviewed(run, results);
  if (shown === undefined || endBeforeWrite({ ...work, report: work.results.check?.report }) !== undefined)
    return shown;
  const then = factsOf({ run: unreviewed(run), results: resultsAsShown(run, results) });
  return isAsShown(shown, then, map) ? shown : undefined;
}

async function mapForEhr({ ehrs, knowledge }: MapParts, site: LoadedSite, signal: AbortSignal): Promise<MapFacts> {
  const capabilities = await ehrs.of(site).capabilities(signal);
  const known = { capabilities, facts: await knowledge.recall(site.name, capabilities.software) };
  return mapFor(site, acceptedContent(known).takesType);
}

/** Validates the documents before the run waits for a person. */
async function findProblem({ check }: MapParts, set: ChartSet, signal: AbortSignal): Promise<RunEnd | undefined> {
  if (set.documents.length === 0) return undefined;
  const resources = set.documents.map(({ resource }) => resource);
  const problems = await check(resources, signal, { fullUrls: set.documents.map(({ fullUrl }) => fullUrl) });
  const errors = problems.filter(({ severity }) => severity === 'error').slice(0, 5);
  if (errors.length === 0) return undefined;
  const descriptions = errors.map(({ resource, element, message }) => {
    return `${set.documents[resource]?.document ?? 'document'}.yaml: ${element} ${message}`;
  });
  return {
    status: 'parked',
    reason: 'invalid',
    message: `The mappings made invalid resources, which are not sent: ${descriptions.join('; ')}`,
    advice:
      'Change the mapping (npm run cli -- mappings preview --validate shows the same problems), and replay the run from map.',
  };
}

const CHANGED: RunEnd = {
  status: 'held',
  reason: 'review',
  message:
    'The mappings, the list of codes, or the resources that this EHR accepts have changed since the draft was shown: the documents are not the ones that were approved.',
  advice:
    'A reviewer approves, edits or rejects the new draft, which includes earlier edits: npm run cli -- runs review <id>.',
};
