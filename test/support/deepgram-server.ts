// A local server that speaks the vendor's POST /v1/listen on the wire, with its faults. Its transcripts are made up: it counts and hashes the
// audio, and never decodes it.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** The behaviour for one request. */
export type DeepgramBehaviour =
  | { readonly kind: 'consultation' | 'silence' | 'not-medical' | 'malformed' | 'cut' | 'hang' | 'deaf' | 'reset' }
  /** Answers with any status; `early`: before it has read the body. (`deaf` above reads no byte of the body.) */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly isEarly?: boolean;
    }
  | { readonly kind: 'answer'; readonly body: unknown };

export type DeepgramRequest = {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: http.IncomingHttpHeaders;
  /** The number grows while the body arrives. */
  readonly receivedBytes: number;
  /** The hash of the whole body; undefined until it has arrived. */
  readonly sha256: string | undefined;
  /** Resolves when the whole body has arrived, or when it never will. */
  readonly done: Promise<void>;
  /** Resolves when the exchange has ended: with an answer, or without its connection. */
  readonly closed: Promise<void>;
};

export type DeepgramServer = {
  readonly baseUrl: string;
  readonly requests: readonly DeepgramRequest[];
  /** Sets one behaviour for each of the next requests; the last one stays in force. Without any, all requests get a consultation again. */
  readonly behave: (...behaviours: readonly DeepgramBehaviour[]) => void;
  /** Resolves when some request has received that many bytes. */
  readonly waitForBytes: (sizeBytes: number) => Promise<DeepgramRequest>;
  readonly waitForRequests: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

type Tracked = { -readonly [Key in keyof DeepgramRequest]: DeepgramRequest[Key] };

export async function startDeepgramServer(): Promise<DeepgramServer> {
  const requests: Tracked[] = [];
  const news = new EventTarget();
  const tell = () => news.dispatchEvent(new Event('news'));
  let behaviours: readonly DeepgramBehaviour[] = [];

  const server = http.createServer(async (request, response) => {
    const [behaviour = { kind: 'consultation' }, ...later] = behaviours;
    if (later.length > 0) behaviours = later;
    const tracked = track(request, response);
    requests.push(tracked);
    tell();
    if (behaviour.kind === 'deaf') return;
    if (behaviour.kind === 'status' && behaviour.isEarly) {
      // Node reads the rest of the body and drops it, like a good server, so that the answer is not lost in a reset.
      answer(response, behaviour, tracked);
      return;
    }
    const hash = createHash('sha256');
    request.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      tracked.receivedBytes += chunk.length;
      tell();
    });
    await tracked.done;
    if (!request.complete) return;
    tracked.sha256 = hash.digest('hex');
    answer(response, behaviour, tracked);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const until = async <Found>(look: () => Found | undefined): Promise<Found> => {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      await once(news, 'news');
    }
  };
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    behave: (...given) => {
      behaviours = given;
    },
    waitForBytes: (sizeBytes) => until(() => requests.find(({ receivedBytes }) => receivedBytes >= sizeBytes)),
    waitForRequests: async (count) => {
      await until(() => (requests.length >= count ? true : undefined));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function track(request: http.IncomingMessage, response: http.ServerResponse): Tracked {
  const url = new URL(request.url ?? '/', 'http://vendor');
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  const ended = new Promise<void>((resolve) => request.once('end', resolve));
  request.on('error', () => undefined);
  return {
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    receivedBytes: 0,
    sha256: undefined,
    done: Promise.race([ended, closed]),
    closed,
  };
}

function answer(response: http.ServerResponse, behaviour: DeepgramBehaviour, { query, path }: Tracked): void {
  const json = { 'content-type': 'application/json' };
  const language = query['language'] ?? 'en';
  if (path !== '/v1/listen') send(response, 404, vendorError(404));
  else if (behaviour.kind === 'hang') return;
  else if (behaviour.kind === 'reset') response.destroy();
  else if (behaviour.kind === 'malformed') response.writeHead(200, json).end('{"metadata": {"duration": 12');
  else if (behaviour.kind === 'status') {
    send(response, behaviour.status, behaviour.body ?? vendorError(behaviour.status), behaviour.headers);
  } else if (behaviour.kind === 'cut') {
    const whole = Buffer.from(JSON.stringify(listenAnswer(CONSULTATIONS[language] ?? [])));
    response.writeHead(200, { ...json, 'content-length': whole.length });
    response.write(whole.subarray(0, whole.length / 2), () => response.destroy());
  } else
    send(response, 200, query['detect_language'] ? detected(heard(behaviour, language)) : heard(behaviour, language));
}

/** If the request asks for language detection, the answer names the language. For a language other than English a test sets its own answer. */
function detected(body: unknown): unknown {
  const { results } = (body ?? {}) as { readonly results?: { readonly channels?: readonly object[] } };
  if (results?.channels === undefined) return body;
  const channels = results.channels.map((channel) => ({
    detected_language: 'en',
    language_confidence: 0.99,
    ...channel,
  }));
  return { ...(body as object), results: { ...results, channels } };
}

/** Returns the vendor's answer with a language that it detected. */
export function detectedAnswer(lines: readonly Line[], language: string): Record<string, unknown> {
  const { results, ...others } = listenAnswer(lines) as { readonly results: { readonly channels: readonly object[] } };
  const channels = results.channels.map((channel) => ({
    ...channel,
    detected_language: language,
    language_confidence: 0.9,
  }));
  return { ...others, results: { ...results, channels } };
}

function heard(behaviour: DeepgramBehaviour, language: string): unknown {
  if (behaviour.kind === 'answer') return behaviour.body;
  if (behaviour.kind === 'silence') return listenAnswer([]);
  return listenAnswer((behaviour.kind === 'not-medical' ? SMALL_TALK : CONSULTATIONS)[language] ?? []);
}

function send(
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function vendorError(status: number): unknown {
  return { err_code: `E${status}`, err_msg: 'vendor-secret-text', request_id: '00000000-0000-4000-8000-000000000000' };
}

/** Lines of speech, each with the vendor's number of its speaker. */
export type Line = readonly [vendorSpeaker: number, text: string];

/** Returns the vendor's answer for these lines: two words a second, and a second of silence between two lines. */
export function listenAnswer(lines: readonly Line[]): Record<string, unknown> {
  let clockSeconds = 0.5;
  const utterances = lines.map(([speaker, transcript], index) => {
    const words = transcript.split(' ').map((punctuated) => {
      const start = clockSeconds;
      clockSeconds += 0.5;
      return {
        word: punctuated.toLowerCase().replace(/[^\p{L}\p{N}]/gu, ''),
        punctuated_word: punctuated,
        start,
        end: clockSeconds,
        confidence: 0.9 + (index % 2) * 0.08,
        speaker,
        speaker_confidence: 0.8,
      };
    });
    const start = words[0]?.start ?? clockSeconds;
    const end = clockSeconds;
    clockSeconds += 1;
    return { start, end, confidence: 0.93, channel: 0, transcript, words, speaker, id: `utterance-${index}` };
  });
  const transcript = lines.map(([, text]) => text).join(' ');
  const words = utterances.flatMap((utterance) => utterance.words);
  return {
    metadata: {
      transaction_key: 'deprecated',
      request_id: '00000000-0000-4000-8000-000000000000',
      sha256: '0'.repeat(64),
      created: '2026-01-01T00:00:00.000Z',
      duration: clockSeconds,
      channels: 1,
      models: ['made-up'],
      model_info: { 'made-up': { name: 'made-up', version: '1', arch: 'none' } },
    },
    results: { channels: [{ alternatives: [{ transcript, confidence: 0.93, words }] }], utterances },
  };
}

/** The doctor has the vendor's number 4 and speaks first, and the patient has 1, because the vendor's numbers have no order. */
export const CONSULTATIONS: Readonly<Record<string, readonly Line[]>> = {
  en: [
    [4, 'Good morning, what brings you in today?'],
    [1, 'I have had chest pain for two days, worse when I breathe in.'],
    [4, 'Any fever or shortness of breath?'],
    [1, 'A little fever, thirty eight point two, and no allergies to medication.'],
    [4, 'Your lungs are clear. I will order an electrocardiogram and a chest x-ray.'],
  ],
  es: [
    [4, 'Buenos días, ¿qué le trae por aquí?'],
    [1, 'Tengo dolor en el pecho desde hace dos días, peor al respirar.'],
    [4, '¿Ha tenido fiebre o falta de aire?'],
    [1, 'Un poco de fiebre, treinta y ocho con dos, y ninguna alergia a medicamentos.'],
    [4, 'Los pulmones están limpios. Pediré un electrocardiograma y una radiografía.'],
  ],
  pt: [
    [4, 'Bom dia, o que o traz aqui hoje?'],
    [1, 'Estou com dor no peito há dois dias, pior quando respiro.'],
    [4, 'Teve febre ou falta de ar?'],
    [1, 'Um pouco de febre, trinta e oito e dois, e nenhuma alergia a medicamentos.'],
    [4, 'Os pulmões estão limpos. Vou pedir um eletrocardiograma e uma radiografia.'],
  ],
};

const SMALL_TALK: Readonly<Record<string, readonly Line[]>> = {
  en: [
    [2, 'Did you watch the game last night?'],
    [0, 'Yes, the second half was wonderful.'],
  ],
  es: [
    [2, '¿Viste el partido anoche?'],
    [0, 'Sí, el segundo tiempo fue maravilloso.'],
  ],
  pt: [
    [2, 'Você viu o jogo ontem à noite?'],
    [0, 'Sim, o segundo tempo foi maravilhoso.'],
  ],
};
