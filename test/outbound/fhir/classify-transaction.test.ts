import { describe, expect, it } from '@jest/globals';
import { classifyTransaction, readEntries } from '../../../src/outbound/fhir/classify-transaction.ts';
import type { AnswerBody } from '../../../src/outbound/fhir/fhir-answer.ts';
import { TransportFailure } from '../../../src/outbound/fhir/transport.ts';
import { anOutcome } from './scripted-ehr.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const BUNDLE = JSON.stringify({
  resourceType: 'Bundle',
  type: 'transaction',
  entry: [
    { request: { method: 'POST', url: 'Condition' }, resource: { resourceType: 'Condition' } },
    { request: { method: 'POST', url: 'Flag', ifNoneExist: 'identifier=x' }, resource: { resourceType: 'Flag' } },
    { request: { method: 'PUT', url: 'Composition/5', ifMatch: 'W/"1"' }, resource: { resourceType: 'Composition' } },
  ],
});
const GOOD = [
  { response: { status: '201 Created', location: 'Condition/1/_history/1', etag: 'W/"1"' } },
  { response: { status: '200', location: 'Flag/2' } },
  { response: { status: '200 OK', etag: 'W/"2"' } },
];

function classified(body: object | AnswerBody, { status = 200, headers = {} as Record<string, string> } = {}) {
  const read: AnswerBody = 'kind' in body ? body : { kind: 'json', json: { ...body } };
  const answer = { status, headers: new Headers(headers), body: read };
  return classifyTransaction({ kind: 'answer', answer }, readEntries(BUNDLE), NOW);
}

const responding = (entry: readonly unknown[], type = 'transaction-response') => ({
  resourceType: 'Bundle',
  type,
  entry,
});
const withSecond = (second: unknown) => [GOOD[0], second, GOOD[2]];

