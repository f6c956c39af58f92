// A probe's write test against EHRs with faults, with the base mappings and the real client: its report, the write strategy that follows from
// it, and that nothing is left behind.
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WriteStrategy } from '../../src/domain/chart/write-strategies.ts';
import type { ProbeReport } from '../../src/flows/probing/probe-report.ts';
import { makeProbeSite } from '../../src/flows/probing/probe-site.ts';
import { makeFhirEhrs } from '../../src/outbound/fhir/fhir-ehrs.ts';
import { openSiteRegistry } from '../../src/outbound/files/site-registry.ts';
import { systemRuntime } from '../../src/platform/system-runtime.ts';
import type { LoadedSite } from '../../src/ports/sites.ts';
import type { Fault } from '../../src/sandbox/faults/faults.ts';
import { PROJECT } from '../cli/run-cli.ts';
import { makeFakeEhrKnowledge } from '../fakes/ehr-knowledge.ts';
import { makeFakeLedger } from '../fakes/ledger.ts';
import { makeFakeReasoner } from '../fakes/reasoner.ts';
import { makeLocalServers } from '../support/local-servers.ts';
import { startSandboxEhr, type TestEhr } from '../support/sandbox-ehr.ts';
import { startTokenServer } from '../support/token-server.ts';

const servers = makeLocalServers();

let ehr: TestEhr;
let site: LoadedSite;
let folder: string;

beforeAll(async () => {
  ehr = await startSandboxEhr();
  folder = await mkdtemp(path.join(tmpdir(), 'chartwright-sites-'));
  await cp(path.join(PROJECT, 'mappings'), folder, { recursive: true });
  await mkdir(path.join(folder, 'mercy'));
  await writeFile(
    path.join(folder, 'mercy/site.yaml'),
    `extends: base\norganization: mercy-general\nehr: { baseUrl: ${ehr.baseUrl} }\n`,
  );
  const registry = await openSiteRegistry({ directory: folder, environment: {}, isOptional: false, onLoad: () => {} });
  await registry.close();
  const loaded = registry.current().sites.get('mercy');
  if (loaded === undefined) throw new Error('the site of this test did not load');
  site = loaded;
});
afterAll(async () => {
  await ehr?.close();
  await servers.close();
  await rm(folder, { recursive: true, force: true });
});

/** The pauses are short, because no fault here depends on their length. */
const runtime = {
  ...systemRuntime,
  pause: (ms: number, signal: AbortSignal) => systemRuntime.pause(Math.min(ms, 40), signal),
};

async function probe(...faults: readonly Fault[]): Promise<ProbeReport> {
  return probeAt(site, ...faults);
}

async function probeAt(probed: LoadedSite, ...faults: readonly Fault[]): Promise<ProbeReport> {
  ehr.faults.set(faults);
  const knowledge = makeFakeEhrKnowledge();
  const ehrs = makeFhirEhrs({ knowledge, runtime });
  const reasoner = makeFakeReasoner();
  const probeSite = makeProbeSite({
    ehrs,
    reasoner,
    knowledge,
    ledger: makeFakeLedger(),
    runtime,
    searchLagMs: 10_000,
  });
  try {
    return await probeSite({ site: probed, writeTest: true }, new AbortController().signal);
  } finally {
    ehrs.close();
    ehr.faults.set([]);
  }
}

const failedSteps = ({ writeTest }: ProbeReport) =>
  writeTest?.steps.filter(({ result }) => result !== 'passed').map(({ name, result }) => `${name}: ${result}`);
const nextRung = ({ ladder }: ProbeReport) => ladder.find(({ isNext }) => isNext)?.rung;
const learned = (report: ProbeReport) => report.learned.map(({ name, value }) => `${name}=${value}`);

/** Expects only the patient and the encounter of the hospital. */
function expectNothingLeft(report: ProbeReport): void {
  expect(report.writeTest?.leftBehind).toEqual([]);
  const kept = Object.entries(ehr.store.counts()).filter(([, count]) => count > 0);
  expect(Object.fromEntries(kept)).toEqual({ Patient: 1, Encounter: 1 });
}

