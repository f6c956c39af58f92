import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rawRequest } from '../../../support/raw-http.ts';
import { type Door, openDoor } from '../body/upload-door.ts';

let door: Door;
beforeAll(async () => {
  door = await openDoor();
});
afterAll(() => door.close());

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

async function get(target: string, ...headers: readonly string[]) {
  const lines = [`GET ${target} HTTP/1.1`, 'Host: localhost', ...headers, '', ''];
  const answer = await rawRequest(door.port, lines.join('\r\n'));
  return { ...answer, json: JSON.parse(answer.body) as Record<string, unknown> };
}

describe('the request gate', () => {
  it('passes a valid address', async () => {
    const { status, json } = await get('/items/a%20b%C3%A9?limit=5&name=x+y&tag=1&tag=2');
    expect(status).toBe(200);
    expect(json).toEqual({ id: 'a bé', query: { limit: '5', name: 'x y', tag: ['1', '2'] } });
  });

  it.each([
    ['malformed percent encoding', '/items/%E0%A4%A'],
    ['bytes that are not UTF-8', '/items/%ff'],
    ['%00', '/items/a%00b'],
    ['an encoded line break', '/items/a%0d%0ab'],
    ['malformed encoding in the query', '/items/a?b=%zz'],
    ['%00 in the query', '/items/a?b=%00'],
    ['10,000 query parameters', `/items/a?${'a&'.repeat(5_000)}`],
    ['101 query parameters', `/items/a?${Array.from({ length: 101 }, (_, index) => `p${index}=1`).join('&')}`],
    ['9,000 characters', `/items/${'a'.repeat(9_000)}`],
    ['an absolute address of another host', 'http://elsewhere.example/items/a'],
    ['the API key in its query', '/items/a?x-api-key=secret'],
    ['the API key in its query under another name', '/items/a?x=1&API_KEY=secret'],
    ['the API key in its query, disguised', '/items/a?%61pi%6bey=secret'],
  ])('answers 400 in JSON to a request with %s', async (_title, target) => {
    const { status, json, headers } = await get(target);
    expect(status).toBe(400);
    expect(json).toMatchObject({ statusCode: 400, error: 'Bad Request' });
    expect(headers.get('content-type')).toContain('application/json');
    expect(JSON.stringify(json)).not.toContain('secret');
  });

  it.each([
    '/items/..%2f..%2fetc%2fpasswd',
    '/items/a%2Fb',
    '/items/..%5c..%5cboot.ini',
    '/items/%2e%2e/items/a',
    '/items/../items/a',
    '/items/./a',
    '/items/a\\b',
  ])('answers 404 to a path with a hidden separator: %s', async (target) => {
    expect((await get(target)).status).toBe(404);
  });

  it('accepts 100 query parameters', async () => {
    expect((await get(`/items/a?${Array.from({ length: 100 }, (_, index) => `p${index}=1`).join('&')}`)).status).toBe(
      200,
    );
  });

  it('does not parse parameter names with brackets as objects', async () => {
    expect((await get('/items/a?b[c]=1&__proto__[x]=1')).json).toMatchObject({ query: { 'b[c]': '1' } });
  });

  it('answers TRACE with 405 and the allowed methods', async () => {
    const answer = await rawRequest(door.port, 'TRACE /items/a HTTP/1.1\r\nHost: a\r\nx-secret: 1\r\n\r\n');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toContain('GET');
    expect(answer.body).not.toContain('x-secret');
  });

  it.each([
    ['no Host', 'GET /items/a HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET /items/a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ])('answers 400 to a request with %s', async (_title, request) => {
    const answer = await rawRequest(door.port, request);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).message).toContain('Host');
  });

  it('keeps a printable request id of the client', async () => {
    expect((await get('/items/a', 'x-request-id: run-7_A.b')).headers.get('x-request-id')).toBe('run-7_A.b');
  });

  it.each([
    ['none', []],
    ['an empty one', ['x-request-id: ']],
    ['one of 129 characters', [`x-request-id: ${'a'.repeat(129)}`]],
    ['one with a space', ['x-request-id: a b']],
    ['two of them', ['x-request-id: a', 'x-request-id: b']],
  ])('makes a request id if the client sends %s', async (_title, headers) => {
    expect((await get('/items/a', ...headers)).headers.get('x-request-id')).toMatch(UUID);
  });

  it('adds an id to refusals, and does not reveal the server software', async () => {
    const { headers } = await get('/items/a%00b');
    expect(headers.get('x-request-id')).toMatch(UUID);
    expect(headers.has('x-powered-by')).toBe(false);
  });
});
