import { describe, expect, it } from '@jest/globals';
import { classifyWrite, type SentWrite } from '../../../src/outbound/fhir/classify-write.ts';
import type { AnswerBody } from '../../../src/outbound/fhir/fhir-answer.ts';
import { TransportFailure, type TransportFailureKind } from '../../../src/outbound/fhir/transport.ts';
import { anOutcome } from './scripted-ehr.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const A_CREATE: SentWrite = { type: 'Condition', isConditional: false };
const A_CONDITIONAL_CREATE: SentWrite = { type: 'Condition', isConditional: true };
const AN_UPDATE: SentWrite = { type: 'Condition', reference: 'Condition/12', isConditional: false };

type Answer = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object | AnswerBody;
};

function classified({ status, headers = {}, body = {} }: Answer, sent: SentWrite = A_CREATE) {
  const read: AnswerBody = 'kind' in body ? body : { kind: 'json', json: { ...body } };
  return classifyWrite({ kind: 'answer', answer: { status, headers: new Headers(headers), body: read } }, sent, NOW);
}

function failed(kind: TransportFailureKind, wasSent: boolean, isPassing = true, retryAfterMs?: number) {
  const failure = new TransportFailure('it broke', { kind, wasSent, isPassing, retryAfterMs });
  return classifyWrite({ kind: 'failure', failure }, A_CREATE, NOW);
}

const CUT: AnswerBody = { kind: 'unreadable', why: 'cut' };

