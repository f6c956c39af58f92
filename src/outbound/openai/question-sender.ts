// Sends one question by the SDK and returns the raw answer. The SDK reads no environment, logs nothing, repeats nothing,
// and sees no body of an error; only the headers named here leave.
import type OpenAI from 'openai';
import { asAppError } from '../../domain/errors.ts';
import { abortReason, type CallWatch } from './call-watch.ts';
import type { Question } from './question.ts';
import { makeQuestionBody } from './question-body.ts';
import { openingFailure } from './vendor-failure.ts';

export type VendorSettings = {
  readonly apiKey: string | undefined;
  readonly baseUrl: string;
  readonly model: string;
};

type Sending = {
  readonly settings: VendorSettings;
  readonly fetch: typeof fetch;
  readonly question: Question;
  readonly watch: CallWatch;
};
/** What went wrong with our own half of the exchange, e.g. while an attachment was read. */
type OwnFailure = { error?: unknown };
/** One question on its way through the client, which all questions share. */
type Exchange = Sending & { readonly ownFailure: OwnFailure };

const NO_KEY = 'none';
const BEYOND_OUR_TIMERS_MS = 2_147_483_647;

/** Throws an AppError, or a VendorBusy where it may be tried again. */
export async function sendQuestion(sending: Sending): Promise<Response> {
  const { settings, question, watch } = sending;
  const ownFailure: OwnFailure = {};
  const exchange: Exchange = { ...sending, ownFailure };
  const client = await clientOf(settings);
  try {
    return await client.chat.completions
      .create(
        {
          model: settings.model,
          messages: [...question.messages],
          stream: true,
          response_format: {
            type: 'json_schema',
            json_schema: { name: question.schemaName, strict: true, schema: { ...question.schema } },
          },
        },
        // The SDK hands these options to its fetch as they are.
        {
          signal: watch.signal,
          fetchOptions: { exchange } as object as NonNullable<OpenAI.RequestOptions['fetchOptions']>,
        },
      )
      .asResponse();
  } catch (error) {
    if (watch.signal.aborted) throw abortReason(watch.signal);
    if ('error' in ownFailure) throw asAppError(ownFailure.error);
    throw openingFailure(error);
  }
}

const clients = new WeakMap<VendorSettings, Promise<OpenAI>>();

/** Making a client costs as much as a request, so that it is made once for these settings. */
function clientOf(settings: VendorSettings): Promise<OpenAI> {
  const client = clients.get(settings) ?? makeClient(settings);
  clients.set(settings, client);
  return client;
}

/** The SDK is loaded at the first question: it has 236 of the 1,750 files of an idle engine, and 9 MB of its memory. */
async function makeClient(settings: VendorSettings): Promise<OpenAI> {
  const { OpenAI } = await import('openai');
  return new OpenAI({
    // Every value is given, so that the SDK looks for none in the environment.
    apiKey: settings.apiKey ?? NO_KEY,
    baseURL: settings.baseUrl,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: BEYOND_OUR_TIMERS_MS,
    fetch: (url, init) => send(url, init as RequestInit & { readonly exchange: Exchange }),
  });
}

async function send(
  url: string | URL | Request,
  { body: json, exchange }: RequestInit & { readonly exchange: Exchange },
): Promise<Response> {
  const { settings, fetch, question, watch, ownFailure } = exchange;
  const headers = new Headers({
    accept: 'text/event-stream, application/json',
    'content-type': 'application/json',
    'user-agent': 'chartwright',
    ...(settings.apiKey !== undefined && { authorization: `Bearer ${settings.apiKey}` }),
  });
  const body = makeQuestionBody(String(json), question.attachments);
  headers.set('content-length', String(body.sizeBytes));
  watch.expect('firstByteMs');
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: question.attachments.size === 0 ? String(json) : watchedBody(body.open(), watch, ownFailure),
    signal: watch.signal,
    redirect: 'manual',
    duplex: 'half',
  });
  if (response.ok) return response;
  // What a vendor says in an error may quote the history: it is not read.
  void response.body?.cancel().catch(() => undefined);
  const retryAfter = response.headers.get('retry-after');
  return new Response(null, { status: response.status, headers: retryAfter ? { 'retry-after': retryAfter } : {} });
}

/** While bytes still go out the vendor is not late: each one that it takes counts as a sign of life. */
async function* watchedBody(
  bytes: AsyncIterable<Uint8Array>,
  watch: CallWatch,
  ownFailure: OwnFailure,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of bytes) {
      watch.expect('idleMs');
      yield chunk;
      watch.signal.throwIfAborted();
    }
    watch.expect('firstByteMs');
  } catch (error) {
    ownFailure.error = error;
    throw error;
  }
}
