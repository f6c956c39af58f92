// Plays one talk through the flow of a run, with the shipped mappings and a model behind the wire: the recording is transcribed, the model is
// asked for the note and the diagnosis, the note is checked, and the documents are written. Only the stores and the EHR are in memory.
import { makeReasoner } from '../../../src/composition/make-reasoner.ts';
import { readConfig } from '../../../src/config.ts';
import type { Run } from '../../../src/domain/run/run.ts';
import type { StepResults } from '../../../src/domain/run/step-results.ts';
import { readFolders } from '../../../src/outbound/files/mapping-folders.ts';
import type { Reasoner } from '../../../src/ports/reasoner.ts';
import type { LoadedSite } from '../../../src/ports/sites.ts';
import { type OpenAiServer, startOpenAiServer } from '../../support/openai-server.ts';
import { aRunTestbed } from '../../support/run-testbed.ts';
import type { Invention, Talk } from './cases.ts';
import { diagnosisOf, noteOf } from './obedient-answers.ts';

export type Played = {
  readonly run: Pick<Run, 'status' | 'reason'>;
  readonly results: Partial<StepResults>;
  /** What is in the chart, or would be if a person agreed, as JSON. */
  readonly chart: string;
  /** The same with the diagnosis that the engine keeps. */
  readonly written: string;
  /** What the model was asked for the diagnosis. */
  readonly askedForDiagnosis: string;
};

export type Player = {
  readonly play: (talk: Talk, invention?: Invention) => Promise<Played>;
  readonly close: () => Promise<void>;
};

const MAPPINGS = new URL('../../../mappings', import.meta.url).pathname;
/** The whole answer in one event. */
const CHUNK_CHARS = 65_536;

export async function openPlayer(): Promise<Player> {
  const [model, base] = await Promise.all([startOpenAiServer(), readBase()]);
  const config = readConfig({ OPENAI_BASE_URL: model.baseUrl, OPENAI_MODEL: 'obedient' });
  const reasoner = await makeReasoner(config, () => undefined);
  return {
    play: (talk, invention) => playOne({ model, reasoner, base, talk, invention }),
    close: () => model.close(),
  };
}

type PlayParts = {
  readonly model: OpenAiServer;
  readonly reasoner: Reasoner;
  readonly base: LoadedSite;
  readonly talk: Talk;
  readonly invention: Invention | undefined;
};

/** The model answers the same if it is asked again. */
async function playOne({ model, reasoner, base, talk, invention }: PlayParts): Promise<Played> {
  const asked = model.requests.length;
  model.behave(({ schemaName }) => ({
    kind: 'answer',
    chunkChars: CHUNK_CHARS,
    content: () => (schemaName === 'clinical_note' ? noteOf(talk, invention) : diagnosisOf(talk, invention)),
  }));
  const { mode: _, ehr: __, ...settings } = base.settings;
  const testbed = aRunTestbed({
    model: reasoner,
    mappings: Object.fromEntries(base.mappings),
    codes: base.codes,
    settings: { ...settings, language: { ...settings.language, speech: talk.language, note: talk.language } },
  });
  testbed.speech.hear(talk.utterances);
  await testbed.accept();
  await testbed.drain();
  const run = await testbed.onlyRun();
  const results = await testbed.runs.results(run.id);
  const questions = model.requests.slice(asked).flatMap(({ body, rawBody = '' }) => {
    return body?.response_format?.json_schema.name === 'clinical_note' ? [] : [rawBody];
  });
  const chart = JSON.stringify([testbed.hospital.written(), results.map?.documents]);
  const written = `${chart}\n${JSON.stringify(results.diagnose?.diagnosis)}`;
  return { run, results, chart, written, askedForDiagnosis: questions.join('\n') };
}

async function readBase(): Promise<LoadedSite> {
  const { folders } = await readFolders({ directory: MAPPINGS, environment: {} });
  const base = folders.find(({ kind }) => kind === 'base')?.site;
  if (base === undefined) throw new Error('mappings/base cannot be loaded');
  return base;
}
