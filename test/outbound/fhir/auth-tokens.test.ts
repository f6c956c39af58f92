import { afterAll, describe, expect, it } from '@jest/globals';
import type { EhrAuth } from '../../../src/domain/site/site.ts';
import { makeLocalServers } from '../../support/local-servers.ts';
import { startTokenServer, type TokenBehaviour } from '../../support/token-server.ts';
import { until } from '../../support/until.ts';
import { aTransport, failureOf, get } from './transport-stage.ts';

const servers = makeLocalServers();
afterAll(() => servers.close());

const secretAuth: EhrAuth = {
  type: 'client-credentials',
  clientId: 'chartwright',
  clientSecret: 'a secret made up for tests',
};

async function aSite(given: Partial<TokenBehaviour> = {}, auth: EhrAuth = secretAuth) {
  const server = await startTokenServer(servers, given);
  const clock = { nowMs: Date.parse('2026-11-21T12:00:00Z') };
  const now = () => new Date(clock.nowMs);
  server.behaviour.now = now;
  const transport = aTransport({ baseUrl: server.baseUrl, auth }, { now });
  const passSeconds = (seconds: number) => {
    clock.nowMs += seconds * 1000;
  };
  return { server, transport, passSeconds };
}

describe('One token for many calls', () => {
  it('fifty calls that wait for a token make one token request', async () => {
    const gate = Promise.withResolvers<void>();
    const { server, transport } = await aSite({
      onToken: async (response) => {
        await gate.promise;
        server.behaviour.onToken = undefined;
        response.writeHead(503).end();
      },
    });
    const early = Array.from({ length: 50 }, () => failureOf(get(transport, 'Patient/1')));
    await until(() => server.tokenCalls.length === 1);
    gate.resolve();
    const failures = await Promise.all(early);
    expect(new Set(failures.map(({ message }) => message)).size).toBe(1);
    expect([server.tokenCalls.length, server.apiCalls.length]).toEqual([1, 0]);
  });

  it('fifty calls at once share one token and are all answered', async () => {
    const { server, transport } = await aSite();
    const answers = await Promise.all(Array.from({ length: 50 }, () => get(transport, 'Patient/1')));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(server.tokenCalls).toHaveLength(1);
  });

  it('a caller that cancels does not take the token from the others', async () => {
    const gate = Promise.withResolvers<void>();
    const { server, transport } = await aSite();
    server.behaviour.onToken = async (response) => {
      await gate.promise;
      server.behaviour.onToken = undefined;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ access_token: 'late', token_type: 'bearer' }));
    };
    const leaving = new AbortController();
    const left = failureOf(transport.send({ method: 'GET', url: 'Patient/1' }, leaving.signal));
    const stays = get(transport, 'Patient/1');
    await until(() => server.tokenCalls.length === 1);
    leaving.abort(new Error('enough'));
    expect(await left).toMatchObject({ kind: 'aborted', wasSent: false, cause: { message: 'enough' } });
    gate.resolve();
    // The EHR does not accept the token `late`, so a second one was requested. What counts is that the first one was used.
    expect((await stays).status).toBe(200);
    expect(server.apiCalls[0]).toBe('Bearer late');
  });

  it('a token is used until half a minute before its end', async () => {
    const { server, transport, passSeconds } = await aSite({ token: { expires_in: 300 } });
    await get(transport, 'Patient/1');
    passSeconds(269);
    await get(transport, 'Patient/1');
    expect(server.tokenCalls).toHaveLength(1);
    passSeconds(1);
    await get(transport, 'Patient/1');
    expect(server.tokenCalls).toHaveLength(2);
  });

  it.each([
    ['a token with a short life is used for half of it', { expires_in: 20 }, 9, 10],
    ['a life as a text is understood', { expires_in: '600' }, 569, 570],
    ['a token without a life is used for five minutes', {}, 269, 270],
    ['a life of zero is ignored', { expires_in: 0 }, 269, 270],
    ['a token with a very short life is used for more than one call', { expires_in: 0.001 }, 4, 5],
    ['an invalid life is ignored', { expires_in: 'soon' }, 269, 270],
    ['a very long life is limited to a day', { expires_in: 1e12 }, 86_369, 86_370],
  ])('%s', async (_, token, goodForSeconds, endsAfterSeconds) => {
    const { server, transport, passSeconds } = await aSite({ token });
    await get(transport, 'Patient/1');
    passSeconds(goodForSeconds);
    await get(transport, 'Patient/1');
    expect(server.tokenCalls).toHaveLength(1);
    passSeconds(endsAfterSeconds - goodForSeconds);
    await get(transport, 'Patient/1');
    expect(server.tokenCalls).toHaveLength(2);
  });

  it('a new token is requested after the clock was set back', async () => {
    const { server, transport, passSeconds } = await aSite();
    await get(transport, 'Patient/1');
    passSeconds(-86_400);
    await get(transport, 'Patient/1');
    expect(server.tokenCalls).toHaveLength(2);
  });
});