describe('What a server says of one write', () => {
  it.each([
    ['Condition/12', undefined],
    ['Condition/12/_history/3', '3'],
    ['https://ehr.example.org/fhir/R4/Condition/12', undefined],
    ['https://inner.example.org:8080/Condition/12/_history/3', '3'],
    ['/fhir/Condition/12/_history/3?_format=json', '3'],
  ])('created, with the place %s: it is stored there', (location, version) => {
    expect(classified({ status: 201, headers: { location } })).toEqual({
      kind: 'stored',
      reference: 'Condition/12',
      ...(version && { version }),
      isNew: true,
    });
  });

  it('the place may stand in Content-Location, or only in the body', () => {
    expect(classified({ status: 201, headers: { 'content-location': 'Condition/12/_history/2' } })).toMatchObject({
      kind: 'stored',
      reference: 'Condition/12',
      version: '2',
    });
    const body = { resourceType: 'Condition', id: '12', meta: { versionId: '7' } };
    expect(classified({ status: 201, body })).toMatchObject({ reference: 'Condition/12', version: '7' });
  });

  it.each([
    ['W/"3"', '3'],
    ['"3"', '3'],
    ['3', '3'],
    ['W/"a.b-c"', 'a.b-c'],
  ])('the version may stand in the ETag as %s', (etag, version) => {
    const headers = { location: 'Condition/12/_history/1', etag };
    expect(classified({ status: 201, headers })).toMatchObject({ version });
  });

  it.each([
    '',
    'Condition',
    'Patient/12',
    'Condition/..',
    'https://ehr.example.org/fhir/Condition/a b',
    'Condition/12/extra',
  ])('created, with the place “%s” that is none and nothing else: nobody knows', (location) => {
    expect(classified({ status: 201, headers: { location } })).toEqual({ kind: 'unknown' });
  });

  it('created, and the answer is cut or empty or nonsense: with a good place it is stored', () => {
    const bodies: AnswerBody[] = [CUT, { kind: 'empty' }, { kind: 'unreadable', why: 'no JSON' }];
    for (const body of bodies) {
      expect(classified({ status: 201, headers: { location: 'Condition/12' }, body })).toMatchObject({
        kind: 'stored',
      });
      expect(classified({ status: 201, body })).toEqual({ kind: 'unknown' });
    }
  });

  it('a body that is another resource is no place', () => {
    expect(classified({ status: 200, body: { resourceType: 'OperationOutcome', id: '12' } })).toEqual({
      kind: 'unknown',
    });
  });

  it('only promised (202): nobody knows, whatever place it names', () => {
    expect(classified({ status: 202, headers: { location: 'Condition/12' } })).toEqual({ kind: 'unknown' });
  });

  it('200 to a conditional create means that it was there; to a plain one that it is new', () => {
    const answer = { status: 200, headers: { location: 'Condition/12' } };
    expect(classified(answer, A_CONDITIONAL_CREATE)).toMatchObject({ kind: 'stored', isNew: false });
    expect(classified(answer, A_CREATE)).toMatchObject({ kind: 'stored', isNew: true });
    expect(classified({ ...answer, status: 201 }, A_CONDITIONAL_CREATE)).toMatchObject({ isNew: true });
  });

  it('an update is stored where it was meant to be, also without a word about it', () => {
    for (const status of [200, 204]) {
      expect(classified({ status, body: { kind: 'empty' }, headers: { etag: 'W/"4"' } }, AN_UPDATE)).toEqual({
        kind: 'stored',
        reference: 'Condition/12',
        version: '4',
        isNew: false,
      });
    }
  });

  it('an update that is said to be somewhere else: nobody knows', () => {
    expect(classified({ status: 200, headers: { location: 'Condition/13' } }, AN_UPDATE)).toEqual({ kind: 'unknown' });
    const body = { resourceType: 'Condition', id: '13' };
    expect(classified({ status: 200, body }, AN_UPDATE)).toEqual({ kind: 'unknown' });
  });

  it('400 with a key of the server’s own in use: nothing was stored, and it may be sent again', () => {
    const body = anOutcome({ code: 'invalid', details: { text: 'Assigned ID is already in use' } });
    expect(classified({ status: 400, body })).toEqual({ kind: 'busy' });
  });

  it.each([409, 423, 425, 429])('%d: nothing was stored, and it may be sent again after a while', (status) => {
    expect(classified({ status, headers: { 'retry-after': '7' } })).toEqual({ kind: 'busy', retryAfterMs: 7000 });
    expect(classified({ status })).toEqual({ kind: 'busy' });
  });

  it('412: it is not the version that we know', () => {
    expect(classified({ status: 412 }, AN_UPDATE)).toEqual({ kind: 'conflict' });
  });

  it.each([400, 401, 402, 403, 406, 410, 413, 415, 422, 451])('%d: a definite no', (status) => {
    expect(classified({ status })).toEqual({
      kind: 'refused',
      status,
      isTypeRefused: false,
      why: `status ${status}`,
    });
  });

  it.each([404, 405, 501])('%d to a create: the server takes no such resources at all', (status) => {
    const body = anOutcome({ code: 'processing' });
    expect(classified({ status, body })).toMatchObject({ kind: 'refused', status, isTypeRefused: true });
    expect(classified({ status, body }, AN_UPDATE)).toMatchObject({ kind: 'refused', status, isTypeRefused: false });
  });

  it.each<AnswerBody>([
    { kind: 'empty' },
    { kind: 'unreadable', why: 'no JSON' },
    { kind: 'json', json: { fault: 1 } },
  ])('404 without a word of FHIR may be of a gateway, and says nothing about the type (%#)', (body) => {
    expect(classified({ status: 404, body })).toMatchObject({ kind: 'refused', isTypeRefused: false });
  });

  it.each<AnswerBody>([CUT, { kind: 'unreadable', why: 'no JSON' }, { kind: 'json', json: { login: 'please' } }])(
    '200 to an update, with what is no FHIR: nobody knows (%#)',
    (body) => {
      expect(classified({ status: 200, body }, AN_UPDATE)).toEqual({ kind: 'unknown' });
      const headers = { 'content-location': 'Condition/12/_history/4' };
      expect(classified({ status: 200, body, headers }, AN_UPDATE)).toMatchObject({ kind: 'stored', version: '4' });
    },
  );

  it.each([
    anOutcome({ code: 'not-supported' }),
    anOutcome({ code: 'not-supported', expression: ['Condition'] }),
    anOutcome({ code: 'invalid', diagnostics: 'HAPI-0302: Unknown resource type "Condition" - Server knows how to' }),
    anOutcome({ code: 'processing', details: { text: 'Resource type Condition is not supported' } }),
  ])('a no that is about the type says so (%#)', (body) => {
    expect(classified({ status: 400, body })).toMatchObject({ kind: 'refused', isTypeRefused: true });
  });

  it('404 about something that the resource refers to says nothing about the type', () => {
    const body = anOutcome({ code: 'not-found', expression: ['Condition.encounter'] });
    expect(classified({ status: 404, body })).toMatchObject({
      isTypeRefused: false,
      why: 'not-found at Condition.encounter',
    });
  });

  it('one element that is not supported says nothing about the type', () => {
    const body = anOutcome({ code: 'not-supported', expression: ['Condition.modifierExtension'] });
    expect(classified({ status: 422, body })).toMatchObject({
      isTypeRefused: false,
      why: 'not-supported at Condition.modifierExtension',
    });
  });

  it.each([301, 307, 308])('%d: it would have to be sent elsewhere, and was not', (status) => {
    expect(classified({ status, headers: { location: 'Condition/12' } })).toMatchObject({ kind: 'refused', status });
  });

  it.each([302, 303, 304, 408, 500, 502, 503, 504, 599])('%d: nobody knows', (status) => {
    expect(classified({ status, headers: { location: 'Condition/12' } })).toEqual({ kind: 'unknown' });
    expect(classified({ status, headers: { 'retry-after': '2' } })).toEqual({ kind: 'unknown', retryAfterMs: 2000 });
  });

  it.each<TransportFailureKind>(['network', 'timeout', 'tls', 'proxy', 'answer', 'aborted'])(
    'a call that broke off (%s): nobody knows if it was sent, nothing happened if it was not',
    (kind) => {
      expect(failed(kind, true)).toEqual({ kind: 'unknown' });
      expect(failed(kind, false)).toEqual({ kind: 'busy' });
    },
  );

  it('credentials that cannot be had now: nothing was sent, and it may be later', () => {
    expect(failed('credentials', false, true, 3000)).toEqual({ kind: 'busy', retryAfterMs: 3000 });
  });

  it('an address or credentials that the settings have wrong: refused before anything was sent', () => {
    const refused = { kind: 'refused', isTypeRefused: false, why: 'it broke' };
    expect(failed('credentials', false, false)).toEqual({ ...refused, status: 401 });
    expect(failed('address', false, false)).toEqual({ ...refused, status: 400 });
  });

  it('an EHR that is left alone for a while: nothing was sent', () => {
    expect(classifyWrite({ kind: 'circuit-open', retryAfterMs: 4000 }, A_CREATE, NOW)).toEqual({
      kind: 'busy',
      retryAfterMs: 4000,
    });
  });
});

