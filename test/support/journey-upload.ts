// Support for the journeys of a transcription: an engine with a simulated speech vendor and a simulated model, a form that is sent bit by bit,
// and the expected answers.
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { expect } from '@jest/globals';
import type { Language } from '../../src/domain/language.ts';
import { errorResponse } from '../../src/inbound/http/api/response-schemas.ts';
import { makeAudio } from './audio-samples.ts';
import { type DeepgramServer, startDeepgramServer } from './deepgram-server.ts';
import { type Engine, startEngine } from './engine.ts';
import { type Answer, type FormPart, postForm } from './journey-client.ts';
import { noteAnswer } from './openai-answers.ts';
import { type OpenAiServer, startOpenAiServer } from './openai-server.ts';
import { makeMigratedDatabase } from './postgres.ts';

export const NOTE_PATH = '/transcribe';
export const CONVERSATION_PATH = '/transcribe/conversation';
export const AUDIO_PATHS = [NOTE_PATH, CONVERSATION_PATH] as const;

export type Clinic = {
  readonly engine: Engine;
  readonly speech: DeepgramServer;
  readonly model: OpenAiServer;
  readonly connectionString: string;
  /** The key has the plan `unlimited`. */
  readonly key: string;
  readonly spooledFiles: () => Promise<readonly string[]>;
  /** Makes both vendors behave as usual again. */
  readonly calmDown: () => void;
  readonly close: () => Promise<void>;
};

type ClinicParts = {
  readonly env?: Readonly<Record<string, string>>;
  /** The vendors that the engine is configured with; absent: both. */
  readonly vendors?: readonly ('speech' | 'model')[];
};