describe('a write test', () => {
  it('a write test passes at an EHR that does what it declares', async () => {
    const report = await probe();
    expect(failedSteps(report)).toEqual([]);
    expect(nextRung(report)).toBe('transaction');
    expect(learned(report)).toEqual(
      expect.arrayContaining(['transaction=proven-atomic', 'conditional=passed', 'if-match=honoured', 'drafts=taken']),
    );
    expectNothingLeft(report);
  });

  it.each<[string, readonly Fault[], readonly string[], readonly string[], WriteStrategy]>([
    [
      'runs transactions entry by entry and does not say so',
      [{ mode: 'transaction-as-batch', says: 'transaction-response' }],
      ['all or nothing: failed'],
      ['transaction=batch'],
      'single-creates',
    ],
    [
      'calls its transactions batches',
      [{ mode: 'transaction-as-batch', says: 'batch-response' }],
      ['a transaction: failed'],
      ['transaction=batch'],
      'single-creates',
    ],
    [
      'says that it takes transactions, and takes none',
      [{ mode: 'no-transactions' }],
      ['a transaction: failed', 'all or nothing: not-tried', 'a conditional transaction: not-tried'],
      ['transaction=refused'],
      'single-creates',
    ],
    [
      'has a search that is late',
      [{ mode: 'search-lag', ms: 300, alsoConditions: false }],
      [],
      ['transaction=proven-atomic'],
      'transaction',
    ],
    [
      'makes a second copy where a condition should prevent it',
      [{ mode: 'no-conditional-create', how: 'ignored' }],
      ['a conditional transaction: failed'],
      ['conditional=failed', 'transaction=proven-atomic'],
      'transaction',
    ],
    [
      'overwrites later versions',
      [{ mode: 'if-match-ignored' }],
      ['a new version: failed'],
      ['if-match=ignored'],
      'transaction',
    ],
    [
      'does not take a type that it offers',
      [{ mode: 'types-refused', types: ['RiskAssessment'] }],
      ['RiskAssessment (risk-assessment): failed'],
      ['type:RiskAssessment=refused', 'type:Condition=taken'],
      'transaction',
    ],
    [
      'loses some of its answers',
      [{ mode: 'lost-answer', how: 503, isStored: true, after: 2, times: 2 }],
      [],
      ['type:Composition=taken'],
      'transaction',
    ],
  ])('a write test reports an EHR that %s', async (_, faults, failures, facts, rung) => {
    const report = await probe(...faults);
    expect(failedSteps(report)).toEqual(expect.arrayContaining([...failures]));
    expect(learned(report)).toEqual(expect.arrayContaining([...facts]));
    expect(nextRung(report)).toBe(rung);
    expectNothingLeft(report);
  });

  it('a write test reports an EHR that accepts no drafts, and the drafts of its site are held', async () => {
    const report = await probe({ mode: 'drafts-refused' });
    expect(learned(report)).toContain('drafts=refused');
    expect(report.warnings).toContainEqual(expect.stringMatching(/accepts no drafts/));
    expectNothingLeft(report);
  });

  it('a write test at an EHR that refuses searches by identifier distinguishes a refused search from refused credentials', async () => {
    const report = await probe({ mode: 'identifier-search', how: 'refused' });
    const credentials = report.steps.find(({ name }) => name === 'credentials');
    expect(credentials).toMatchObject({
      result: 'passed',
      why: expect.stringContaining('refuses to be searched by identifier'),
    });
    expect(report.types.find(({ type }) => type === 'Composition')?.findBy).not.toBe('identifier');
    expectNothingLeft(report);
    expect((await probe({ mode: 'unauthorized' })).steps).toContainEqual({
      name: 'credentials',
      result: 'failed',
      why: 'mercy: the EHR refuses our credentials (401): look at ehr.auth of that site.',
    });
  });

  const withTokens = (baseUrl: string): LoadedSite => {
    const auth = { type: 'client-credentials', clientId: 'chartwright', clientSecret: 'wrong' } as const;
    return { ...site, settings: { ...site.settings, ehr: { baseUrl, auth, maxConcurrentWrites: 2, headers: {} } } };
  };

  it('a probe shows a wrong secret under credentials, and asks the EHR nothing', async () => {
    const { baseUrl, behaviour, apiCalls } = await startTokenServer(servers);
    behaviour.onToken = (response) => void response.writeHead(401).end(JSON.stringify({ error: 'invalid_client' }));
    const { steps, isUsable } = await probeAt(withTokens(baseUrl));
    expect(isUsable).toBe(false);
    expect(steps).toEqual([
      { name: 'reached', result: 'not-tried', why: expect.stringMatching(/credentials/) },
      {
        name: 'credentials',
        result: 'failed',
        why: expect.stringMatching(/The token server refuses us .*clientSecret/),
      },
    ]);
    expect(apiCalls).toEqual([]);
  });

  it('a probe shows a wrong path of the base as that, and not as a problem of tokens', async () => {
    const origin = await servers.serve((_, response) => void response.writeHead(404).end());
    const { steps } = await probeAt(withTokens(`${origin}/nowhere`));
    expect(steps).toEqual([
      {
        name: 'reached',
        result: 'failed',
        why: expect.stringMatching(/There is no FHIR server at ehr\.baseUrl .*check its path/),
      },
    ]);
  });

  it('the report of a write test names no patient of the hospital', async () => {
    const report = JSON.stringify(await probe());
    expect(report).not.toMatch(/p-1|e-1/);
  });
});