describe('Why a server refused', () => {
  const why = (issue: object) => {
    const answer = classified({ status: 422, body: anOutcome(issue) });
    return answer.kind === 'refused' ? answer.why : answer.kind;
  };

  it('codes of the standard and paths of elements are told', () => {
    expect(why({ code: 'required', expression: ['Condition.subject'] })).toBe('required at Condition.subject');
    expect(why({ code: 'invalid', location: ['Condition.code.coding[0].system'] })).toBe(
      'invalid at Condition.code.coding[0].system',
    );
    expect(why({ code: 'invariant', expression: ['Condition.onset[x]'] })).toBe('invariant at Condition.onset[x]');
  });

  it.each([
    { code: 'Zebrowski' },
    { code: 'invalid', diagnostics: 'Zebrowski has no such code' },
    { code: 'invalid', details: { text: 'Zebrowski' } },
    { code: 'invalid', expression: ['Zebrowski'] },
    { code: 'invalid', expression: ['Zebrowski.name'] },
    { code: 'invalid', expression: ['Condition.Zebrowski'] },
    { code: 'invalid', expression: ["Condition.where(name='Zebrowski')"] },
    { code: 'invalid', location: ['/f:Condition/f:Zebrowski'] },
    { code: 'invalid', expression: [`Condition.${'zebrowski.'.repeat(20)}x`] },
    { code: 'invalid', expression: 'Zebrowski' },
    { code: { text: 'Zebrowski' }, expression: [{ text: 'Zebrowski' }, 7, null] },
  ])('nothing that may be a patient’s is repeated (%#)', (issue) => {
    expect(why(issue)).not.toMatch(/zebrowski/i);
  });

  it('the same is said once, and no more than a few things', () => {
    const issue = { severity: 'error', code: 'required', expression: ['Condition.subject'] };
    const body = { resourceType: 'OperationOutcome', issue: [issue, issue, { severity: 'error', code: 'value' }] };
    expect(classified({ status: 422, body })).toMatchObject({ why: 'required at Condition.subject, value' });
  });
});

describe('How long a server asks us to wait', () => {
  const wait = (headers: Readonly<Record<string, string>>, body: object = {}, status = 429) => {
    const answer = classified({ status, headers, body });
    return 'retryAfterMs' in answer ? answer.retryAfterMs : undefined;
  };

  it.each([
    ['120', 120_000],
    ['0.5', 500],
    ['999999', 3_600_000],
    ['Mon, 02 Mar 2026 10:00:30 GMT', 30_000],
    ['Mon, 02 Mar 2026 13:00:30 GMT', 3_600_000],
  ])('Retry-After: %s', (header, ms) => {
    expect(wait({ 'retry-after': header })).toBe(ms);
  });

  it.each(['', '0', '-5', 'soon', 'Mon, 02 Mar 2026 09:00:00 GMT', '1e3', '5, 6', 'NaN', 'Infinity'])(
    'Retry-After: “%s” says nothing',
    (header) => {
      expect(wait({ 'retry-after': header })).toBeUndefined();
    },
  );

  it('a rate that is used up tells when there is more', () => {
    expect(wait({ ratelimit: '"requests";r=0;t=60' })).toBe(60_000);
    expect(wait({ ratelimit: 'limit=100, remaining=0, reset=50' })).toBe(50_000);
    expect(wait({ ratelimit: 'nonsense' })).toBeUndefined();
    expect(wait({ 'ratelimit-reset': '30' })).toBe(30_000);
    expect(wait({ 'x-ratelimit-reset': String(NOW.getTime() / 1000 + 20) })).toBe(20_000);
  });

  it('a rate that is not used up asks for nothing', () => {
    expect(wait({ ratelimit: '"requests";r=95;t=60' }, {}, 503)).toBeUndefined();
    expect(wait({ 'ratelimit-reset': '30' }, {}, 503)).toBeUndefined();
  });

  it('the number in the diagnostics of some servers is understood', () => {
    const diagnostics = JSON.stringify({ _remainingPoints: 0, _msBeforeNext: 12_345 });
    expect(wait({}, anOutcome({ code: 'throttled', diagnostics }))).toBe(12_345);
    expect(wait({}, anOutcome({ code: 'throttled', diagnostics: '_msBeforeNext: never' }))).toBeUndefined();
  });
});
