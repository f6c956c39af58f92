// Support for the journeys of a diagnosis: engines on a database of their own with a simulated model, histories in three languages, the
// expected answers, and streams that are read while the model still answers.
import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import pg from 'pg';
import type { Language } from '../../src/domain/language.ts';
import { errorResponse } from '../../src/inbound/http/api/response-schemas.ts';
import { type Engine, startEngine } from './engine.ts';
import { type Answer, type FormPart, openStream, type StreamEvent } from './journey-client.ts';
import { diagnosisAnswer } from './openai-answers.ts';
import type { Gate } from './openai-behaviours.ts';
import { type OpenAiServer, startOpenAiServer } from './openai-server.ts';
import { makeMigratedDatabase } from './postgres.ts';
import { until } from './until.ts';

export type DiagnosisSetup = {
  readonly model: OpenAiServer;
  readonly connectionString: string;
  /** All engines of a setup have one database, one master key and one model. */
  readonly startEngine: (env?: Readonly<Record<string, string>>) => Promise<Engine>;
  /** Runs SQL and returns the rows. Tests use it to let time pass, by moving stored times into the past. */
  readonly sql: (
    statement: string,
    values?: readonly unknown[],
  ) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  readonly close: () => Promise<void>;
};

export async function openDiagnosisSetup(): Promise<DiagnosisSetup> {
  const { connectionString, drop } = await makeMigratedDatabase();
  const model = await startOpenAiServer();
  const masterKey = randomBytes(32).toString('base64');
  const engines: Engine[] = [];
  return {
    model,
    connectionString,
    async startEngine(env = {}) {
      const shared = { DATABASE_URL: connectionString, MASTER_KEY: masterKey, OPENAI_BASE_URL: model.baseUrl };
      const engine = await startEngine({ env: { ...shared, ...env } });
      engines.push(engine);
      return engine;
    },
    async sql(statement, values = []) {
      const client = new pg.Client({ connectionString });
      await client.connect();
      try {
        return (await client.query(statement, [...values])).rows;
      } finally {
        await client.end();
      }
    },
    async close() {
      // A model that hangs would hold the engines' last requests, so it is closed first.
      await model.close();
      await Promise.all(engines.map((engine) => engine.stop()));
      await drop();
    },
  };
}

/** All patients are made up. */
export const HISTORIES: Readonly<Record<Language, string>> = {
  en: 'Woman of 54 years, fever and productive cough for four days, crackles at the right base.',
  es: 'Mujer de 54 años con fiebre y tos productiva desde hace cuatro días, crepitantes en la base derecha.',
  pt: 'Mulher de 54 anos com febre e tosse produtiva há quatro dias, crepitações na base direita.',
};
export const HISTORY = HISTORIES.en;

export const historyPart: FormPart = { name: 'clinical_history', value: HISTORY };

export function filePart(fileName: string, bytes: Uint8Array<ArrayBuffer>, type = ''): FormPart {
  return { name: 'files', bytes, fileName, type };
}

/** Returns the usual answer of the simulated model as a client gets it: absent values have no field. */
export function expectedDiagnosis(language: Language = 'en') {
  const { diagnosis, triage } = diagnosisAnswer(language);
  const diseases = diagnosis.diseases.map(({ drugs, standard_care, ...disease }) => ({
    ...disease,
    standard_care: standard_care.map(({ name, url }) => (url === null ? { name } : { name, url })),
    ...(drugs !== null && { drugs }),
  }));
  return { diagnosis: { diseases }, triage };
}

/** The last event of a stream that succeeds. */
export function finalEventOf(diagnosis: object) {
  return { event: 'final', data: { type: 'final', ...diagnosis } };
}

export function expectedFinal(language: Language = 'en') {
  return finalEventOf(expectedDiagnosis(language));
}

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
};

/** Expects the status, and a body of exactly the form of the service interface. Returns the messages in one text. */
export function expectError(answer: Answer, status: number): string {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status, body: { statusCode: status } });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { error, message } = errorResponse.strict().parse(answer.body);
  expect(error).toBe(STATUS_NAMES[status]);
  return [message].flat().join('\n');
}

export function expectDiagnosis(answer: Answer, language: Language = 'en'): void {
  expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: expectedDiagnosis(language) });
}

export type FollowedStream = {
  /** The events that have arrived so far. */
  readonly events: readonly StreamEvent[];
  readonly response: Response;
  /** Resolves with all events after the stream has ended. */
  readonly ended: Promise<readonly StreamEvent[]>;
};

function followStream(response: Response): FollowedStream {
  const events: StreamEvent[] = [];
  const ended = (async () => {
    for await (const event of openStream(response)) events.push(event);
    return events;
  })();
  // A test that leaves a stream on purpose does not wait for its end.
  ended.catch(() => undefined);
  return { events, response, ended };
}

/** The engine has this many looks to pass on what it has, before the model sends its next piece. */
const LOOKS_PER_PIECE = 5;

/** Lets the model answer piece by piece until the first event has arrived; all further pieces wait for the gate. */
export async function untilFirstEvent(opening: Promise<Response>, gate: Gate): Promise<FollowedStream> {
  let stream: FollowedStream | undefined;
  let failure: unknown;
  let looks = 0;
  opening.then(
    (response) => {
      stream = followStream(response);
    },
    (thrown: unknown) => {
      failure = thrown;
    },
  );
  await until(() => {
    looks += 1;
    if (looks % LOOKS_PER_PIECE === 0) gate.openWaiting();
    if (failure !== undefined) throw failure;
    if (stream !== undefined && stream.response.status >= 400) throw new Error(`refused: ${stream.response.status}`);
    return stream !== undefined && stream.events.length > 0;
  });
  if (stream === undefined) throw new Error('there is no stream');
  return stream;
}

export type UsageLine = {
  readonly key: string;
  readonly operation: string;
  readonly requests: number;
  readonly failures: number;
  readonly cancelled: number;
  readonly aiMs: number;
  readonly durationMs: number;
  readonly audioSeconds: number;
};

export async function usageOf(engine: Engine, organization: string): Promise<readonly UsageLine[]> {
  const answer = await engine.ops('GET', `/usage?organization=${encodeURIComponent(organization)}`);
  return (answer as { readonly usage: readonly UsageLine[] }).usage;
}

/** Returns the id in the text of a key; the rest of the text is the secret. */
export function keyIdOf(keyText: string): string {
  return keyText.split('_')[1] ?? '';
}

export type StreamSession = {
  readonly sessionId: string;
  readonly streamUrl: string;
  readonly eventSourceUrl: string;
};

export function sessionOf(answer: Answer): StreamSession {
  expect(answer.status).toBe(201);
  return answer.body as StreamSession;
}
