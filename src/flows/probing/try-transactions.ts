// The transactions of a probe: does the EHR accept them, are they all or nothing, and does a condition prevent a second copy?
import type { Resource } from '@medplum/fhirtypes';
import { openReferences } from '../../domain/chart/frozen-body.ts';
import { documentUrn } from '../../domain/chart/identity.ts';
import { conditionalLimit } from '../../domain/chart/write-strategies.ts';
import type { TransactionAnswer } from '../../ports/ehr.ts';
import type { ProbeAttempt } from './probe-attempt.ts';
import type { TestDocument } from './probe-bench.ts';
import { failed, notTried, passed, type Verdict } from './probe-steps.ts';
import { describeAnswer, describeLook } from './probe-words.ts';
import { makeTestDocuments, type TestVisit } from './test-documents.ts';

const STEPS = {
  plain: 'a transaction',
  atomic: 'all or nothing',
  conditional: 'a conditional transaction',
} as const;

export async function tryTransactions(
  attempt: ProbeAttempt,
  visit: TestVisit,
  names: ReadonlySet<string>,
): Promise<void> {
  const { steps } = attempt;
  const setOf = (session: number, max?: number) =>
    selfContained(makeTestDocuments(attempt, visit, { session, names }), attempt, max);
  // Tried also at an EHR that does not state transactions: what is tried counts more than what is stated.
  const unable = (): Verdict<true> | undefined =>
    names.size === 0 ? notTried('This EHR accepted no document.') : undefined;
  const isTaken = await steps.run(STEPS.plain, async () => unable() ?? tryPlain(attempt, setOf(2)));
  const needsPlain = (work: () => Promise<Verdict>) => async () =>
    isTaken === true ? work() : (unable() ?? notTried('No transaction was accepted.'));
  await steps.run(
    STEPS.atomic,
    needsPlain(() => tryAtomic(attempt, setOf(3))),
  );
  const limit = conditionalLimit(attempt.facts);
  await steps.run(
    STEPS.conditional,
    needsPlain(() => tryConditional(attempt, setOf(4, limit))),
  );
}

/** At most `max` documents that refer only to each other and to stored ones. */
function selfContained(
  all: readonly TestDocument[],
  { bench }: ProbeAttempt,
  max = Number.POSITIVE_INFINITY,
): readonly TestDocument[] {
  let chosen = all.filter(({ fullUrl }) => !bench.references.has(fullUrl)).slice(0, max);
  for (;;) {
    const known = new Map([...bench.references, ...chosen.map(({ fullUrl }) => [fullUrl, fullUrl] as const)]);
    const next = chosen.filter(({ resource }) => openReferences(JSON.stringify(resource), known).length === 0);
    if (next.length === chosen.length) return chosen;
    chosen = next;
  }
}

/** Has a value if the next steps can be tried. */
async function tryPlain(attempt: ProbeAttempt, documents: readonly TestDocument[]): Promise<Verdict<true>> {
  const { bench, learn } = attempt;
  const answer = await bench.transact(documents, { isConditional: false });
  if (answer.kind === 'refused') {
    if (!answer.isTooLarge) await learn({ name: 'transaction', value: 'refused' });
    return failed(describeAnswer(answer));
  }
  if (isBatch(answer)) return learnBatch(attempt);
  if (answer.kind !== 'stored') return failed(await describeUncertain(attempt, documents, answer));
  const { result, why } = describeLook(await bench.lookFor(documents));
  return { result, why: `${documents.length} entries. ${why}`, value: true };
}

