import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppError, ERROR_CODES, type ErrorCode } from '../../../../src/domain/errors.ts';
import {
  type ErrorFamily,
  errorBody,
  sendError,
  statusFor,
} from '../../../../src/inbound/http/server/error-response.ts';
import { type Door, openDoor } from '../body/upload-door.ts';

const CODES = Object.keys(ERROR_CODES) as readonly ErrorCode[];
const GONE = 499;

describe('the status of an error', () => {
  it('is one of 400, 401, 404, 405, 422 (a key of another request), 429 and 500 on the diagnosis endpoints', () => {
    const statuses = new Set(CODES.map((code) => statusFor('diagnosis', code)));
    expect([...statuses].toSorted()).toEqual([400, 401, 404, 405, 422, 429, GONE, 500].toSorted());
  });

  it('is one of 400, 401, 402, 405, 413, 415, 422 (a key of another request), 429, 500 and 503 on the transcription endpoints', () => {
    const statuses = new Set(CODES.map((code) => statusFor('transcription', code)));
    expect([...statuses].toSorted()).toEqual([400, 401, 402, 405, 413, 415, 422, 429, GONE, 500, 503].toSorted());
  });

  it.each<[ErrorFamily, ErrorCode, number]>([
    ['diagnosis', 'payloadTooLarge', 400],
    ['diagnosis', 'unsupportedMedia', 400],
    ['diagnosis', 'slowRequest', 400],
    ['diagnosis', 'quotaExceeded', 429],
    ['diagnosis', 'overloaded', 429],
    ['diagnosis', 'shuttingDown', 429],
    ['diagnosis', 'notConfigured', 500],
    ['diagnosis', 'vendorUnavailable', 500],
    ['transcription', 'payloadTooLarge', 413],
    ['transcription', 'unsupportedMedia', 415],
    ['transcription', 'quotaExceeded', 402],
    ['transcription', 'rateLimited', 429],
    ['transcription', 'notMedical', 400],
    ['transcription', 'noSpeech', 400],
    ['transcription', 'vendorAnswer', 500],
    ['transcription', 'vendorRejected', 503],
    ['transcription', 'vendorUnavailable', 503],
    ['transcription', 'notConfigured', 503],
    ['transcription', 'overloaded', 503],
    ['ops', 'conflict', 409],
    ['ops', 'forbidden', 403],
    ['ops', 'payloadTooLarge', 413],
    ['ops', 'slowRequest', 408],
    ['ops', 'shuttingDown', 503],
  ])('on %s endpoints, %s is %d', (family, code, status) => {
    expect(statusFor(family, code)).toBe(status);
  });
});

describe('the body of an error', () => {
  it('has the status, the message and the name of the status', () => {
    expect(errorBody(413, new AppError('payloadTooLarge', 'too much'))).toEqual({
      statusCode: 413,
      message: 'too much',
      error: 'Payload Too Large',
    });
  });

  it('has one entry per failure if there are several', () => {
    const error = new AppError('invalidRequest', 'some', { details: ['a.txt: wrong', 'b.txt: wrong'] });
    expect(errorBody(400, error).message).toEqual(['a.txt: wrong', 'b.txt: wrong']);
  });

  it('has no error field on 401', () => {
    expect(errorBody(401, new AppError('unauthorized', 'no key'))).toEqual({ statusCode: 401, message: 'no key' });
  });

  it('has no internal details, even if the message of the error has', () => {
    expect(errorBody(500, new AppError('internal', 'table runs is missing')).message).toBe('Internal server error');
  });

  it('names the setting of a vendor that is not configured', () => {
    const error = new AppError('notConfigured', 'Set OPENAI_API_KEY');
    expect(errorBody(500, error).message).toBe('Set OPENAI_API_KEY');
  });
});

describe('the answer to an error', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor({
      addRoutes: (app) => {
        app.get('/fails/:family/:code', (req, res) => {
          const { family, code } = req.params as { family: ErrorFamily; code: ErrorCode };
          res.setHeader('ratelimit', 'kept');
          res.setHeader('content-encoding', 'gzip');
          sendError(req, res, family, new AppError(code, 'message', { retryAfterSeconds: 2.2 }));
        });
        app.get('/stranger', (req, res) => sendError(req, res, 'diagnosis', new TypeError('secret inside')));
        app.get('/begun', (req, res) => {
          res.write('half');
          sendError(req, res, 'diagnosis', new AppError('internal', 'late'));
        });
        app.get('/twice', (req, res) => {
          sendError(req, res, 'ops', new AppError('conflict', 'first'));
          sendError(req, res, 'ops', new AppError('internal', 'second'));
        });
      },
    });
  });
  afterAll(() => door.close());

  it('keeps the headers that are set, and has Retry-After in whole seconds', async () => {
    const response = await fetch(door.url('/fails/diagnosis/rateLimited'));
    expect(response.status).toBe(429);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'retry-after': '3',
      ratelimit: 'kept',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(await response.json()).toEqual({ statusCode: 429, message: 'message', error: 'Too Many Requests' });
  });

  it.each([
    ['diagnosis', 'ApiKey'],
    ['transcription', 'ApiKey'],
    ['ops', 'Bearer'],
  ])('names the scheme of the key on 401: %s, %s', async (family, scheme) => {
    const response = await fetch(door.url(`/fails/${family}/unauthorized`));
    expect(response.headers.get('www-authenticate')).toBe(scheme);
  });

  it('is a plain 500 for any unexpected value', async () => {
    const response = await fetch(door.url('/stranger'));
    expect(await response.json()).toEqual({
      statusCode: 500,
      message: 'Internal server error',
      error: 'Internal Server Error',
    });
  });

  it('closes the connection if an answer has started', async () => {
    const reading = fetch(door.url('/begun')).then((response) => response.text());
    await expect(reading).rejects.toThrow();
  });

  it('is not sent if the client has disconnected', async () => {
    await expect(fetch(door.url('/fails/ops/cancelled'))).rejects.toThrow();
  });
});
