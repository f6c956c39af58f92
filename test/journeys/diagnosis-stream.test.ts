// The stream of a diagnosis from text, and the events of every stream, by docs/service-interface.md.
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { errorEvent, finalEvent, partialEvent } from '../../src/inbound/http/api/response-schemas.ts';
import type { Engine } from '../support/engine.ts';
import { makePng } from '../support/file-samples.ts';
import {
  diagnosisIn,
  postForm,
  postJson,
  readAll,
  readEvents,
  type StreamEvent,
  sendJson,
} from '../support/journey-client.ts';
import {
  expectError,
  expectedDiagnosis,
  expectedFinal,
  type FollowedStream,
  filePart,
  finalEventOf,
  HISTORIES,
  HISTORY,
  historyPart,
  openDiagnosisSetup,
  sessionOf,
  untilFirstEvent,
} from '../support/journey-diagnosis.ts';
import { nothingFoundAnswer } from '../support/openai-answers.ts';
import { FAULTS, type Gate, makeGate } from '../support/openai-server.ts';
import { openedForFile } from '../support/opened-for-file.ts';
import { RawClient } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

type Fields = Readonly<Record<string, unknown>>;

const setup = openedForFile(openDiagnosisSetup);
let engine: Engine;
let key: string;
let gate: Gate;

beforeAll(async () => {
  engine = await setup.startEngine();
  key = await engine.makeKey();
});
beforeEach(() => {
  gate = makeGate();
});
afterEach(() => {
  gate.openAll();
  setup.model.behave({ kind: 'answer' });
});

function open(body: unknown = { clinical_history: HISTORY }, headers: Readonly<Record<string, string>> = {}) {
  return sendJson(engine, '/diagnose/stream', key, body, { headers });
}

/** Both endpoints that emit events; the second one with a session that was prepared for it. */
const STREAMS = [
  ['POST /diagnose/stream', async () => open()],
  [
    'GET /diagnose/stream/{sessionId}',
    async () => {
      const parts = [historyPart, filePart('a.png', makePng())];
      const { streamUrl } = sessionOf(await postForm(engine, '/diagnose/stream/files', key, parts));
      return fetch(`${engine.url}${streamUrl}`, { headers: { 'x-api-key': key, accept: 'text/event-stream' } });
    },
  ],
] as const;

/** Sends each piece of the model's answer separately, so that there are as many partial events as possible, and returns all events. */
async function grow(opening: Promise<Response>): Promise<readonly StreamEvent[]> {
  const stream = await untilFirstEvent(opening, gate);
  let hasEnded = false;
  void stream.ended.finally(() => {
    hasEnded = true;
  });
  await until(() => {
    gate.open();
    return hasEnded;
  });
  return stream.ended;
}

/** True if the later state has all of the earlier one unchanged; texts may continue. */
function extendsState(later: unknown, earlier: unknown): boolean {
  if (typeof earlier === 'string') return typeof later === 'string' && later.startsWith(earlier);
  if (Array.isArray(earlier)) {
    return Array.isArray(later) && earlier.every((item, index) => extendsState(later[index], item));
  }
  if (typeof earlier !== 'object' || earlier === null) return later === earlier;
  return Object.entries(earlier).every(([name, value]) => extendsState((later as Fields | undefined)?.[name], value));
}

function placeOf(events: readonly StreamEvent[], text: string): number {
  return events.findIndex(({ data }) => JSON.stringify(data).includes(text));
}

