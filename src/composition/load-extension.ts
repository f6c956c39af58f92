// Loads the sandbox, which is the one extension of this product. Its EHR and its drills are imported only if it is on.
import path from 'node:path';
import { NO_SPEECH } from '../flows/health/check-engines.ts';
import { makePostgresSiteMemory } from '../outbound/postgres/sites/site-memory.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import { makeSandbox } from '../sandbox/sandbox.ts';
import { makeRecordedSpeech } from '../sandbox/speech/recorded-speech.ts';
import type { EngineContext } from './engine-context.ts';
import type { Extension } from './extension.ts';
import type { Storage } from './open-storage.ts';

type LoadedExtension = Pick<Extension, 'speech'> & {
  readonly withStorage: (storage: Pick<Storage, 'database'>) => Extension;
};

export function loadExtension(context: EngineContext): LoadedExtension {
  const { config, logger, shutdown, version } = context;
  const sandbox = makeSandbox({
    wanted: config.SANDBOX,
    folder: path.join(config.DATA_DIR, 'sandbox'),
    port: config.SANDBOX_PORT,
    amqpUrl: config.AMQP_URL,
    version,
    logger,
    shutdown,
    runtime: systemRuntime,
  });
  const speech = makeRecordedSpeech({ recordings: sandbox.recordings, message: NO_SPEECH });
  return {
    speech,
    withStorage: (storage) => ({ ...sandbox.withMemory(makePostgresSiteMemory(storage)), speech }),
  };
}
