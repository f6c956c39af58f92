// Tries how an EHR can be written to, with an invented patient: what it accepts, what it finds again, whether it keeps transactions. All
// test resources are removed again; the report names those that could not be.
import type { ResourceType } from '@medplum/fhirtypes';
import { documentUrn, identifierSystem } from '../../domain/chart/identity.ts';
import { testEncounter, testPatient } from '../../domain/chart/test-visit.ts';
import type { ProbeAttempt, WriteTestParts } from './probe-attempt.ts';
import { makeProbeBench, type TestDocument } from './probe-bench.ts';
import type { WriteTest } from './probe-report.ts';
import { describeError, failed, makeProbeSteps, notTried, passed, type Verdict } from './probe-steps.ts';
import { describeAnswer, describeLook, inSeconds } from './probe-words.ts';
import { makeTestDocuments, type TestVisit } from './test-documents.ts';
import { tryBatch } from './try-batch.ts';
import { tryDocuments } from './try-documents.ts';
import { tryTransactions } from './try-transactions.ts';
import { tryUpdate } from './try-update.ts';

const LIMIT_MS = 180_000;
/** A search is watched for at least and at most so long. */
const PATIENCE_MS = { least: 10_000, most: 90_000 } as const;

/** Never throws, even if the signal is aborted: test resources must be removed, and those that stay must be reported. */
export async function tryWriting(parts: WriteTestParts, signal: AbortSignal): Promise<WriteTest> {
  const { ehr, runtime, searchLagMs, site } = parts;
  const id = runtime.makeUuid();
  const patienceMs = Math.min(Math.max(searchLagMs, PATIENCE_MS.least), PATIENCE_MS.most);
  const bench = makeProbeBench({ ehr, runtime, signal, patienceMs });
  const steps = makeProbeSteps({ runtime, signal, limitMs: LIMIT_MS });
  const attempt: ProbeAttempt = { ...parts, bench, steps, signal };
  const system = identifierSystem(site.name);

  try {
    const visit = await openVisit(attempt, { system, value: `probe/${id}` });
    if (visit !== undefined) {
      await tryBatch(attempt, visit);
      await tryChart(attempt, { ...visit, id });
    }
  } catch (thrown) {
    steps.add({ name: 'documents', ...failed(describeError(thrown)) });
  }
  await learnSearchLag(attempt);
  const { removed, leftBehind } = await bench.clear();
  steps.add({
    name: 'removed again',
    ...(leftBehind.length === 0
      ? passed(removed === 0 ? 'Nothing had been made.' : `All ${removed} test resources are gone.`)
      : failed(`${leftBehind.length} of ${removed + leftBehind.length} test resources could not be removed.`)),
  });
  return { identifier: `${system}|probe/${id}`, steps: steps.all(), leftBehind };
}

/** What was searched for in vain tells nothing: it may not have been stored. */
async function learnSearchLag({ bench, learn, signal }: ProbeAttempt): Promise<void> {
  const lagMs = bench.searchLagMs();
  if (lagMs === undefined || signal.aborted) return;
  await learn({ name: 'search-lag-ms', value: Math.round(lagMs) }).catch(() => undefined);
}

type ProbeIdentity = { readonly system: string; readonly value: string };
type OpenedVisit = Omit<TestVisit, 'id'>;

/** Undefined if there is no test patient to write to. */
async function openVisit(attempt: ProbeAttempt, identity: ProbeIdentity): Promise<OpenedVisit | undefined> {
  const { bench, steps, capabilities } = attempt;
  const skip = (type: ResourceType) => capabilities.isKnown && capabilities.types.get(type)?.canCreate !== true;

  const patient = { document: 'patient', identity, fullUrl: documentUrn(identity), resource: testPatient(identity) };
  const patientReference = await steps.run('test patient', async () =>
    skip('Patient') ? notTried(noWayToMake('Patient')) : createOne(attempt, patient),
  );
  if (patientReference === undefined) return undefined;
  bench.setPlace({ patient: patientReference });

  const visitIdentity = { ...identity, value: `${identity.value}/encounter` };
  const resource = testEncounter(visitIdentity, patientReference);
  const encounter = { document: 'encounter', identity: visitIdentity, fullUrl: documentUrn(visitIdentity), resource };
  const encounterReference = await steps.run('test encounter', async () =>
    skip('Encounter') ? notTried(noWayToMake('Encounter')) : createOne(attempt, encounter),
  );
  if (encounterReference === undefined) return undefined;
  bench.setPlace({ patient: patientReference, encounter: encounterReference });
  return {
    patient: { ...patient.resource, id: idOf(patientReference) },
    encounter: { ...resource, id: idOf(encounterReference) },
  };
}

function noWayToMake(type: string): string {
  return `This EHR does not allow creating a test ${type}, so nothing can be tried. What it accepts is learned from real writes.`;
}

/** Returns the reference even if a search does not find the stored resource: then only the search is at fault. */
async function createOne(attempt: ProbeAttempt, document: TestDocument): Promise<Verdict<string>> {
  const { bench, searchLagMs } = attempt;
  const answer = await bench.create(document);
  if (answer.kind !== 'stored' && answer.kind !== 'unknown') return failed(describeAnswer(answer));
  const look = await bench.lookFor([document]);
  const reference = bench.references.get(document.fullUrl);
  if (reference === undefined) return failed(describeAnswer(answer));
  if (answer.kind === 'unknown') return failed('It was stored, but the answer was lost.', reference);
  if (look.canFind && look.counts[0] === 1 && look.waitedMs > searchLagMs) {
    const late = `Its search found it only after ${inSeconds(look.waitedMs)}: set EHR_SEARCH_LAG_SECONDS higher.`;
    return failed(late, reference);
  }
  return { ...describeLook(look), value: reference };
}

async function tryChart(attempt: ProbeAttempt, visit: TestVisit): Promise<void> {
  const { steps } = attempt;
  const documents = await steps.run('documents', () => checkDocuments(attempt, visit));
  if (documents === undefined) return;
  const accepted = await tryDocuments(attempt, visit);
  await tryUpdate(attempt, accepted.stored);
  await tryTransactions(attempt, visit, accepted.names);
}

/** The documents that the site's mappings make of an invented visit must be valid FHIR. */
async function checkDocuments(attempt: ProbeAttempt, visit: TestVisit): Promise<Verdict<true>> {
  const { check, signal } = attempt;
  const documents = makeTestDocuments(attempt, visit, { session: 1 });
  if (documents.length === 0) return notTried('This site writes no documents of a draft.');
  if (check === undefined) return passed(`${documents.length} were made.`, true);
  const fullUrls = documents.map(({ fullUrl }) => fullUrl);
  const problems = await check(
    documents.map(({ resource }) => resource),
    signal,
    { fullUrls, isPart: true },
  );
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return passed(`${documents.length} were made of a made-up visit; all are valid FHIR.`, true);
  const places = [...new Set(errors.map(({ element }) => element))].slice(0, 5).join(', ');
  return failed(`The mappings make invalid FHIR, at ${places}.`, true);
}

function idOf(reference: string): string {
  return reference.slice(reference.indexOf('/') + 1);
}
