// Sites and their EHRs as an operator uses them: a real engine, the command line, and an EHR whose store the test reads.
import { generateKeyPairSync } from 'node:crypto';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PROJECT, runCli } from '../cli/run-cli.ts';
import { makeSite, type RunningEngine, type Site } from '../support/journey-engine.ts';
import { startSandboxEhr, type TestEhr } from '../support/sandbox-ehr.ts';
import { until } from '../support/until.ts';

let ehr: TestEhr;
let testbed: Site;
let engine: RunningEngine;
let url: string;
let port: number;

async function writeSite(name: string, yaml: string): Promise<void> {
  await mkdir(path.join(testbed.folder, 'mappings', name), { recursive: true });
  await writeFile(path.join(testbed.folder, 'mappings', name, 'site.yaml'), yaml);
}

beforeAll(async () => {
  ehr = await startSandboxEhr();
  testbed = await makeSite();
  await cp(path.join(PROJECT, 'mappings'), path.join(testbed.folder, 'mappings'), { recursive: true });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  await writeFile(path.join(testbed.folder, 'key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await writeSite(
    'mercy',
    `extends: base\norganization: mercy-general\nmode: shadow\nehr: { baseUrl: ${ehr.baseUrl} }\n`,
  );
  await writeSite(
    'st-mary',
    `extends: profiles/epic-like
ehr:
  baseUrl: http://ehr.invalid/fhir
  auth:
    type: backend-services
    clientId: chartwright
    kid: key-1
    privateKey: "\${file:${path.join(testbed.folder, 'key.pem')}}"
`,
  );
  await start();
});
afterAll(async () => {
  await testbed?.remove();
  await ehr?.close();
});

async function start(): Promise<void> {
  engine = testbed.start();
  ({ url, port } = await engine.ready());
}

const cli = (...args: readonly string[]) =>
  runCli({ args, environment: { PATH: process.env['PATH'] ?? '', PORT: String(port) }, folder: testbed.folder });

/** True if nothing of the write test remains beside the hospital's own patient and encounter. */
const isClean = () =>
  Object.entries(ehr.store.counts()).every(
    ([type, count]) => count === (type === 'Patient' || type === 'Encounter' ? 1 : 0),
  );

describe('an engine with two hospitals', () => {
  it('an engine names at its start the EHRs that are reached by plain http', () => {
    const { stdout, stderr } = engine.output();
    expect(stdout).toMatch(/by plain http, in the open: st-mary \(ehr\.baseUrl\)/);
    expect(stderr).toContain('the EHR of st-mary is reached by plain http');
    expect(stderr).not.toContain('the EHR of mercy is reached');
  });

  it('sites list shows when each EHR last answered', async () => {
    expect((await cli('sites', 'list')).stdout).toMatch(/^mercy +shadow +- +- +http:\/\/127\.0\.0\.1:\S+$/m);
    await cli('sites', 'probe', 'mercy');
    expect((await cli('sites', 'list')).stdout).toMatch(/^mercy +shadow +\d{4}-\d\d-\d\d \d\d:\d\d +- +http:/m);
  });

  it('a probe with a write test leaves nothing in the EHR, and the engine uses what it learned from then on', async () => {
    const { code, stdout, stderr } = await cli('sites', 'probe', 'mercy', '--write-test', '--yes');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^documents +ok +\d+ were made of a made-up visit; all are valid FHIR\.$/m);
    expect(stdout).toMatch(/^removed again +ok +All \d+ test resources are gone\.$/m);
    expect(isClean()).toBe(true);
    expect((await cli('sites', 'probe', 'mercy')).stdout).toMatch(
      /^conditional-transaction +can be used +A write test of it/m,
    );
    expect((await cli('sites', 'probe', 'mercy', '--forget')).stdout).toMatch(
      /^conditional-transaction +no +No write test/m,
    );
  });

  it('a probe of an EHR that cannot be reached says what to check and exits with 1', async () => {
    const { code, stdout, stderr } = await cli('sites', 'probe', 'st-mary');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^reached +FAILED +st-mary: /m);
    expect(stderr).toContain('The EHR of st-mary cannot be used as it is');
  });

  it('an engine gives the public keys of a site to any caller, and no private part of them', async () => {
    const response = await fetch(`${url}/ehr/st-mary/jwks.json`);
    const { keys } = (await response.json()) as { readonly keys: readonly Record<string, unknown>[] };
    expect(keys).toEqual([
      expect.objectContaining({ kty: 'EC', crv: 'P-384', kid: 'key-1', use: 'sig', alg: 'ES384' }),
    ]);
    expect(keys[0]).not.toHaveProperty('d');
    expect((await fetch(`${url}/ehr/mercy/jwks.json`)).status).toBe(404);
  });

  it('sites reconcile compares the written resources with the charts', async () => {
    expect((await cli('sites', 'reconcile', 'mercy')).stdout).toBe(
      '0 written resources of mercy looked at, 0 findings.\n',
    );
  });

  it('/readyz and /metrics show the state of the charts, and name no EHR and no patient', async () => {
    const ready = await (await fetch(`${url}/readyz`)).text();
    expect(JSON.parse(ready).components).toContainEqual({
      name: 'charts',
      status: 'ok',
      detail: 'No discrepancies were found in the charts.',
    });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(
      /^chartwright_ehr_call_duration_seconds_count\{operation="create",outcome="stored"\} \d+$/m,
    );
    const ehrLines = metrics.split('\n').filter((line) => line.includes('_ehr_call_'));
    expect(ehrLines.join('\n')).not.toMatch(/mercy|127\.0\.0\.1|Patient/);
  });

  it('the log has no reference of a resource', () => {
    expect(engine.output().stderr).not.toMatch(/(Patient|Encounter|Composition)\//);
  });
});

describe('an engine that is stopped in the middle of a write test', () => {
  it('an engine that is stopped in the middle of a write test first removes its test resources, answers the caller and exits with 0', async () => {
    const begun = ehr.store.writes().length;
    const probe = cli('sites', 'probe', 'mercy', '--write-test', '--yes');
    await until(() => ehr.store.writes().length > begun + 2);
    engine.signal('SIGTERM');
    expect((await probe).stdout).toMatch(/^removed again +ok +All \d+ test resources are gone\.$/m);
    expect(await engine.exited).toBe(0);
    expect(isClean()).toBe(true);
  });
});