describe('POST /diagnose/stream', () => {
  it('POST /diagnose/stream answers a history with 201 and an open stream of events', async () => {
    const response = await open();
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('cache-control')).toContain('no-');
    expect((await readEvents(response)).at(-1)).toEqual(expectedFinal('en'));
  });

  it.each([
    ['no history', {}],
    ['null as history', { clinical_history: null }],
    ['a blank history', { clinical_history: ' \n' }],
    ['a number as history', { clinical_history: 38.5 }],
    ['another language', { clinical_history: HISTORY, language: 'de' }],
    ['no object', '[]'],
    ['no JSON', '{'],
    ['no body', ''],
  ])('POST /diagnose/stream answers %s with 400 as a plain answer, and the model is not called', async (_, body) => {
    const calls = setup.model.requests.length;
    expectError(await readAll(await open(body)), 400);
    expect(setup.model.requests).toHaveLength(calls);
  });

  it.each(['en', 'es', 'pt'] as const)(
    'language %s of POST /diagnose/stream is the language of the answer',
    async (language) => {
      const events = await readEvents(await open({ clinical_history: HISTORIES[language], language }));
      expect(events.at(-1)).toEqual(expectedFinal(language));
    },
  );

  it('POST /diagnose/stream ignores an unknown field', async () => {
    const events = await readEvents(await open({ clinical_history: HISTORY, ward: 7 }));
    expect(events.at(-1)?.event).toBe('final');
  });

  it.each(['text/event-stream', '*/*', 'text/*;q=0.5, application/json'])(
    'POST /diagnose/stream accepts the Accept header %s',
    async (accept) => {
      expect((await readEvents(await open(undefined, { accept }))).at(-1)?.event).toBe('final');
    },
  );

  it('POST /diagnose/stream answers 400 if Accept does not allow a stream', async () => {
    expect(expectError(await readAll(await open(undefined, { accept: 'application/json' })), 400)).toContain('Accept');
  });

  it('POST /diagnose/stream answers 400 for a form, because files are for prepared streams', async () => {
    const headers = { accept: 'text/event-stream' };
    expectError(await postForm(engine, '/diagnose/stream', key, [historyPart], headers), 400);
  });

  it('the stream of a text without health content ends with no diseases and WHITE', async () => {
    setup.model.behave({ kind: 'answer', content: (_, { language }) => nothingFoundAnswer(language) });
    const events = await readEvents(await open({ clinical_history: 'A recipe for bread.' }));
    expect(events.at(-1)).toEqual(finalEventOf(nothingFoundAnswer('en')));
  });
});

describe.each(STREAMS)('the events of %s', (_, opening) => {
  let events: readonly StreamEvent[];

  beforeAll(async () => {
    gate = makeGate();
    setup.model.behave({ kind: 'answer', gate, chunkChars: 8 });
    events = await grow(opening());
  });

  it('the events of a stream are partial ones first, then one final one, and no others', () => {
    const names = events.map(({ event }) => event);
    expect(names.length).toBeGreaterThan(2);
    expect(names).toEqual([...names.slice(1).map(() => 'partial'), 'final']);
  });

  it('partial events are diagnoses of the form of the interface in which any field may be absent', () => {
    for (const { data } of events.slice(0, -1)) expect(partialEvent.parse(data)).toEqual(data);
  });

  it('partial events begin as soon as the first disease has its name', () => {
    const [{ name } = { name: '' }] = expectedDiagnosis('en').diagnosis.diseases;
    expect(events[0]?.data).toMatchObject({ diagnosis: { diseases: [{ name }] } });
    expect(placeOf(events, 'triage')).toBeGreaterThan(0);
  });

  it('each partial event only adds to the ones before', () => {
    const states = events.map(diagnosisIn);
    for (const [index, state] of states.entries()) {
      expect(extendsState(state, states[index - 1] ?? {})).toBe(true);
    }
  });

  it('no partial event repeats the state before it', () => {
    const states = events.map(({ data }) => JSON.stringify(data));
    expect(new Set(states.slice(0, -1)).size).toBe(states.length - 1);
  });

  it('partial events show name, probability and why before the tests, and the level of the triage before its justification', () => {
    const places = ['"name"', '"diagnostic_tests"', '"triage_level"'].map((text) => placeOf(events, text));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    const withoutLevel = events.filter(({ data }) => {
      const { triage = {} } = data as { readonly triage?: Fields };
      return 'triage_justification' in triage && !('triage_level' in triage);
    });
    expect(withoutLevel).toEqual([]);
  });

  it('a stream ends with the complete diagnosis that /diagnose answers', async () => {
    const { data } = events.at(-1) ?? {};
    expect(finalEvent.parse(data)).toEqual(data);
    const { body } = await postJson(engine, '/diagnose', key, { clinical_history: HISTORY });
    expect(data).toEqual({ type: 'final', ...(body as object) });
  });

  it('a stream ends with one error event with statusCode and message if the model breaks off', async () => {
    const breaksOff = { afterChunks: 60, by: 'cut' } as const;
    setup.model.behave({ kind: 'answer', gate, chunkChars: 8, breaksOff });
    const broken = await grow(opening());
    const names = broken.map(({ event }) => event);
    expect(names).toEqual([...names.slice(1).map(() => 'partial'), 'error']);
    expect(errorEvent.strict().parse(broken.at(-1)?.data)).toMatchObject({ statusCode: 500 });
  });

  it('a stream remains open after a partial event', async () => {
    setup.model.behave({ kind: 'answer', gate, chunkChars: 8 });
    const stream: FollowedStream = await untilFirstEvent(opening(), gate);
    let hasEnded = false;
    void stream.ended.finally(() => {
      hasEnded = true;
    });
    expect(hasEnded).toBe(false);
    gate.openAll();
    expect((await stream.ended).at(-1)?.event).toBe('final');
  });
});