describe('After status 401 of the EHR', () => {
  it('one new token is requested, and the call is repeated once, also a write', async () => {
    const { server, transport } = await aSite();
    await get(transport, 'Patient/1');
    server.revokeTokens();
    const answer = await transport.send({ method: 'POST', url: '', body: '{}' }, new AbortController().signal);
    expect(answer.status).toBe(200);
    expect(server.apiCalls).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });

  it('fifty calls at once share one new token', async () => {
    const { server, transport } = await aSite();
    await get(transport, 'Patient/1');
    server.revokeTokens();
    const answers = await Promise.all(Array.from({ length: 50 }, () => get(transport, 'Patient/1')));
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(server.tokenCalls).toHaveLength(2);
  });

  it('a call with a late 401 uses the token that others have requested meanwhile', async () => {
    const { server, transport } = await aSite();
    await get(transport, 'Patient/1');
    server.revokeTokens();
    const gate = Promise.withResolvers<void>();
    server.behaviour.onApi = () => gate.promise;
    const late = get(transport, 'Patient/1');
    await until(() => server.apiCalls.length === 2);
    server.behaviour.onApi = undefined;
    expect((await get(transport, 'Patient/1')).status).toBe(200);
    gate.resolve();
    expect((await late).status).toBe(200);
    expect(server.tokenCalls).toHaveLength(2);
  });

  it('a new token that expired before the call is not reported as refused credentials', async () => {
    const { server, transport } = await aSite();
    await get(transport, 'Patient/1');
    server.revokeTokens();
    const gate = Promise.withResolvers<void>();
    server.behaviour.onApi = async () => {
      if (server.apiCalls.at(-1) === 'Bearer token-2') await gate.promise;
    };
    const late = get(transport, 'Patient/1');
    await until(() => server.apiCalls.at(-1) === 'Bearer token-2');
    server.behaviour.onApi = undefined;
    expect((await get(transport, 'Patient/1')).status).toBe(200);
    server.revokeTokens();
    gate.resolve();
    expect((await late).status).toBe(200);
    expect(server.tokenCalls).toHaveLength(3);
  });

  it('a second 401 is the answer, and many of them request few tokens', async () => {
    const { server, transport, passSeconds } = await aSite({ refusesAll: true });
    for (let turn = 0; turn < 10; turn += 1) expect((await get(transport, 'Patient/1')).status).toBe(401);
    expect(server.tokenCalls).toHaveLength(2);
    passSeconds(31);
    expect((await get(transport, 'Patient/1')).status).toBe(401);
    expect(server.tokenCalls).toHaveLength(3);
    server.behaviour.refusesAll = false;
    expect((await get(transport, 'Patient/1')).status).toBe(200);
  });

  it('few tokens are requested if the EHR answers 401 for what may not be read', async () => {
    const { server, transport, passSeconds } = await aSite();
    for (let turn = 0; turn < 10; turn += 1) {
      server.behaviour.refusesAll = false;
      expect((await get(transport, 'Patient/1')).status).toBe(200);
      server.behaviour.refusesAll = true;
      expect((await get(transport, 'Consent/1')).status).toBe(401);
    }
    expect(server.tokenCalls).toHaveLength(2);
    passSeconds(31);
    await get(transport, 'Consent/1');
    expect(server.tokenCalls).toHaveLength(3);
  });

  it('a token that the server issues again is not used again', async () => {
    const { server, transport } = await aSite({ token: { access_token: 'always-the-same' } });
    expect((await get(transport, 'Patient/1')).status).toBe(401);
    expect([server.tokenCalls.length, server.apiCalls.length]).toEqual([2, 1]);
  });

  it.each<EhrAuth>([
    { type: 'none' },
    { type: 'basic', username: 'u', password: 'ü:p' },
    { type: 'bearer', token: 't\n' },
  ])('there is no new token with %p, and 401 is the answer', async (auth) => {
    const { server, transport } = await aSite({}, auth);
    expect((await get(transport, 'Patient/1')).status).toBe(401);
    const expected = { none: undefined, basic: `Basic ${Buffer.from('u:ü:p').toString('base64')}`, bearer: 'Bearer t' };
    expect(server.apiCalls).toEqual([expected[auth.type as keyof typeof expected]]);
  });
});

