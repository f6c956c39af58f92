// The single creates of a probe: each kind of document that the site writes, once, and what the answers show about the EHR.
import type { Resource } from '@medplum/fhirtypes';
import { acceptedContent } from '../../domain/chart/write-strategies.ts';
import type { StoredResource } from '../../ports/ehr.ts';
import type { ProbeAttempt } from './probe-attempt.ts';
import type { Look, TestDocument } from './probe-bench.ts';
import { failed, notTried, passed, type Verdict } from './probe-steps.ts';
import { describeAnswer, describeLook } from './probe-words.ts';
import { findSiteTypes } from './site-types.ts';
import { makeTestDocuments, NEVER_TRIED, type TestVisit } from './test-documents.ts';

export type Accepted = {
  /** Names of the documents that the EHR accepted. */
  readonly names: ReadonlySet<string>;
  readonly stored: readonly StoredResource[];
};

/** The documents that refer to a refused document are made without that reference. */
export async function tryDocuments(attempt: ProbeAttempt, visit: TestVisit): Promise<Accepted> {
  const { site, steps, capabilities, facts } = attempt;
  // A type that was refused before is tried again, because it may have been enabled since.
  const { takesType } = acceptedContent({ capabilities, facts: facts.filter(({ name }) => !name.startsWith('type:')) });
  const names = new Set(site.mappings.keys());
  const drafts = new Set<string>();
  const done = new Set<string>();
  const stored: StoredResource[] = [];
  for (;;) {
    const made = makeTestDocuments(attempt, visit, { session: 1, names });
    for (const { document } of made) drafts.add(document);
    const next = made.find(({ document }) => !done.has(document));
    if (next === undefined) break;
    done.add(next.document);
    const type = next.resource.resourceType;
    const group = made.filter(({ document }) => document === next.document);
    const signed = () =>
      makeTestDocuments(attempt, visit, { session: 5, names, isSigned: true }).find(
        ({ document }) => document === next.document,
      );
    const kept = await steps.run(`${type} (${next.document})`, async () =>
      takesType(type) ? tryOneKind(attempt, group, signed) : notTried(`This EHR does not offer to create a ${type}.`),
    );
    if (kept === undefined) names.delete(next.document);
    else stored.push(...kept);
  }
  for (const [type, documents] of findSiteTypes(site).documentsByType) {
    for (const document of documents.filter((name) => !done.has(name))) {
      steps.add({ name: `${type} (${document})`, ...notTried(whyNotTried(document, drafts)) });
    }
  }
  return { names: new Set([...names].filter((name) => done.has(name))), stored };
}

function whyNotTried(document: string, drafts: ReadonlySet<string>): string {
  if (document === NEVER_TRIED) return 'A work item would notify a person.';
  if (drafts.has(document)) return 'The EHR accepted nothing that it could refer to.';
  return 'It is written after a clinician has approved the draft, and a probe approves nothing.';
}

/** Has a value if the EHR accepted them. */
async function tryOneKind(
  attempt: ProbeAttempt,
  documents: readonly TestDocument[],
  makeSigned: () => TestDocument | undefined,
): Promise<Verdict<readonly StoredResource[]>> {
  const { bench, learn } = attempt;
  for (const document of documents) {
    const answer = await bench.create(document);
    const { resource } = document;
    if (answer.kind === 'refused') {
      if (answer.isTypeRefused) await learn({ name: `type:${resource.resourceType}`, value: 'refused' });
      const isDraft = !answer.isTypeRefused && draftStatus(resource) === 'preliminary';
      if (isDraft && (await isTakenSigned(attempt, makeSigned()))) {
        await learn({ name: 'drafts', value: 'refused' });
        return failed('It accepts this only signed, and not as a draft.');
      }
      return failed(describeAnswer(answer));
    }
    if (answer.kind !== 'stored' && answer.kind !== 'unknown') return failed(describeAnswer(answer));
  }
  const look = await bench.lookFor(documents);
  if (documents.some(({ fullUrl }) => !bench.references.has(fullUrl))) {
    return failed('The answer was lost, and it was not found afterwards.');
  }
  return learnOfStored(attempt, documents, look);
}

async function learnOfStored(
  { learn, capabilities, bench }: ProbeAttempt,
  documents: readonly TestDocument[],
  look: Look,
): Promise<Verdict<readonly StoredResource[]>> {
  const stored = look.canFind ? look.stored.filter((one) => one !== undefined) : [];
  const type = documents[0]?.resource.resourceType ?? 'Basic';
  await learn({ name: `type:${type}`, value: 'taken' });
  // The outlet finds out whether a search works; that it misses a stored resource shows only here.
  const parameter = type === 'Provenance' || type === 'Binary' ? '_tag' : 'identifier';
  const isOffered = capabilities.types.get(type)?.searchParameters.has(parameter) === true;
  if (look.canFind && isOffered && look.counts.every((count) => count === 0) && !bench.hasFoundType(type)) {
    await learn({ name: `search:${type}:${parameter}`, value: 'refused' });
  }
  const drafts = draftsKept(documents, stored);
  if (drafts !== undefined) await learn({ name: 'drafts', value: drafts ? 'taken' : 'refused' });
  if (drafts === false) return failed('It was sent as a draft, and the EHR stored another status.', stored);
  const verdict = describeLook(look);
  return drafts === true && verdict.result === 'passed'
    ? passed(`${verdict.why} It is stored as a draft.`, stored)
    : { ...verdict, value: stored };
}

/** Only the signature is different, so it is the reason of the refusal if this is accepted. */
async function isTakenSigned({ bench, learn }: ProbeAttempt, signed: TestDocument | undefined): Promise<boolean> {
  if (signed === undefined || (await bench.create(signed)).kind !== 'stored') return false;
  await learn({ name: `type:${signed.resource.resourceType}`, value: 'taken' });
  return true;
}

/** Undefined if no document was a draft, or none was found. */
function draftsKept(sent: readonly TestDocument[], stored: readonly StoredResource[]): boolean | undefined {
  if (stored.length === 0 || !sent.some(({ resource }) => draftStatus(resource) === 'preliminary')) return undefined;
  return stored.every(({ resource }) => draftStatus(resource) === 'preliminary');
}

function draftStatus(resource: Resource): string | undefined {
  if (resource.resourceType === 'DocumentReference') return resource.docStatus;
  return resource.resourceType === 'Composition' ? resource.status : undefined;
}
