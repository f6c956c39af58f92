import { describe, expect, it } from '@jest/globals';
import { isDiseaseTableBuilt } from '../../src/clinical-text/diseases/disease-table.ts';
import { makeEngines, prepareEngines } from '../../src/composition/make-engines.ts';
import { readConfig } from '../../src/config.ts';
import { makeLogger } from '../../src/platform/logger.ts';
import { makeMetrics } from '../../src/platform/metrics.ts';
import { makeShutdown } from '../../src/platform/shutdown.ts';
import { makeTracing } from '../../src/platform/tracing/tracing.ts';
import { makeFakeSpeech } from '../fakes/speech.ts';
import { until } from '../support/until.ts';

describe('The table of diseases', () => {
  it.each([{}, { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }])(
    'is not built while engines are made of %j',
    async (environment) => {
      const context = {
        config: readConfig(environment),
        version: '0',
        logger: makeLogger({ level: 'fatal', format: 'json', isColored: false }),
        metrics: makeMetrics(),
        tracing: makeTracing(),
        shutdown: makeShutdown(),
        isStopping: () => false,
      };
      await makeEngines(context, { speech: makeFakeSpeech() });
      expect(isDiseaseTableBuilt()).toBe(false);
    },
  );

  it('is built when the engine is ready, before a diagnosis needs it, and not while the caller waits', async () => {
    prepareEngines();
    expect(isDiseaseTableBuilt()).toBe(false);
    await until(isDiseaseTableBuilt);
  });
});
