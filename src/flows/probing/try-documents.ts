// A probe's single creates: each kind of document that the site writes, once, and what is learned of the EHR by it.
import type { Resource } from '@medplum/fhirtypes';
import { acceptedContent } from '../../domain/chart/write-strategies.ts';
import type { StoredResource } from '../../ports/ehr.ts';
import type { Look, TestDocument } from './probe-bench.ts';
import { failed, notTried, passed, type Verdict } from './probe-steps.ts';
import { lookVerdict, saidOf } from './probe-words.ts';
import type { Attempt } from './probe-writing.ts';
import { findSiteTypes } from './site-types.ts';
import { makeTestDocuments, NEVER_TRIED, type TestVisit } from './test-documents.ts';

export type Accepted = {
  /** Names of the documents that the EHR took. */
  readonly names: ReadonlySet<string>;
  readonly stored: readonly StoredResource[];
};

/** A document that is refused is left out of those that would have pointed at it. */
export async function tryDocuments(attempt: Attempt, visit: TestVisit): Promise<Accepted> {
  const { site, steps, capabilities, facts } = attempt;
  // What was refused before is tried again: it may have been set up since.
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
  if (document === NEVER_TRIED) return 'A work item would call somebody.';
  if (drafts.has(document)) return 'The EHR took nothing that it could be about.';
  return 'It is written once somebody has approved the draft, and a probe approves nothing.';
}

/** With a value where the EHR took them. */
async function tryOneKind(
  attempt: Attempt,
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
        return failed('It takes this only when it is signed, and not as a draft.');
      }
      return failed(saidOf(answer));
    }
    if (answer.kind !== 'stored' && answer.kind !== 'unknown') return failed(saidOf(answer));
  }
  const look = await bench.lookFor(documents);
  if (documents.some(({ fullUrl }) => !bench.references.has(fullUrl))) {
    return failed('The answer was lost, and it was not found afterwards.');
  }
  return learnOfStored(attempt, documents, look);
}

async function learnOfStored(
  { learn, capabilities, bench }: Attempt,
  documents: readonly TestDocument[],
  look: Look,
): Promise<Verdict<readonly StoredResource[]>> {
  const stored = look.canFind ? look.stored.filter((one) => one !== undefined) : [];
  const type = documents[0]?.resource.resourceType ?? 'Basic';
  await learn({ name: `type:${type}`, value: 'taken' });
  // That a search works, the outlet finds out; that it shows nothing, only who knows that there is something.
  const parameter = type === 'Provenance' || type === 'Binary' ? '_tag' : 'identifier';
  const isOffered = capabilities.types.get(type)?.searchParameters.has(parameter) === true;
  if (look.canFind && isOffered && look.counts.every((count) => count === 0) && !bench.canTell(type)) {
    await learn({ name: `search:${type}:${parameter}`, value: 'refused' });
  }
  const drafts = draftsKept(documents, stored);
  if (drafts !== undefined) await learn({ name: 'drafts', value: drafts ? 'taken' : 'refused' });
  if (drafts === false) return failed('It was sent as a draft, and the EHR keeps it as something else.', stored);
  const verdict = lookVerdict(look);
  return drafts === true && verdict.result === 'passed'
    ? passed(`${verdict.why} It is kept as a draft.`, stored)
    : { ...verdict, value: stored };
}

/** The one thing that is different decides what it was refused for. */
async function isTakenSigned({ bench, learn }: Attempt, signed: TestDocument | undefined): Promise<boolean> {
  if (signed === undefined || (await bench.create(signed)).kind !== 'stored') return false;
  await learn({ name: `type:${signed.resource.resourceType}`, value: 'taken' });
  return true;
}

/** Undefined where no document was a draft, or nobody could look. */
function draftsKept(sent: readonly TestDocument[], stored: readonly StoredResource[]): boolean | undefined {
  if (stored.length === 0 || !sent.some(({ resource }) => draftStatus(resource) === 'preliminary')) return undefined;
  return stored.every(({ resource }) => draftStatus(resource) === 'preliminary');
}

function draftStatus(resource: Resource): string | undefined {
  if (resource.resourceType === 'DocumentReference') return resource.docStatus;
  return resource.resourceType === 'Composition' ? resource.status : undefined;
}
