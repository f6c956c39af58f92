// What an EHR can do, and what a site can do with it: told before anybody relies on it. Without a write test nothing is written,
// and nothing of a patient is read.
import type { ResourceType } from '@medplum/fhirtypes';
import type { EhrCapabilities, EhrFact, LearnedFact } from '../../domain/chart/ehr-capabilities.ts';
import { identifierSystem } from '../../domain/chart/identity.ts';
import { assessStrategies } from '../../domain/chart/write-strategies.ts';
import { AppError } from '../../domain/errors.ts';
import type { Ehr, Ehrs } from '../../ports/ehr.ts';
import type { EhrKnowledge } from '../../ports/ehr-knowledge.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Reasoner } from '../../ports/reasoner.ts';
import type { CheckResources } from '../../ports/resource-check.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { ProbeReport, WriteTest } from './probe-report.ts';
import { failed, makeProbeSteps, notTried, type ProbeSteps, passed, wordsOf } from './probe-steps.ts';
import { probedTypes } from './probe-types.ts';
import { probeWarnings } from './probe-warnings.ts';
import { tryWriting } from './probe-writing.ts';
import { findSiteTypes, type SiteTypes } from './site-types.ts';

export type ProbeOrder = {
  readonly site: LoadedSite;
  /** Tries it with a patient that nobody is, and removes everything again. */
  readonly writeTest: boolean;
  /** What was learned before is forgotten first. */
  readonly forget?: boolean;
};

/** Throws `notConfigured`, `inUse` where a write test is going on there, and what the database throws; else what is wrong is in the report. */
export type ProbeSite = (order: ProbeOrder, signal: AbortSignal) => Promise<ProbeReport>;

type ProbeParts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly reasoner: Pick<Reasoner, 'engine'>;
  readonly knowledge: EhrKnowledge;
  readonly ledger: Pick<Ledger, 'acquire' | 'release'>;
  readonly check?: CheckResources;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs' | 'pause' | 'makeUuid'>;
  readonly searchLagMs: number;
  /** What a write test could not remove: somebody should know, also where nobody waits for the report any more. */
  readonly onLeftBehind?: (site: string, test: WriteTest) => void;
};

const LIMIT_MS = 60_000;
/** Longer than any write test. */
const LEASE_MS = 300_000;

export function makeProbeSite(parts: ProbeParts): ProbeSite {
  const { ehrs, reasoner, knowledge, runtime } = parts;
  const { engine } = reasoner;
  return async ({ site, writeTest, forget = false }, signal) => {
    const ehr = ehrs.of(site);
    const forgotten = forget ? { forgotten: await knowledge.forget(site.name) } : {};
    const steps = makeProbeSteps({ runtime, signal, limitMs: LIMIT_MS });
    const siteTypes = findSiteTypes(site);
    const capabilities = await reach(steps, ehr, signal);
    signal.throwIfAborted();
    if (capabilities === undefined) {
      const warnings = probeWarnings({ site, siteTypes, engine, facts: [] });
      return { ...headOf(site), isUsable: false, steps: steps.all(), ...NOTHING_KNOWN, ...forgotten, warnings };
    }
    await tryCredentials(steps, { ehr, capabilities, site, siteTypes, signal });
    const isLetIn = steps.all().every(({ result }) => result !== 'failed');
    const wantsTest = writeTest && isLetIn;
    const test = wantsTest ? await testWriting(parts, { ehr, capabilities, site }, signal) : undefined;
    const facts = await knowledge.recall(site.name, capabilities.software);
    const report = describe({ site, siteTypes, engine, capabilities, facts });
    // Whoever says nothing and lets nobody in is not even a guess.
    const isNobody = !isLetIn && !capabilities.isKnown;
    return {
      ...report,
      ...(isNobody && { types: [], ladder: [] }),
      isUsable: isLetIn && report.isUsable,
      steps: steps.all(),
      ...forgotten,
      ...(test !== undefined && { writeTest: test }),
    };
  };
}

const NOTHING_KNOWN = { types: [], ladder: [], learned: [] } as const;

function headOf({ name, settings }: LoadedSite): Pick<ProbeReport, 'site' | 'mode' | 'ehr'> {
  const { ehr } = settings;
  if (ehr === undefined) throw new AppError('notConfigured', `The site ${name} has no EHR`);
  return { site: name, mode: settings.mode, ehr: { baseUrl: ehr.baseUrl, auth: ehr.auth.type } };
}