describe('Without a token', () => {
  it('a wrong secret is tried once in half a minute, and the error names the settings', async () => {
    const { server, transport, passSeconds } = await aSite({}, { ...secretAuth, clientSecret: 'quite wrong' });
    await failureOf(get(transport, 'Patient/1'));
    passSeconds(330);
    const failures = [];
    for (let turn = 0; turn < 5; turn += 1) {
      failures.push(await failureOf(get(transport, 'Patient/1')));
      passSeconds(5);
    }
    expect(server.tokenCalls).toHaveLength(2);
    expect(server.apiCalls).toEqual([]);
    for (const failure of failures) {
      expect(failure).toMatchObject({ kind: 'credentials', wasSent: false, isPassing: false });
      expect(failure.message).toBe(
        'The token server refuses us (HTTP 400, invalid_request): check ehr.auth.clientId and ehr.auth.clientSecret',
      );
    }
    expect(failures.map(({ retryAfterMs }) => retryAfterMs)).toEqual([undefined, 25_000, 20_000, 15_000, 10_000]);
    passSeconds(5);
    await failureOf(get(transport, 'Patient/1'));
    expect(server.tokenCalls).toHaveLength(3);
  });

  it('a refusal is passing, and remembered as such, until the token server has refused for five and a half minutes', async () => {
    const { server, transport, passSeconds } = await aSite({}, { ...secretAuth, clientSecret: 'quite wrong' });
    const refusal = async () => {
      const { isPassing, retryAfterMs } = await failureOf(get(transport, 'Patient/1'));
      return [server.tokenCalls.length, isPassing, retryAfterMs];
    };
    expect(await refusal()).toEqual([1, true, 30_000]);
    passSeconds(15);
    expect(await refusal()).toEqual([1, true, 15_000]);
    passSeconds(310);
    expect(await refusal()).toEqual([2, true, 30_000]);
    passSeconds(15);
    expect(await refusal()).toEqual([2, true, 15_000]);
    passSeconds(15);
    expect(await refusal()).toEqual([3, false, undefined]);
    passSeconds(15);
    expect(await refusal()).toEqual([3, false, 15_000]);
  });

  it('two refusals with a long pause between them are not one that stays', async () => {
    const { transport, passSeconds } = await aSite({}, { ...secretAuth, clientSecret: 'quite wrong' });
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await failureOf(get(transport, 'Patient/1'))).toMatchObject({ kind: 'credentials', isPassing: true });
      passSeconds(3600);
    }
  });

  it('a token ends the doubt: the next refusal is passing again', async () => {
    const { server, transport, passSeconds } = await aSite();
    const odd: TokenBehaviour['onToken'] = (response) => void response.writeHead(401).end('<html>');
    for (let turn = 0; turn < 3; turn += 1) {
      server.behaviour.onToken = odd;
      expect(await failureOf(get(transport, 'Patient/1'))).toMatchObject({ kind: 'credentials', isPassing: true });
      passSeconds(30);
      server.behaviour.onToken = undefined;
      expect((await get(transport, 'Patient/1')).status).toBe(200);
      passSeconds(86_400);
    }
  });

  it('a clock that is set back does not make the pause longer', async () => {
    const { server, transport, passSeconds } = await aSite({}, { ...secretAuth, clientSecret: 'quite wrong' });
    await failureOf(get(transport, 'Patient/1'));
    passSeconds(-86_400);
    await failureOf(get(transport, 'Patient/1'));
    expect(server.tokenCalls).toHaveLength(2);
  });

  it.each([
    [401, 'invalid_client', false, /HTTP 401, invalid_client.*clientSecret/],
    [403, 'unauthorized_client', false, /HTTP 403, unauthorized_client/],
    [400, 'invalid_scope', false, /check ehr\.auth\.scope/],
    [400, 'Mr Smith <secret>', false, /\(HTTP 400\)/],
    [404, '', false, /check ehr\.auth\.tokenUrl/],
    [405, '', false, /check ehr\.auth\.tokenUrl/],
    [302, '', false, /sends us elsewhere/],
    [307, '', false, /sends us elsewhere/],
    [429, '', true, /not available \(HTTP 429\)/],
    [500, '', true, /not available \(HTTP 500\)/],
    [503, '', true, /not available \(HTTP 503\)/],
  ])(
    'the error names the cause if the token server answers HTTP %i %s',
    async (status, error, isServerDown, message) => {
      const { server, transport } = await aSite({
        onToken: (response) => {
          response.writeHead(status, {
            'content-type': 'application/json',
            location: '/fhir/other',
            'retry-after': '20',
          });
          response.end(JSON.stringify({ error, error_description: 'the secret of Mr Smith' }));
        },
      });
      const failure = await failureOf(get(transport, 'Patient/1'));
      expect(failure).toMatchObject({ kind: 'credentials', wasSent: false, isPassing: true });
      expect(failure.retryAfterMs).toBe(isServerDown ? 20_000 : 30_000);
      expect(failure.message).toMatch(message);
      expect(failure.message).not.toMatch(/Smith|made up/);
      expect([server.tokenCalls.length, server.apiCalls.length]).toEqual([1, 0]);
    },
  );

  it('the pause that the token server asks for is kept, and a passing failure is tried again soon', async () => {
    const { server, transport, passSeconds } = await aSite({
      onToken: (response) => void response.writeHead(503, { 'retry-after': '20' }).end(),
    });
    await failureOf(get(transport, 'Patient/1'));
    passSeconds(19);
    await failureOf(get(transport, 'Patient/1'));
    expect(server.tokenCalls).toHaveLength(1);
    passSeconds(1);
    server.behaviour.onToken = (response) => void response.destroy();
    expect(await failureOf(get(transport, 'Patient/1'))).toMatchObject({
      kind: 'network',
      wasSent: false,
      isPassing: true,
    });
    passSeconds(1);
    server.behaviour.onToken = undefined;
    expect((await get(transport, 'Patient/1')).status).toBe(200);
    expect(server.tokenCalls).toHaveLength(3);
  });

  it.each([
    ['no JSON', 'text/html', '<html>', /without a token/],
    ['no token', 'application/json', '{}', /without a token/],
    ['an invalid token', 'application/json', '{"access_token":{"a":1},"token_type":"bearer"}', /without a token/],
    ['another type of token', 'application/json', '{"access_token":"x","token_type":"mac"}', /no bearer token/],
    ['no type of token', 'application/json', '{"access_token":"x"}', /no bearer token/],
    ['line breaks', 'application/json', '{"access_token":"x\\r\\nevil: 1","token_type":"bearer"}', /no bearer token/],
    [
      'far too many bytes',
      'application/json',
      `{"access_token":"x","token_type":"bearer","more":"${'x'.repeat(70_000)}"}`,
      /without a token/,
    ],
  ])('an answer with %s is not a token', async (_, contentType, body, message) => {
    const { server, transport } = await aSite({
      onToken: (response) => void response.writeHead(200, { 'content-type': contentType }).end(body),
    });
    const failure = await failureOf(get(transport, 'Patient/1'));
    expect(failure).toMatchObject({ kind: 'credentials', wasSent: false });
    expect(failure.message).toMatch(message);
    expect(server.apiCalls).toEqual([]);
  });

  it('a token server that never answers is given up', async () => {
    const server = await startTokenServer(servers, { onToken: () => undefined });
    const transport = aTransport({ baseUrl: server.baseUrl, auth: secretAuth }, { limits: { tokenMs: 100 } });
    expect(await failureOf(get(transport, 'Patient/1'))).toMatchObject({
      kind: 'timeout',
      wasSent: false,
      message: 'The token server did not answer in time',
    });
  });
});

