// Warnings before a site goes live with an EHR: what the site needs and the EHR does not offer.
import { type EhrCapabilities, type EhrFact, factNamed } from '../../domain/chart/ehr-capabilities.ts';
import { acceptedContent, isFindable } from '../../domain/chart/write-strategies.ts';
import { describeProblem } from '../../domain/mapping/mapping.ts';
import { whyRunsWait } from '../../domain/site/engine-choice.ts';
import { isUnencryptedRemote } from '../../domain/site/plain-address.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import { findActiveCandidates } from '../chart-writing/find-active-candidates.ts';
import { findByOf } from './probe-types.ts';
import type { SiteTypes } from './site-types.ts';

type ProbedSite = {
  readonly site: LoadedSite;
  readonly siteTypes: SiteTypes;
  /** The name of the reasoner. */
  readonly engine: string;
  /** Absent if the EHR did not answer. */
  readonly capabilities?: EhrCapabilities;
  readonly facts: readonly EhrFact[];
};

const EXACT_WAYS: readonly (string | undefined)[] = ['identifier', '_tag'];

export function probeWarnings(probed: ProbedSite): readonly string[] {
  const { capabilities } = probed;
  return [
    ...settingWarnings(probed),
    ...(capabilities === undefined ? [] : takingWarnings({ ...probed, capabilities })),
    ...(capabilities?.isKnown === true ? offerWarnings({ ...probed, capabilities }) : []),
  ];
}

function* settingWarnings({ site, siteTypes, engine, facts }: ProbedSite): Generator<string> {
  const { ehr, mode } = site.settings;
  if (ehr !== undefined && isUnencryptedRemote(ehr.baseUrl)) yield PLAIN_HTTP;
  if (mode !== 'live')
    yield `The site's mode is ${mode}: ${mode === 'off' ? 'nothing is done' : 'nothing is written'}.`;
  const refusal = whyRunsWait(engine, site.settings);
  if (refusal !== undefined) yield `Its runs will wait. ${refusal}.`;
  yield* originWarnings(site, facts);
  for (const problem of findActiveCandidates(site)) yield `${describeProblem(problem)}.`;
  if (siteTypes.problem !== undefined) yield `Its documents cannot be made: ${siteTypes.problem}`;
}

/** Learned by a run: a probe reads no recordings. */
function* originWarnings({ settings }: LoadedSite, facts: readonly EhrFact[]): Generator<string> {
  const origin = factNamed(facts, 'recording-origin');
  if (origin === undefined || settings.recording.origins.some((one) => URL.parse(one)?.origin === origin)) return;
  yield `A recording of its charts is at ${origin}, which is not in recording.origins: it was not opened.`;
}

const PLAIN_HTTP = 'ehr.baseUrl is plain http: everything is sent over the network unencrypted.';

type AnsweringSite = ProbedSite & { readonly capabilities: EhrCapabilities };

function* takingWarnings({ site, siteTypes, capabilities, facts }: AnsweringSite): Generator<string> {
  const { takesType, takesDrafts } = acceptedContent({ capabilities, facts });
  const { write } = site.settings;
  if (!takesDrafts && write.review === 'preliminary') {
    yield 'It accepts no drafts: a draft is held in the engine until a clinician has approved it.';
  }
  for (const [type, documents] of siteTypes.documentsByType) {
    if (takesType(type)) continue;
    if (type === 'Provenance')
      yield 'It accepts no Provenance: the author and the sources of the documents are recorded nowhere else.';
    else yield `It accepts no ${type}: ${documents.join(' and ')} will not be in the chart.`;
  }
}

function* offerWarnings({ site, siteTypes, capabilities, facts }: AnsweringSite): Generator<string> {
  const { recording } = site.settings;
  const canSearch = (type: string) => capabilities.types.get(type)?.canSearch === true;
  yield* consentWarnings(site, capabilities);
  for (const type of ['Encounter', 'Patient']) {
    if (capabilities.types.get(type)?.canRead !== true)
      yield `It offers no way to read a ${type}: no chart can be read.`;
  }
  if (!recording.from.some(canSearch)) {
    yield `It offers no search for ${recording.from.join(' or ')}: no recording can be found.`;
  }
  const unreadable = recording.from.filter((type) => canSearch(type) && capabilities.types.get(type)?.canRead !== true);
  if (unreadable.length > 0) {
    yield `It offers no way to read ${unreadable.join(' or ')}: a link to a recording that has ended cannot be renewed.`;
  }
  const taken = [...siteTypes.documentsByType.keys()].filter((type) => capabilities.types.has(type));
  const unfindable = taken.filter((type) => !isFindable(type, { capabilities, facts }));
  if (unfindable.length > 0) {
    yield `${unfindable.join(', ')} cannot be searched for: after a lost answer a person must look in the EHR.`;
  }
  const findBy = (type: string) => findByOf(type, { capabilities, facts });
  const inexact = taken.filter((type) => !unfindable.includes(type) && !EXACT_WAYS.includes(findBy(type)));
  if (inexact.length > 0) {
    yield `${inexact.join(', ')} cannot be searched for by identifier: the whole chart is read to find them again.`;
  }
  yield* versionWarnings(taken, { capabilities, facts });
}

/** Follows the flow that asks for permission: no Consents at all are no objection, unreadable Consents leave it open. */
function* consentWarnings({ settings }: LoadedSite, { types }: EhrCapabilities): Generator<string> {
  const { recording, unknown } = settings.consent;
  const offered = types.get('Consent');
  if (offered?.canSearch === true) return;
  const lack = offered === undefined ? 'It offers no Consents' : 'Its Consents cannot be searched for';
  if (recording === 'required') yield `${lack}, and consent.recording is required: every session is held.`;
  else if (offered === undefined && recording === 'by-source') return;
  else if (offered === undefined || !['opt-out', 'by-source'].includes(recording)) {
    yield `${lack}: objections cannot be read there, and sessions continue as if there were none.`;
  } else {
    const then = unknown === 'hold' ? 'every session is held' : 'sessions continue';
    yield `${lack}: objections cannot be read there, and consent.unknown decides (${then}).`;
  }
}

/** For types that get further versions or are retired. */
function* versionWarnings(
  types: readonly string[],
  { capabilities, facts }: Pick<AnsweringSite, 'capabilities' | 'facts'>,
): Generator<string> {
  const changed = types.filter((type) => capabilities.types.get(type)?.canUpdate === true);
  const unversioned = changed.filter((type) => capabilities.types.get(type)?.hasVersions === false);
  const then = 'what a person changes at the same moment may be overwritten.';
  if (unversioned.length > 0) yield `It keeps no versions of ${unversioned.join(', ')}: ${then}`;
  else if (changed.length > 0 && facts.findLast(({ name }) => name === 'if-match')?.value === 'ignored') {
    yield `It accepts a change of an older version (If-Match is ignored): ${then}`;
  }
}
