import { makeFhirEhrs } from '../../../src/outbound/fhir/fhir-ehrs.ts';
import { systemRuntime } from '../../../src/platform/system-runtime.ts';
import { describeEhr } from '../../contracts/ehr-contract.ts';
import { makeFakeEhr } from '../../fakes/ehr.ts';
import { makeFakeEhrKnowledge } from '../../fakes/ehr-knowledge.ts';
import { startSandboxEhr, TEST_ENCOUNTER, TEST_PATIENT } from '../../support/sandbox-ehr.ts';

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

describeEhr('The EHR in memory', async () => {
  const ehr = makeFakeEhr({ resources: [TEST_PATIENT, TEST_ENCOUNTER] });
  return { ehr, put: (resource) => void ehr.put(resource) };
});