describe('Authentication with a client secret', () => {
  it('id and secret are sent as basic authorization, with form encoding', async () => {
    const client = { id: 'a client:with%signs', secret: 'p@ss wörd:+&=%' };
    const auth = { ...secretAuth, clientId: client.id, clientSecret: client.secret };
    const { server, transport } = await aSite({ client }, auth);
    expect((await get(transport, 'Patient/1')).status).toBe(200);
    expect(server.tokenCalls[0]?.form).toEqual({ grant_type: 'client_credentials' });
    expect(server.tokenCalls[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  it('the scope of the settings is requested', async () => {
    const { server, transport } = await aSite({}, { ...secretAuth, scope: 'system/*.read' });
    await get(transport, 'Patient/1');
    expect(server.tokenCalls[0]?.form['scope']).toBe('system/*.read');
  });

  it.each([[['client_secret_post']], [['private_key_jwt', 'client_secret_post']]])(
    'id and secret are sent in the form if the EHR supports %p',
    async (methods) => {
      const metadata = (baseUrl: string) => ({
        '/.well-known/smart-configuration': {
          token_endpoint: `${baseUrl}/oauth/token`,
          token_endpoint_auth_methods_supported: methods,
        },
      });
      for (const isConfigured of [false, true]) {
        const server = await startTokenServer(servers, { metadata });
        const auth = { ...secretAuth, ...(isConfigured && { tokenUrl: server.tokenUrl }) };
        const transport = aTransport({ baseUrl: server.baseUrl, auth });
        expect((await get(transport, 'Patient/1')).status).toBe(200);
        expect(server.tokenCalls[0]?.authorization).toBeUndefined();
        expect(server.tokenCalls[0]?.form).toMatchObject({ client_id: 'chartwright' });
      }
    },
  );
});