async function reach(steps: ProbeSteps, ehr: Ehr, signal: AbortSignal): Promise<EhrCapabilities | undefined> {
  const capabilities = await steps.run('reached', async () => {
    const found = await ehr.capabilities(signal);
    if (found.isKnown) return passed(isNamed(found) ? `It is ${found.software}.` : 'It does not say its name.', found);
    return passed('It answers, but gives no CapabilityStatement: what it can do is a guess.', found);
  });
  if (capabilities === undefined || !capabilities.isKnown) return capabilities;
  const { fhirVersion } = capabilities;
  await steps.run('FHIR version', async () => {
    if (/^4\.0\./.test(fhirVersion)) return passed(`${fhirVersion}, which is R4.`);
    const is = fhirVersion === '' ? 'It does not say which it speaks' : `It speaks ${fhirVersion}`;
    return failed(`${is}: this engine writes R4 (4.0.1), and no other.`);
  });
  return capabilities;
}

/** A server that does not say its name is called something all the same, for what is learned of it. */
function isNamed({ software }: EhrCapabilities): boolean {
  return software !== '' && software !== 'unknown';
}

type Contact = {
  readonly ehr: Ehr;
  readonly capabilities: EhrCapabilities;
  readonly site: LoadedSite;
  readonly siteTypes: SiteTypes;
  readonly signal: AbortSignal;
};

/** By a question to which nobody is the answer: no patient has an identifier of this engine. */
async function tryCredentials(steps: ProbeSteps, contact: Contact): Promise<void> {
  const { ehr, capabilities, site, siteTypes, signal } = contact;
  const wanted: readonly ResourceType[] = ['Patient', ...siteTypes.documentsByType.keys(), 'Encounter'];
  const type = capabilities.isKnown
    ? wanted.find((name) => {
        const offered = capabilities.types.get(name);
        return offered?.canSearch === true && offered.searchParameters.has('identifier');
      })
    : 'Patient';
  const auth = site.settings.ehr?.auth.type ?? 'none';
  const isLetIn = passed(auth === 'none' ? 'None are set, and none are asked for.' : `Taken (${auth}).`);
  await steps.run('credentials', async () => {
    if (type === undefined) return notTried('It offers no search by identifier to try them with.');
    const ask = (parameters: Readonly<Record<string, string>>) =>
      ehr.search({ type, parameters, maxResources: 1 }, signal);
    try {
      await ask({ identifier: `${identifierSystem(site.name)}|probe` });
      return isLetIn;
    } catch (thrown) {
      if (!(thrown instanceof AppError) || thrown.code !== 'ehrRefused') return failed(wordsOf(thrown));
      // It may be the question that it refuses, and not us.
      const isQuestion = await ask({ _id: NOBODYS_ID }).then(
        () => true,
        () => false,
      );
      if (!isQuestion) return failed(wordsOf(thrown));
      return passed(`${isLetIn.why} But it refuses to be searched by identifier, which it offers.`);
    }
  });
}

const NOBODYS_ID = 'chartwright-probe';

async function testWriting(
  { knowledge, ledger, check, runtime, searchLagMs, onLeftBehind }: ProbeParts,
  { ehr, capabilities, site }: Pick<Contact, 'ehr' | 'capabilities' | 'site'>,
  signal: AbortSignal,
): Promise<WriteTest> {
  const lease = await ledger.acquire(`${site.name}/probe`, `probe ${runtime.makeUuid()}`, LEASE_MS);
  if (lease === undefined) {
    throw new AppError('inUse', `A write test of ${site.name} is going on: wait until it is over`, {
      retryAfterSeconds: 60,
    });
  }
  try {
    const { software } = capabilities;
    const facts = await knowledge.recall(site.name, software);
    const learn = (fact: EhrFact) => knowledge.learn(site.name, software, fact);
    const parts = { site, ehr, capabilities, facts, learn, check, runtime, searchLagMs };
    const test = await tryWriting(parts, signal);
    if (test.leftBehind.length > 0) onLeftBehind?.(site.name, test);
    return test;
  } finally {
    await ledger.release(lease);
  }
}

type Known = {
  readonly site: LoadedSite;
  readonly siteTypes: SiteTypes;
  readonly engine: string;
  readonly capabilities: EhrCapabilities;
  readonly facts: readonly LearnedFact[];
};

function describe(known: Known): Omit<ProbeReport, 'steps'> {
  const { site, siteTypes, capabilities, facts } = known;
  const { software, fhirVersion } = capabilities;
  const head = headOf(site);
  const types = [...siteTypes.documentsByType.keys()];
  const ladder = assessStrategies({ capabilities, facts, types });
  const next = ladder.find(({ isUsable }) => isUsable);
  return {
    ...head,
    ehr: { ...head.ehr, ...(isNamed(capabilities) && { software }), ...(fhirVersion !== '' && { fhirVersion }) },
    isUsable: next !== undefined && next.rung !== 'hold',
    types: probedTypes(known),
    ladder: ladder.map((step) => ({ ...step, isNext: step === next })),
    learned: facts.map(({ name, value, learnedAt }) => ({ name, value, learnedAt: learnedAt.toISOString() })),
    warnings: probeWarnings(known),
  };
}