export async function openClinic({ env = {}, vendors = ['speech', 'model'] }: ClinicParts = {}): Promise<Clinic> {
  // They are closed in this order, because a vendor that hangs would hold the engine's last requests.
  const closings: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closing of closings.splice(0)) await closing();
  };
  try {
    const { connectionString, drop } = await makeMigratedDatabase();
    closings.push(drop);
    const [speech, model] = await Promise.all([startDeepgramServer(), startOpenAiServer()]);
    closings.unshift(speech.close, model.close);
    const engine = await startEngine({
      env: {
        DATABASE_URL: connectionString,
        ...(vendors.includes('speech') && { DEEPGRAM_BASE_URL: speech.baseUrl }),
        ...(vendors.includes('model') && { OPENAI_BASE_URL: model.baseUrl }),
        ...env,
      },
    });
    closings.splice(2, 0, engine.stop);
    return {
      engine,
      speech,
      model,
      connectionString,
      key: await engine.makeKey(),
      spooledFiles: () => readdir(path.join(engine.dataDir, 'spool')),
      calmDown: () => {
        speech.behave();
        model.behave({ kind: 'answer' });
      },
      close,
    };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

export const RECORDING = makeAudio('wav', 40_000);

/** Returns a file in the form's field `file`. */
export function recordingPart(bytes: Uint8Array<ArrayBuffer> = RECORDING, fileName = 'visit.wav', type = ''): FormPart {
  return { name: 'file', bytes, fileName, type };
}

export function fieldParts(fields: Readonly<Record<string, string>>): FormPart[] {
  return Object.entries(fields).map(([name, value]) => ({ name, value }));
}

/** Sends the fields and then a recording, with the clinic's key. */
export function sendRecording(
  { engine, key }: Pick<Clinic, 'engine' | 'key'>,
  to: string,
  fields: Readonly<Record<string, string>> = {},
  recording: FormPart = recordingPart(),
): Promise<Answer> {
  return postForm(engine, to, key, [...fieldParts(fields), recording]);
}

const BOUNDARY = 'journey-boundary';

/** A form that is sent bit by bit. Parts that are added after an answer has begun are not sent any more. */
export class LiveForm {
  readonly #request: http.ClientRequest;
  /** Rejects if the connection ends without a whole answer. */
  readonly answer: Promise<Answer>;
  #isOver = false;

  constructor(target: {
    readonly url: string;
    readonly path: string;
    readonly key: string;
    readonly headers?: Readonly<Record<string, string>>;
  }) {
    this.#request = http.request(`${target.url}${target.path}`, {
      method: 'POST',
      agent: false,
      headers: {
        'x-api-key': target.key,
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        ...target.headers,
      },
    });
    this.answer = readAnswer(this.#request);
    this.answer.catch(() => undefined);
    this.#request.once('response', () => this.#end()).once('close', () => this.#end());
  }

  field(name: string, value: string): this {
    this.#write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
    return this;
  }

  beginFile(fileName = 'visit.wav'): this {
    this.#write(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\n\r\n`);
    return this;
  }

  /** Sends the chunks at the pace at which the engine reads them. */
  async send(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<this> {
    for await (const chunk of chunks) {
      if (this.#isOver) break;
      if (!this.#request.write(chunk)) await this.#writable();
    }
    return this;
  }

  endFile(): this {
    this.#write('\r\n');
    return this;
  }

  /** Ends the form and returns the answer. */
  end(): Promise<Answer> {
    if (!this.#isOver) this.#request.end(`--${BOUNDARY}--\r\n`);
    return this.answer;
  }

  leave(): void {
    this.#request.destroy();
  }

  #write(text: string): void {
    if (!this.#isOver) this.#request.write(text);
  }

  async #writable(): Promise<void> {
    const isHeard = new AbortController();
    const { signal } = isHeard;
    const waits = ['drain', 'close', 'response'].map((event) => once(this.#request, event, { signal }));
    await Promise.race(waits.map((wait) => wait.catch(() => undefined)));
    isHeard.abort();
  }

  #end(): void {
    this.#isOver = true;
  }
}

async function readAnswer(request: http.ClientRequest): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  // If the connection breaks after the answer has begun, reading the answer fails.
  request.once('response', resolve).on('error', reject);
  const message = await promise;
  let text = '';
  for await (const piece of message.setEncoding('utf8')) text += piece;
  const headers = new Headers();
  for (const [name, values] of Object.entries(message.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return { status: message.statusCode ?? 0, headers, text, body: text === '' ? undefined : JSON.parse(text) };
}

/** Returns the secret part of a key: all behind `cw_<id>_`, which may contain underscores. */
export function secretOf(key: string): string {
  return key.slice(20);
}

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  402: 'Payment Required',
  404: 'Not Found',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Expects the status, and a body of exactly the form of the service interface. Returns the messages in one text. */
export function expectError(answer: Answer, status: number): string {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status, body: { statusCode: status } });
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const { error, message } = errorResponse.strict().parse(answer.body);
  expect(error).toBe(STATUS_NAMES[status]);
  return [message].flat().join('\n');
}

type NoteBody = {
  readonly note: {
    readonly title: string;
    readonly sections: readonly { readonly key: string; readonly title: string; readonly text: string }[];
  };
  readonly dynamic_fields?: Readonly<Record<string, unknown>>;
};

export function noteOf(answer: Answer): NoteBody {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200, body: { note: {} } });
  return answer.body as NoteBody;
}

export function sectionKeys(answer: Answer): readonly string[] {
  return noteOf(answer).note.sections.map(({ key }) => key);
}

/** Returns the note of the simulated model as the client gets it. */
export function usualNote(language: Language, keys: readonly string[]) {
  const schema = { properties: { sections: { items: { properties: { key: { enum: keys } } } } } };
  const { title, sections } = noteAnswer({ language, schema });
  return {
    title,
    sections: sections.map(({ key, statements }) => ({ key, text: statements.map(({ text }) => text).join('\n') })),
  };
}

export type MessageBody = {
  readonly id: string;
  readonly speaker: number;
  readonly speaker_label: string;
  readonly text: string;
  readonly start_time?: number;
  readonly end_time?: number;
  readonly confidence?: number;
};

type ConversationBody = {
  readonly messages: readonly MessageBody[];
  readonly metadata: {
    readonly total_duration: number;
    readonly total_messages: number;
    readonly speaker_count: number;
    readonly language: string;
  };
};

export function conversationOf(answer: Answer): ConversationBody {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200, body: { conversation: {} } });
  return (answer.body as { readonly conversation: ConversationBody }).conversation;
}
