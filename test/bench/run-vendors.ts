// Speech recognition and a model that answer at once with short fixed answers, for benchmarks in which a stand-in must cost no measured process
// anything. The model can be given a delay.
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenAnswer } from '../support/deepgram-server.ts';
import { diagnosisAnswer } from '../support/openai-answers.ts';

export type Vendors = {
  readonly speechUrl: string;
  readonly modelUrl: string;
  /** The time before the model's answer. */
  readonly think: (thinkMs: number) => void;
};

/** Notes a request (`speech`, `model`), and lets it through. */
type OnTheWay = (what: string, go: () => void) => void;

/** The model's text in one piece of a stream. */
const PIECE_CHARS = 24;

const HEARD = listenAnswer([
  [4, 'Good morning, what brings you in today?'],
  [1, 'I have had a cough for three days, and no fever.'],
  [4, 'Any allergies to medication?'],
  [1, 'No known allergies. I take nothing for it.'],
  [4, 'Your lungs are clear. Drink a lot, and come back on Friday if it is not better.'],
]);
const SAID = 'Cough for three days, no fever, no known allergies.';

export async function openVendors(onTheWay: OnTheWay): Promise<Vendors> {
  let thinkMs = 0;
  const heard = Buffer.from(JSON.stringify(HEARD));
  const speech: RequestListener = (request, response) => {
    onTheWay('speech', () => request.resume().once('end', () => answer(response, 'application/json', heard)));
  };
  const answers = new Map<string, { readonly whole: Buffer; readonly streamed: Buffer }>();
  const model: RequestListener = (request, response) => {
    onTheWay('model', () => think(request, response));
  };
  const think: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', async () => {
      const asked = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const { name } = asked.response_format.json_schema;
      const said = answers.get(name) ?? bothForms(name === 'clinical_note' ? noteOf(asked) : diagnosis());
      answers.set(name, said);
      if (thinkMs > 0) await sleep(thinkMs);
      if (asked.stream === true) answer(response, 'text/event-stream; charset=utf-8', said.streamed);
      else answer(response, 'application/json', said.whole);
    });
  };
  return {
    speechUrl: await listen(speech),
    modelUrl: `${await listen(model)}/v1`,
    think: (ms) => {
      thinkMs = ms;
    },
  };
}

function answer(response: ServerResponse, contentType: string, body: Buffer): void {
  response.writeHead(200, { 'content-type': contentType, 'content-length': body.length }).end(body);
}

/** Three diseases, none of them urgent. */
function diagnosis(): unknown {
  const usual = diagnosisAnswer('en');
  const triage = {
    triage_level: 'WHITE',
    triage_justification: 'Nothing that was said speaks for an emergency.',
    triage_recommendation: 'To be seen by a clinician.',
  };
  return { ...usual, triage };
}

type NoteSchema = {
  readonly properties: {
    readonly sections: {
      readonly items: { readonly properties: { readonly key: { readonly enum: readonly string[] } } };
    };
  };
};

function noteOf(asked: {
  readonly response_format: { readonly json_schema: { readonly schema: NoteSchema } };
}): unknown {
  const keys = asked.response_format.json_schema.schema.properties.sections.items.properties.key.enum;
  return { is_medical: true, title: 'Visit for cough', sections: keys.map((key) => ({ key, text: SAID })) };
}

function bothForms(said: unknown): { readonly whole: Buffer; readonly streamed: Buffer } {
  const content = JSON.stringify(said);
  const envelope = { id: 'chatcmpl-made-up', created: 1_700_000_000, model: 'made-up-model' };
  const message = { role: 'assistant', content, refusal: null };
  const whole = { ...envelope, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] };
  const event = (delta: object, reason: string | null = null) =>
    `data: ${JSON.stringify({ ...envelope, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const pieces = content.match(new RegExp(`[^]{1,${PIECE_CHARS}}`, 'g')) ?? [];
  const streamed = [
    event({ role: 'assistant', content: '' }),
    ...pieces.map((piece) => event({ content: piece })),
    event({}, 'stop'),
    'data: [DONE]\n\n',
  ];
  return { whole: Buffer.from(JSON.stringify(whole)), streamed: Buffer.from(streamed.join('')) };
}

function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  const { promise, resolve } = Promise.withResolvers<string>();
  server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  return promise;
}
