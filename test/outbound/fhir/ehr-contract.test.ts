import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeFhirEhrs } from '../../../src/outbound/fhir/fhir-ehrs.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import { describeEhr } from '../../contracts/ehr-contract.ts';
import { makeFakeEhr } from '../../fakes/ehr.ts';
import { makeFakeEhrKnowledge } from '../../fakes/ehr-knowledge.ts';
import { startSandboxEhr, TEST_ENCOUNTER, TEST_PATIENT } from '../../support/sandbox-ehr.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' });

describeEhr('The adapter at a real server', async () => {
  const server = await startSandboxEhr({ subscriptions: { hasTopics: true } });
  const ehrs = makeFhirEhrs({ knowledge: makeFakeEhrKnowledge(), runtime: systemRuntime });
  return {
    ehr: ehrs.of(server.site),
    put: (resource) => void server.store.put(resource),
    close: async () => {
      ehrs.close();
      await server.close();
    },
  };
});

describeEhr('The adapter at a server that keeps its charts and wants signed tokens', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandbox-contract-'));
  const server = await startSandboxEhr({
    folder,
    subscriptions: { hasTopics: true },
    clients: [{ clientId: 'chartwright', publicJwk: publicKey.export({ format: 'jwk' }) }],
  });
  const auth = { type: 'backend-services', clientId: 'chartwright', privateKey: String(privatePem) } as const;
  const { ehr } = server.site.settings;
  const ehrs = makeFhirEhrs({ knowledge: makeFakeEhrKnowledge(), runtime: systemRuntime });
  return {
    ehr: ehrs.of(server.siteWith({ ...(ehr && { ehr: { ...ehr, auth } }) })),
    put: (resource) => void server.store.put(resource),
    close: async () => {
      ehrs.close();
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

describeEhr('The EHR in memory', async () => {
  const ehr = makeFakeEhr({ resources: [TEST_PATIENT, TEST_ENCOUNTER] });
  return { ehr, put: (resource) => void ehr.put(resource) };
});