describe('The result of a transaction', () => {
  it('is stored, in order and with references, if all entries succeed', () => {
    expect(classified(responding(GOOD))).toEqual({
      kind: 'stored',
      wasBatch: false,
      entries: [
        { kind: 'stored', reference: 'Condition/1', version: '1', isNew: true },
        { kind: 'stored', reference: 'Flag/2', isNew: false },
        { kind: 'stored', reference: 'Composition/5', version: '2', isNew: false },
      ],
    });
  });

  it('is stored as a batch if all entries succeed one by one', () => {
    expect(classified(responding(GOOD, 'batch-response'))).toMatchObject({ kind: 'stored', wasBatch: true });
  });

  it('has the reference of the returned resource if there is no location', () => {
    const second = {
      response: { status: '201' },
      resource: { resourceType: 'Flag', id: '9', meta: { versionId: '4' } },
    };
    expect(classified(responding(withSecond(second)))).toMatchObject({
      kind: 'stored',
      entries: [{}, { reference: 'Flag/9', version: '4', isNew: true }, {}],
    });
  });

  it.each(['transaction-response', 'batch-response'])(
    'is mixed, with the result of each entry, if only some succeed (%s)',
    (type) => {
      const outcome = anOutcome({ code: 'required', expression: ['Flag.subject'], diagnostics: 'Zebrowski' });
      const second = { response: { status: '422', outcome } };
      expect(classified(responding(withSecond(second), type))).toEqual({
        kind: 'mixed',
        entries: [
          { kind: 'stored', reference: 'Condition/1', version: '1', isNew: true },
          { kind: 'refused', status: 422, isTypeRefused: false, why: 'required at Flag.subject' },
          { kind: 'stored', reference: 'Composition/5', version: '2', isNew: false },
        ],
      });
    },
  );

  it.each([
    ['409', 'busy'],
    ['412', 'conflict'],
  ])('is mixed if one entry has status %s, and that entry is %s', (status, kind) => {
    const answer = classified(responding(withSecond({ response: { status } }), 'batch-response'));
    expect(answer).toMatchObject({ kind: 'mixed', entries: [{}, { kind }, {}] });
  });

  it.each([
    ['no body, as with return=minimal', { kind: 'empty' } as const],
    ['a body that broke off', { kind: 'unreadable', why: 'cut' } as const],
    ['something else than a Bundle', { resourceType: 'Basic' }],
    ['a Bundle of another kind', responding(GOOD, 'searchset')],
    ['an entry too few', responding(GOOD.slice(1))],
    ['an entry too many', responding([...GOOD, GOOD[0]])],
    ['an entry too many, and one of them null', responding([null, ...GOOD])],
    ['entries that are not objects', responding([null, 'x', 7])],
    ['no entries', { resourceType: 'Bundle', type: 'transaction-response' }],
    ['entries that are not a list', { resourceType: 'Bundle', type: 'transaction-response', entry: { length: 3 } }],
    ['success without a location', responding(withSecond({ response: { status: '201' } }))],
    ['the location of another type', responding(withSecond({ response: { status: '201', location: 'Condition/7' } }))],
    ['an invalid status', responding(withSecond({ response: { status: 'fine', location: 'Flag/2' } }))],
    ['an accepted entry (202)', responding(withSecond({ response: { status: '202', location: 'Flag/2' } }))],
    ['an entry that failed inside', responding(withSecond({ response: { status: '500' } }))],
  ])('is unknown after status 200 with %s', (_, body) => {
    expect(classified(body)).toEqual({ kind: 'unknown' });
  });

  it('is unknown if the answer has another order', () => {
    expect(classified(responding([GOOD[1], GOOD[0], GOOD[2]]))).toEqual({ kind: 'unknown' });
  });

  it.each([400, 401, 403, 404, 405, 415, 422, 501])('is refused, and nothing was stored, after status %d', (status) => {
    expect(classified(anOutcome({ code: 'not-supported' }), { status })).toEqual({
      kind: 'refused',
      status,
      isTooLarge: false,
      why: 'not-supported',
    });
  });

  it.each([
    [413, { code: 'too-long' }],
    [400, { code: 'invalid', details: { text: 'Transaction requires strict isolation but has too many entries' } }],
    [400, { code: 'invalid', details: { text: 'Transaction contains more update operations than allowed' } }],
    [422, { code: 'too-costly' }],
    [400, { code: 'processing', diagnostics: 'Bundle exceeds the limit of 100 entries' }],
  ])('is refused as too large after status %d (%#)', (status, issue) => {
    expect(classified(anOutcome(issue), { status })).toMatchObject({ kind: 'refused', isTooLarge: true });
  });

  it('is not too large if only a text in it is too long', () => {
    const issue = { code: 'too-long', expression: ['Bundle.entry[0].resource.note'], diagnostics: 'text too long' };
    expect(classified(anOutcome(issue), { status: 422 })).toMatchObject({
      isTooLarge: false,
      why: 'too-long at Bundle.entry[0].resource.note',
    });
  });

  it('is a conflict after status 412', () => {
    expect(classified({}, { status: 412 })).toEqual({ kind: 'conflict' });
  });

  it('is busy, and may be sent again, after a key in use, 409 and 429', () => {
    const inUse = anOutcome({ code: 'invalid', diagnostics: 'Assigned ID is already in use' });
    expect(classified(inUse, { status: 400 })).toEqual({ kind: 'busy' });
    expect(classified({}, { status: 409 })).toEqual({ kind: 'busy' });
    const headers = { 'retry-after': '3' };
    expect(classified({}, { status: 429, headers })).toEqual({ kind: 'busy', isLimit: true, retryAfterMs: 3000 });
  });

  it.each([202, 302, 408, 500, 502, 503, 504])('is unknown after status %d', (status) => {
    expect(classified(responding(GOOD), { status })).toEqual({ kind: 'unknown' });
  });

  it('is unknown after a broken call that was sent, else busy or refused', () => {
    const failed = (kind: 'network' | 'address', wasSent: boolean) => {
      const failure = new TransportFailure('it broke', { kind, wasSent, isPassing: kind === 'network' });
      return classifyTransaction({ kind: 'failure', failure }, readEntries(BUNDLE), NOW);
    };
    expect(failed('network', true)).toEqual({ kind: 'unknown' });
    expect(failed('network', false)).toEqual({ kind: 'busy' });
    expect(failed('address', false)).toEqual({ kind: 'refused', status: 400, isTooLarge: false, why: 'it broke' });
    expect(classifyTransaction({ kind: 'circuit-open', retryAfterMs: 9 }, [], NOW)).toEqual({
      kind: 'busy',
      retryAfterMs: 9,
    });
  });
});
