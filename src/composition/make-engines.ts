// Picks the reasoner and speech adapters from the configuration and logs the choice. Only what is picked is loaded.
import { prepareRepair } from '../domain/diagnosis/repair-diagnosis.ts';
import { isRules } from '../domain/site/engine-choice.ts';
import { openNoteChecker } from '../evidence/open-note-checker.ts';
import { type FindNames, makeFindNames } from '../flows/codes/official-names.ts';
import { makeWatchAnswers, type WatchAnswers } from '../flows/health/watch-answers.ts';
import { makeHttpFetch } from '../platform/http-fetch.ts';
import { systemRuntime } from '../platform/system-runtime.ts';
import type { CodeLists } from '../ports/codes.ts';
import type { NoteChecker } from '../ports/note-checker.ts';
import type { Reasoner } from '../ports/reasoner.ts';
import type { Runs } from '../ports/runs.ts';
import type { Speech } from '../ports/speech.ts';
import type { Verifier } from '../ports/verifier.ts';
import type { EngineContext } from './engine-context.ts';
import { makeReasoner } from './make-reasoner.ts';
import { makeVerifier } from './make-verifier.ts';
import { makeWatchVendors } from './watch-vendors.ts';

export type Engines = {
  readonly reasoner: Reasoner;
  readonly speech: Speech;
  readonly noteChecker: NoteChecker;
  /** The second check of notes; undefined if there is none. */
  readonly verifier: Verifier | undefined;
  readonly answers: WatchAnswers;
  readonly findNames: FindNames;
  /** To be called when the database is open: the reasoner is made before, and until then there are no official names. */
  readonly useCodes: (lists: Pick<CodeLists, 'displays'>) => void;
};

export type RunEngines = Pick<Engines, 'reasoner' | 'speech'>;

/** Throws as `makeReasoner`. `builtin` is used if no speech recognition is configured. */
export async function makeEngines(context: EngineContext, builtin: Pick<Engines, 'speech'>): Promise<Engines> {
  let lists: Pick<CodeLists, 'displays'> | undefined;
  const findNames = makeFindNames(() => lists);
  const useCodes: Engines['useCodes'] = (opened) => {
    lists = opened;
  };
  const answers = watchAnswers(context);
  const watchVendors = makeWatchVendors(context);
  const onCall = (call: Parameters<Parameters<typeof makeReasoner>[1]>[0]) => {
    watchVendors(call);
    if (call.answeredBy !== undefined) answers.note(call.answeredBy);
  };
  const reasoner = await makeReasoner(context.config, onCall, { findNames, tracing: context.tracing });
  // What answers for the verifier is no news about the reasoner.
  const verifier = await makeVerifier(context.config, watchVendors, { tracing: context.tracing });
  const noteChecker = openNoteChecker({ onWithoutLexicon: (reason) => warnOfLexicon(context, reason) });
  context.shutdown.add({ name: 'check of notes', close: noteChecker.close });
  const speech = await makeSpeech(context, builtin);
  return { reasoner, speech, noteChecker, verifier, answers, findNames, useCodes };
}

function warnOfLexicon({ logger }: EngineContext, reason: string): void {
  const message = 'knowledge/lexicon cannot be read: notes are checked without its findings';
  logger.warn(message, { component: 'check of notes', reason });
}

function watchAnswers({ logger, metrics, config }: EngineContext): WatchAnswers {
  return makeWatchAnswers({
    now: systemRuntime.now,
    onChange: ({ from, to }) => {
      metrics.answeringModelChanged();
      const fields = { component: 'reasoner', model: config.OPENAI_MODEL, from, to };
      logger.warn(
        'another model answers than before: compare its notes, and pin a version with engines.reasoner',
        fields,
      );
    },
  });
}

/** A change that happened while the engine was not running is found as well. Without an answer of the database it starts unknowing. */
export async function rememberAnswers({ answers, reasoner }: Engines, runs: Pick<Runs, 'list'>): Promise<void> {
  if (isRules(reasoner.engine)) return;
  const recent = await runs.list({ scope: 'all', model: reasoner.engine, limit: RECENT_RUNS }).catch(() => undefined);
  const last = recent?.runs.find(({ versions: { model, answeredBy } }) => model === reasoner.engine && answeredBy);
  const name = last?.versions.answeredBy;
  if (name !== undefined) answers.remember(name);
}

const RECENT_RUNS = 20;

/** Called once the engine is ready. The first diagnosis would otherwise wait for it; a request that has arrived already comes first. */
export function prepareEngines(): void {
  setImmediate(prepareRepair).unref();
}

/** Called once the engine is ready: the log must show it, too, not only the startup message. */
export function logRules({ logger }: EngineContext, { reasoner: { engine } }: Engines): void {
  if (!isRules(engine)) return;
  logger.info('no model is set: the rules are the reasoner; they are no language model and not a medical device', {
    component: 'reasoner',
    engine,
  });
}

async function makeSpeech(context: EngineContext, builtin: Pick<Engines, 'speech'>): Promise<Speech> {
  const { config, tracing } = context;
  if (config.DEEPGRAM_API_KEY === undefined && config.DEEPGRAM_BASE_URL === undefined) return builtin.speech;
  const { makeDeepgramSpeech } = await import('../outbound/deepgram/deepgram-speech.ts');
  const { parseDeepgramModels } = await import('../outbound/deepgram/models.ts');
  return makeDeepgramSpeech({
    apiKey: config.DEEPGRAM_API_KEY,
    baseUrl: config.DEEPGRAM_BASE_URL,
    models: parseDeepgramModels(config.DEEPGRAM_MODEL),
    baseTimeoutMs: config.SPEECH_BASE_SECONDS * 1000,
    fetch: makeHttpFetch({ tracing }),
    onCall: makeWatchVendors(context),
  });
}