async function tryAtomic(attempt: ProbeAttempt, documents: readonly TestDocument[]): Promise<Verdict> {
  const { bench, learn } = attempt;
  const alone = documents.filter(({ resource }) => isAlone(resource, attempt));
  const sound = alone.find(({ resource }) => bench.hasFoundType(resource.resourceType));
  if (sound === undefined)
    return notTried('Nothing that could be stored would be found again, so the result would be unknown.');
  const broken = alone.find((document) => document !== sound) ?? copyOf(sound, 'broken');
  // It fails in its middle: some servers store what comes before the failure, some what comes after it.
  const after = copyOf(sound, 'after');
  const answer = await bench.transact([sound, broken, after], { isConditional: false, broken });
  if (answer.kind === 'busy') return failed(describeAnswer(answer));
  await bench.waitForSearch();
  const absences = [await bench.isAbsent(sound), await bench.isAbsent(after)];
  if (absences.includes(undefined))
    return failed('What was stored cannot be searched for any more, so the result is unknown.');
  const isAbsent = absences.every((absent) => absent === true);
  if (answer.kind === 'stored' && !answer.wasBatch) {
    return failed('It accepted an entry that is invalid FHIR, so the result is unknown.');
  }
  if (!isAbsent || isBatch(answer)) return learnBatch(attempt);
  if (answer.kind === 'unknown') return failed(describeAnswer(answer));
  await learn({ name: 'transaction', value: 'proven-atomic' });
  return passed('The entry in its middle was invalid, and nothing was stored.');
}

async function tryConditional(attempt: ProbeAttempt, documents: readonly TestDocument[]): Promise<Verdict> {
  const { bench, capabilities, learn } = attempt;
  const types = documents.map(({ resource }) => resource.resourceType);
  if (capabilities.isKnown && !types.some((type) => capabilities.types.get(type)?.hasConditionalCreate === true)) {
    return notTried('This EHR does not offer conditional creates.');
  }
  const fails = async (why: string) => {
    await learn({ name: 'conditional', value: 'failed' });
    return failed(why);
  };
  const first = await bench.transact(documents, { isConditional: true });
  if (first.kind === 'refused' || isBatch(first)) return fails(describeAnswer(first));
  if (first.kind !== 'stored') return failed(await describeUncertain(attempt, documents, first));
  const look = await bench.lookFor(documents);
  if (!look.canFind || look.counts.some((count) => count !== 1)) return fails(describeLook(look).why);
  const again = await bench.transact(documents, { isConditional: true });
  if (again.kind === 'refused' || again.kind === 'conflict') return fails(describeAnswer(again));
  await bench.waitForSearch();
  const counts = await bench.lookFor(documents);
  if (!counts.canFind || counts.counts.some((count) => count !== 1)) {
    return fails('The same was sent twice, and is stored twice.');
  }
  if (again.kind !== 'stored') return failed(describeAnswer(again));
  await learn({ name: 'conditional', value: 'passed' });
  return passed(`${documents.length} entries, sent twice, are stored once.`);
}

function isBatch(answer: TransactionAnswer): boolean {
  return answer.kind === 'mixed' || (answer.kind === 'stored' && answer.wasBatch);
}

async function learnBatch({ learn }: ProbeAttempt): Promise<Verdict<true>> {
  await learn({ name: 'transaction', value: 'batch' });
  return failed('The EHR ran it entry by entry: after a failure a part of it could stay.');
}

async function describeUncertain(
  { bench }: ProbeAttempt,
  documents: readonly TestDocument[],
  answer: TransactionAnswer,
): Promise<string> {
  if (answer.kind !== 'unknown') return describeAnswer(answer);
  const look = await bench.lookFor(documents);
  const isThere = look.canFind && look.counts.every((count) => count > 0);
  return isThere ? 'It was stored, but the answer was lost.' : describeAnswer(answer);
}

/** Whether everything that it refers to is stored. */
function isAlone(resource: Resource, { bench }: ProbeAttempt): boolean {
  return openReferences(JSON.stringify(resource), bench.references).length === 0;
}

/** The same document under another identity, which is also the one in the resource. */
function copyOf(document: TestDocument, name: string): TestDocument {
  const { identity: before } = document;
  const identity = { ...before, value: `${before.value}/${name}` };
  const resource = JSON.parse(JSON.stringify(document.resource).replaceAll(`"${before.value}"`, `"${identity.value}"`));
  return { ...document, identity, fullUrl: documentUrn(identity), resource };
}
