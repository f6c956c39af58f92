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

describe('The result of a write', () => {
  it.each([
    ['Condition/12', undefined],
    ['Condition/12/_history/3', '3'],
    ['https://ehr.example.org/fhir/R4/Condition/12', undefined],
    ['https://inner.example.org:8080/Condition/12/_history/3', '3'],
    ['/fhir/Condition/12/_history/3?_format=json', '3'],
  ])('is stored at the location %s after status 201', (location, version) => {
    expect(classified({ status: 201, headers: { location } })).toEqual({
      kind: 'stored',
      reference: 'Condition/12',
      ...(version && { version }),
      isNew: true,
    });
  });

  it('has the reference of Content-Location, or only of the body', () => {
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
  ])('has the version of the ETag %s', (etag, version) => {
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
  ])('is unknown after status 201 with the invalid location “%s” and no other', (location) => {
    expect(classified({ status: 201, headers: { location } })).toEqual({ kind: 'unknown' });
  });

  it('is stored after status 201 with a valid location, whatever the body', () => {
    const bodies: AnswerBody[] = [CUT, { kind: 'empty' }, { kind: 'unreadable', why: 'no JSON' }];
    for (const body of bodies) {
      expect(classified({ status: 201, headers: { location: 'Condition/12' }, body })).toMatchObject({
        kind: 'stored',
      });
      expect(classified({ status: 201, body })).toEqual({ kind: 'unknown' });
    }
  });

  it('has no reference from a body that is another resource', () => {
    expect(classified({ status: 200, body: { resourceType: 'OperationOutcome', id: '12' } })).toEqual({
      kind: 'unknown',
    });
  });

  it('is unknown after status 202, even with a location', () => {
    expect(classified({ status: 202, headers: { location: 'Condition/12' } })).toEqual({ kind: 'unknown' });
  });

  it('says after status 200 that a conditional create found the resource, and that a plain create made it', () => {
    const answer = { status: 200, headers: { location: 'Condition/12' } };
    expect(classified(answer, A_CONDITIONAL_CREATE)).toMatchObject({ kind: 'stored', isNew: false });
    expect(classified(answer, A_CREATE)).toMatchObject({ kind: 'stored', isNew: true });
    expect(classified({ ...answer, status: 201 }, A_CONDITIONAL_CREATE)).toMatchObject({ isNew: true });
  });

  it('is stored at the target of an update, even without a body', () => {
    for (const status of [200, 204]) {
      expect(classified({ status, body: { kind: 'empty' }, headers: { etag: 'W/"4"' } }, AN_UPDATE)).toEqual({
        kind: 'stored',
        reference: 'Condition/12',
        version: '4',
        isNew: false,
      });
    }
  });

  it('is unknown if an update reports another location', () => {
    expect(classified({ status: 200, headers: { location: 'Condition/13' } }, AN_UPDATE)).toEqual({ kind: 'unknown' });
    const body = { resourceType: 'Condition', id: '13' };
    expect(classified({ status: 200, body }, AN_UPDATE)).toEqual({ kind: 'unknown' });
  });

  it('is busy, and may be sent again, after status 400 with a key in use', () => {
    const body = anOutcome({ code: 'invalid', details: { text: 'Assigned ID is already in use' } });
    expect(classified({ status: 400, body })).toEqual({ kind: 'busy' });
  });

  it.each([409, 423, 425])('is busy, and may be sent again after a pause, after status %d', (status) => {
    expect(classified({ status, headers: { 'retry-after': '7' } })).toEqual({ kind: 'busy', retryAfterMs: 7000 });
    expect(classified({ status })).toEqual({ kind: 'busy' });
  });

  it('is busy because of a limit after status 429', () => {
    const limited = { kind: 'busy', isLimit: true };
    expect(classified({ status: 429, headers: { 'retry-after': '7' } })).toEqual({ ...limited, retryAfterMs: 7000 });
    expect(classified({ status: 429 })).toEqual(limited);
  });

  it('is a conflict after status 412', () => {
    expect(classified({ status: 412 }, AN_UPDATE)).toEqual({ kind: 'conflict' });
  });

  it.each([400, 401, 402, 403, 406, 410, 413, 415, 422, 451])('is refused after status %d', (status) => {
    expect(classified({ status })).toEqual({
      kind: 'refused',
      status,
      isTypeRefused: false,
      why: `status ${status}`,
    });
  });

  it.each([404, 405, 501])('is a refusal of the resource type after status %d of a create', (status) => {
    const body = anOutcome({ code: 'processing' });
    expect(classified({ status, body })).toMatchObject({ kind: 'refused', status, isTypeRefused: true });
    expect(classified({ status, body }, AN_UPDATE)).toMatchObject({ kind: 'refused', status, isTypeRefused: false });
  });

  it.each<AnswerBody>([
    { kind: 'empty' },
    { kind: 'unreadable', why: 'no JSON' },
    { kind: 'json', json: { fault: 1 } },
  ])('is no refusal of the type after status 404 without FHIR, which may come from a gateway (%#)', (body) => {
    expect(classified({ status: 404, body })).toMatchObject({ kind: 'refused', isTypeRefused: false });
  });

  it.each<AnswerBody>([CUT, { kind: 'unreadable', why: 'no JSON' }, { kind: 'json', json: { login: 'please' } }])(
    'is unknown after status 200 of an update without FHIR (%#)',
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
  ])('is a refusal of the type if the OperationOutcome says so (%#)', (body) => {
    expect(classified({ status: 400, body })).toMatchObject({ kind: 'refused', isTypeRefused: true });
  });

  it('is no refusal of the type after status 404 about a referenced resource', () => {
    const body = anOutcome({ code: 'not-found', expression: ['Condition.encounter'] });
    expect(classified({ status: 404, body })).toMatchObject({
      isTypeRefused: false,
      why: 'not-found at Condition.encounter',
    });
  });

  it('is no refusal of the type if one element is not supported', () => {
    const body = anOutcome({ code: 'not-supported', expression: ['Condition.modifierExtension'] });
    expect(classified({ status: 422, body })).toMatchObject({
      isTypeRefused: false,
      why: 'not-supported at Condition.modifierExtension',
    });
  });

  it.each([301, 307, 308])('is refused after the redirect %d, which is not followed', (status) => {
    expect(classified({ status, headers: { location: 'Condition/12' } })).toMatchObject({ kind: 'refused', status });
  });

  it.each([302, 303, 304, 408, 500, 502, 503, 504, 599])('is unknown after status %d', (status) => {
    expect(classified({ status, headers: { location: 'Condition/12' } })).toEqual({ kind: 'unknown' });
    expect(classified({ status, headers: { 'retry-after': '2' } })).toEqual({ kind: 'unknown', retryAfterMs: 2000 });
  });

  it.each<TransportFailureKind>(['network', 'timeout', 'tls', 'proxy', 'answer', 'aborted'])(
    'is unknown after a broken call (%s) that was sent, and busy otherwise',
    (kind) => {
      expect(failed(kind, true)).toEqual({ kind: 'unknown' });
      expect(failed(kind, false)).toEqual({ kind: 'busy' });
    },
  );

  it('is busy if credentials are not available for now', () => {
    expect(failed('credentials', false, true, 3000)).toEqual({ kind: 'busy', retryAfterMs: 3000, why: 'it broke' });
  });

  it('is refused if the settings have a wrong address or wrong credentials', () => {
    const refused = { kind: 'refused', isTypeRefused: false, why: 'it broke' };
    expect(failed('credentials', false, false)).toEqual({ ...refused, status: 401 });
    expect(failed('address', false, false)).toEqual({ ...refused, status: 400 });
  });

  it('is busy while the circuit is open', () => {
    expect(classifyWrite({ kind: 'circuit-open', retryAfterMs: 4000 }, A_CREATE, NOW)).toEqual({
      kind: 'busy',
      retryAfterMs: 4000,
    });
  });
});

