// Reports what an EHR can do, and what a site can do with it, before the site goes live. Without a write test nothing is written, and no
// patient data is read.
import type { ResourceType } from '@medplum/fhirtypes';
import type { EhrCapabilities, EhrFact, LearnedFact } from '../../domain/chart/ehr-capabilities.ts';
import { identifierSystem } from '../../domain/chart/identity.ts';
import { assessStrategies } from '../../domain/chart/write-strategies.ts';
import { CredentialsProblem } from '../../domain/credentials-problem.ts';
import { AppError } from '../../domain/errors.ts';
import type { Ehr, Ehrs } from '../../ports/ehr.ts';
import type { EhrKnowledge } from '../../ports/ehr-knowledge.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { Reasoner } from '../../ports/reasoner.ts';
import type { CheckResources } from '../../ports/resource-check.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite } from '../../ports/sites.ts';
import type { ProbeReport, WriteTest } from './probe-report.ts';
import { describeError, failed, makeProbeSteps, notTried, type ProbeSteps, passed } from './probe-steps.ts';
import { probedTypes } from './probe-types.ts';
import { probeWarnings } from './probe-warnings.ts';
import { tryWriting } from './probe-writing.ts';
import { findSiteTypes, type SiteTypes } from './site-types.ts';

export type ProbeOrder = {
  readonly site: LoadedSite;
  /** Tries to write with an invented patient, and removes everything again. */
  readonly writeTest: boolean;
  /** Facts that were learned before are forgotten first. */
  readonly forget?: boolean;
};

/** Throws `notConfigured`, `inUse` while another write test runs, and what the database throws; any other failure is in the report. */
export type ProbeSite = (order: ProbeOrder, signal: AbortSignal) => Promise<ProbeReport>;

type ProbeParts = {
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly reasoner: Pick<Reasoner, 'engine'>;
  readonly knowledge: EhrKnowledge;
  readonly ledger: Pick<Ledger, 'acquire' | 'release'>;
  readonly check?: CheckResources;
  readonly runtime: Pick<Runtime, 'now' | 'monotonicMs' | 'pause' | 'makeUuid'>;
  readonly searchLagMs: number;
  /** Called for test resources that could not be removed, even if the caller does not wait for the report any more. */
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
    const hasAccess = steps.all().every(({ result }) => result !== 'failed');
    const wantsTest = writeTest && hasAccess;
    const test = wantsTest ? await testWriting(parts, { ehr, capabilities, site }, signal) : undefined;
    const facts = await knowledge.recall(site.name, capabilities.software);
    const report = describe({ site, siteTypes, engine, capabilities, facts });
    // Of a server that states nothing and refuses access nothing can even be guessed.
    const isUnknown = !hasAccess && !capabilities.isKnown;
    return {
      ...report,
      ...(isUnknown && { types: [], ladder: [] }),
      isUsable: hasAccess && report.isUsable,
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
  let refusal: CredentialsProblem | undefined;
  const capabilities = await steps.run('reached', async () => {
    const found = await ehr.capabilities(signal).catch((thrown: unknown) => {
      if (!(thrown instanceof CredentialsProblem)) throw thrown;
      refusal = thrown;
    });
    if (found === undefined) return notTried('It is asked nothing without credentials that it accepts.');
    if (found.isKnown)
      return passed(isNamed(found) ? `It is ${found.software}.` : 'It does not state its name.', found);
    return passed('It answers, but has no readable CapabilityStatement: what it can do is a guess.', found);
  });
  if (refusal !== undefined) steps.add({ name: 'credentials', ...failed(describeError(refusal)) });
  if (capabilities === undefined || !capabilities.isKnown) return capabilities;
  const { fhirVersion } = capabilities;
  await steps.run('FHIR version', async () => {
    if (/^4\.0\./.test(fhirVersion)) return passed(`${fhirVersion}, which is R4.`);
    const is = fhirVersion === '' ? 'It does not state its version' : `It speaks ${fhirVersion}`;
    return failed(`${is}: this engine writes R4 (4.0.1) only.`);
  });
  return capabilities;
}

/** A server without a name gets one, under which facts about it are stored. */
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

/** Searches for an identifier that no patient has. */
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
  const hasAccess = passed(auth === 'none' ? 'None are set, and none are required.' : `Taken (${auth}).`);
  await steps.run('credentials', async () => {
    if (type === undefined) return notTried('It offers no search by identifier to try them with.');
    const ask = (parameters: Readonly<Record<string, string>>) =>
      ehr.search({ type, parameters, maxResources: 1 }, signal);
    try {
      await ask({ identifier: `${identifierSystem(site.name)}|probe` });
      return hasAccess;
    } catch (thrown) {
      if (!isRefusal(thrown)) return failed(describeError(thrown));
      // It may refuse this search, and not the credentials.
      const isQuestion = await ask({ _id: UNUSED_ID }).then(
        () => true,
        () => false,
      );
      if (!isQuestion) return failed(describeError(thrown));
      return passed(`${hasAccess.why} But it refuses to be searched by identifier, which it offers.`);
    }
  });
}

function isRefusal(thrown: unknown): boolean {
  return thrown instanceof CredentialsProblem || (thrown instanceof AppError && thrown.code === 'ehrRefused');
}

const UNUSED_ID = 'chartwright-probe';

async function testWriting(
  { knowledge, ledger, check, runtime, searchLagMs, onLeftBehind }: ProbeParts,
  { ehr, capabilities, site }: Pick<Contact, 'ehr' | 'capabilities' | 'site'>,
  signal: AbortSignal,
): Promise<WriteTest> {
  const lease = await ledger.acquire(`${site.name}/probe`, `probe ${runtime.makeUuid()}`, LEASE_MS);
  if (lease === undefined) {
    throw new AppError('inUse', `A write test of ${site.name} is running: wait until it has ended`, {
      retryAfterSeconds: 60,
    });
  }
  try {
    const { software } = capabilities;
    const recall = () => knowledge.recall(site.name, software);
    const learn = (fact: EhrFact) => knowledge.learn(site.name, software, fact);
    const parts = { site, ehr, capabilities, facts: await recall(), learn, recall, check, runtime, searchLagMs };
    const test = await tryWriting(parts, signal);
    if (test.leftBehind.length > 0) onLeftBehind?.(site.name, test);
    return test;
  } finally {
    await ledger.release(lease);
  }
}

type ProbedSite = {
  readonly site: LoadedSite;
  readonly siteTypes: SiteTypes;
  readonly engine: string;
  readonly capabilities: EhrCapabilities;
  readonly facts: readonly LearnedFact[];
};

function describe(probed: ProbedSite): Omit<ProbeReport, 'steps'> {
  const { site, siteTypes, capabilities, facts } = probed;
  const { software, fhirVersion } = capabilities;
  const head = headOf(site);
  const types = [...siteTypes.documentsByType.keys()];
  const ladder = assessStrategies({ capabilities, facts, types });
  const next = ladder.find(({ isUsable }) => isUsable);
  return {
    ...head,
    ehr: { ...head.ehr, ...(isNamed(capabilities) && { software }), ...(fhirVersion !== '' && { fhirVersion }) },
    isUsable: next !== undefined && next.rung !== 'hold',
    types: probedTypes(probed),
    ladder: ladder.map((step) => ({ ...step, isNext: step === next })),
    learned: facts.map(({ name, value, learnedAt }) => ({ name, value, learnedAt: learnedAt.toISOString() })),
    warnings: probeWarnings(probed),
  };
}