describe('the events of a stream without diseases', () => {
  it('the events of a stream without diseases begin with the level of the triage, because an empty list says nothing yet', async () => {
    const content = () => nothingFoundAnswer('en');
    setup.model.behave({ kind: 'answer', gate, chunkChars: 4, content });
    const [first, ...rest] = await grow(open());
    expect(first).toMatchObject({ event: 'partial', data: { triage: { triage_level: 'WHITE' } } });
    expect(rest.at(-1)).toEqual(finalEventOf(nothingFoundAnswer('en')));
  });
});

describe('a stream on the wire', () => {
  async function rawStream(): Promise<RawClient> {
    const client = await RawClient.connect(Number(new URL(engine.url).port));
    const body = JSON.stringify({ clinical_history: 'fever' });
    const head = [
      'POST /diagnose/stream HTTP/1.1',
      'host: localhost',
      `x-api-key: ${key}`,
      'accept: text/event-stream',
    ];
    client.write([...head, 'content-type: application/json', `content-length: ${body.length}`, '', body].join('\r\n'));
    return client;
  }

  it('each event of a stream has a number, a line with its name and a line with its data, which is JSON with the name as type', async () => {
    const blocks = (await readAll(await open())).text.split('\n\n');
    expect(blocks.pop()).toBe('');
    expect(blocks.length).toBeGreaterThan(0);
    for (const [index, block] of blocks.entries()) {
      const [, event, data, id, retry] =
        /^event: (partial|final)\ndata: (.+)\nid: (\d+)(\nretry: 3000)?$/.exec(block) ?? [];
      expect([retry !== undefined, id]).toEqual([index === 0, String(index + 1)]);
      expect(JSON.parse(data ?? '')).toMatchObject({ type: event });
    }
  });

  it('the connection of a stream closes after the final event', async () => {
    const client = await rawStream();
    await client.closed;
    expect(client.received).toContain('event: final');
  });

  it('the connection of a stream closes after an error event', async () => {
    setup.model.behave({ kind: 'answer', gate, chunkChars: 8, breaksOff: { afterChunks: 60, by: 'cut' } });
    const client = await rawStream();
    await until(() => {
      gate.open();
      return client.received.includes('event: partial');
    });
    gate.openAll();
    await client.closed;
    expect(client.received).toContain('event: error');
    expect(client.received).not.toContain('event: final');
  });

  it('the endpoint for a whole diagnosis emits no events', async () => {
    const headers = { accept: 'text/event-stream' };
    const answer = await postJson(engine, '/diagnose', key, { clinical_history: HISTORY }, headers);
    expect(answer.text).not.toMatch(/^event:/m);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });
});

describe('the headers of a stream', () => {
  it('a failure before the first event of a stream is a plain status', async () => {
    setup.model.behave(FAULTS.refusal);
    expectError(await readAll(await open()), 500);
  });

  it('a model that is silent for long does not delay the headers of a stream, and its failure is an error event', async () => {
    setup.model.behave({ kind: 'answer', gate, breaksOff: { afterChunks: 0, by: 'cut' } });
    const response = await open();
    expect(response.status).toBe(201);
    gate.openAll();
    const [event, ...others] = await readEvents(response);
    expect(others).toEqual([]);
    expect(event).toEqual({ event: 'error', data: { type: 'error', statusCode: 500, message: expect.any(String) } });
  });
});