describe('The reason of a refusal', () => {
  const why = (issue: object) => {
    const answer = classified({ status: 422, body: anOutcome(issue) });
    return answer.kind === 'refused' ? answer.why : answer.kind;
  };

  it('contains codes of the standard and paths of elements', () => {
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
  ])('repeats nothing that may be about a patient (%#)', (issue) => {
    expect(why(issue)).not.toMatch(/zebrowski/i);
  });

  it('names each issue once, and only a few', () => {
    const issue = { severity: 'error', code: 'required', expression: ['Condition.subject'] };
    const body = { resourceType: 'OperationOutcome', issue: [issue, issue, { severity: 'error', code: 'value' }] };
    expect(classified({ status: 422, body })).toMatchObject({ why: 'required at Condition.subject, value' });
  });
});

describe('The pause that a server asks for', () => {
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
  ])('is read from Retry-After: %s', (header, ms) => {
    expect(wait({ 'retry-after': header })).toBe(ms);
  });

  it.each(['', '0', '-5', 'soon', 'Mon, 02 Mar 2026 09:00:00 GMT', '1e3', '5, 6', 'NaN', 'Infinity'])(
    'is not read from Retry-After: “%s”',
    (header) => {
      expect(wait({ 'retry-after': header })).toBeUndefined();
    },
  );

  it('is read from the headers of an exhausted rate limit', () => {
    expect(wait({ ratelimit: '"requests";r=0;t=60' })).toBe(60_000);
    expect(wait({ ratelimit: 'limit=100, remaining=0, reset=50' })).toBe(50_000);
    expect(wait({ ratelimit: '"burst";r=9;t=1, "hour";r=0;t=900' })).toBe(900_000);
    expect(wait({ ratelimit: '"default";t=30' })).toBe(30_000);
    expect(wait({ ratelimit: 'nonsense' })).toBeUndefined();
    expect(wait({ 'ratelimit-reset': '30' })).toBe(30_000);
    expect(wait({ 'x-ratelimit-reset': String(NOW.getTime() / 1000 + 20) })).toBe(20_000);
  });

  it('is none if the rate limit is not exhausted', () => {
    expect(wait({ ratelimit: '"requests";r=95;t=60' }, {}, 503)).toBeUndefined();
    expect(wait({ ratelimit: '"requests";r=95;t=60, "hour";r=1;t=900' }, {}, 503)).toBeUndefined();
    expect(wait({ 'ratelimit-reset': '30' }, {}, 503)).toBeUndefined();
  });

  it('is read from the diagnostics of some servers', () => {
    const diagnostics = JSON.stringify({ _remainingPoints: 0, _msBeforeNext: 12_345 });
    expect(wait({}, anOutcome({ code: 'throttled', diagnostics }))).toBe(12_345);
    expect(wait({}, anOutcome({ code: 'throttled', diagnostics: '_msBeforeNext: never' }))).toBeUndefined();
  });
});
