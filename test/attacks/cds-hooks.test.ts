// Attacks on /cds-services: tokens that the EHR did not sign for this call, and bodies that are more than a call. None gets a card, and none makes
// the engine fetch an address that the site has not named.
import { createHmac, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import {
  aCall,
  aKey,
  type CdsDoor,
  DISCHARGE,
  ISSUER,
  openCdsDoor,
  PATIENT_VIEW,
  PUBLIC_URL,
} from '../inbound/http/cds/cds-door.ts';
import { makeLocalServers } from '../support/local-servers.ts';

const RED = {
  run: 'r',
  encounter: 'Encounter/2',
  isInChart: true,
  facts: { triage: 'RED', marks: [], missing: 0 },
} as const;
let door: CdsDoor;
const servers = makeLocalServers();
beforeEach(async () => {
  door = await openCdsDoor({ drafts: [RED] });
});
afterEach(async () => {
  await door.close();
  await servers.close();
});

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset;
const claims = () => ({
  iss: ISSUER,
  aud: `${PUBLIC_URL}/cds-services/${PATIENT_VIEW}`,
  iat: seconds(0),
  exp: seconds(240),
  jti: randomUUID(),
});

async function refused(token: string | undefined, why: string): Promise<void> {
  const { status, json } = await door.ask(`/cds-services/${PATIENT_VIEW}`, { token, body: aCall() });
  expect([status, json['message'], json['cards']]).toEqual([401, expect.stringContaining(why), undefined]);
  expect(door.queries).toEqual([]);
}

describe('a call by CDS Hooks is refused', () => {
  it('without a token, with one that is none, and with a key of the engine', async () => {
    await refused(undefined, 'no JWT');
    await refused('a.b.c', 'issuer');
    await refused('cw_0123456789abcdef', 'issuer');
  });

  it.each([
    ['was signed by another key with the kid of the EHR’s', 'signature'],
    ['was signed by a key that the EHR does not publish', 'no key'],
  ])('if its token %s', async (_, why) => {
    const forged = aKey('ES384');
    const kid = why === 'signature' ? door.key.kid : forged.kid;
    await refused(await door.jwt({}, { key: { ...forged, kid } }), why);
  });

  it('if its claims were changed after it was signed', async () => {
    const [header = '', , signature = ''] = (await door.jwt()).split('.');
    await refused(`${header}.${base64url({ ...claims(), sub: 'attacker' })}.${signature}`, 'signature');
  });

  it.each(['none', 'None', 'HS256', 'HS384'])('if alg is %s, also with the public key as the secret', async (alg) => {
    const head = base64url({ alg, kid: door.key.kid, typ: 'JWT' });
    const signed = `${head}.${base64url(claims())}`;
    const secret = door.key.publicKey.export({ type: 'spki', format: 'pem' });
    const hash = alg === 'HS384' ? 'sha384' : 'sha256';
    const signature = alg.startsWith('H') ? createHmac(hash, secret).update(signed).digest('base64url') : '';
    await refused(`${signed}.${signature}`, 'The JWT is refused');
  });

  it.each([
    ['has expired', { iat: seconds(-600), exp: seconds(-31) }, 'expired'],
    ['has no end', { exp: undefined }, 'exp'],
    ['is good for a day', { exp: seconds(86_400) }, 'more than an hour'],
    ['was made in the future', { iat: seconds(300), exp: seconds(500) }, 'future'],
    ['does not say when it was made', { iat: undefined }, 'iat'],
    ['is not good yet', { nbf: seconds(300) }, 'nbf'],
    ['has no id', { jti: undefined }, 'jti'],
    ['has an empty id', { jti: '' }, 'jti'],
    ['is for another engine', { aud: 'https://other.example.org/cds-services' }, 'aud'],
    ['is for the address without the service', { aud: `${PUBLIC_URL}/cds-services` }, 'aud'],
    ['is for another service', { aud: `${PUBLIC_URL}/cds-services/${DISCHARGE}` }, 'aud'],
    ['is for no one', { aud: undefined }, 'aud'],
    ['is of another issuer', { iss: 'https://attacker.example' }, 'issuer'],
    ['is of no issuer', { iss: undefined }, 'issuer'],
    ['is of an issuer that only begins like the EHR’s', { iss: `${ISSUER}.attacker.example` }, 'issuer'],
  ])('if its token %s', async (_, changes, why) => {
    await refused(await door.jwt(changes), why);
  });

  it('if its token is used a second time, also for another patient', async () => {
    const token = await door.jwt();
    expect((await door.view({}, token)).status).toBe(200);
    const again = await door.view({ context: { userId: 'Practitioner/7', patientId: 'p-2' } }, token);
    expect([again.status, door.queries.length]).toEqual([401, 1]);
  });

  it('if its token has another type', async () => {
    await refused(await door.jwt({}, { header: { typ: 'at+jwt' } }), 'typ');
  });

  it.each(['jku', 'x5u'])('if its token brings the address of its key in %s, which is never fetched', async (name) => {
    const own = aKey('ES384');
    const asked: string[] = [];
    const url = await servers.serve((req, res) => {
      asked.push(req.url ?? '');
      res.end(JSON.stringify({ keys: [own.jwk] }));
    });
    await refused(await door.jwt({}, { key: own, header: { [name]: `${url}/keys` } }), 'no key');
    expect([asked, door.published.requests]).toEqual([[], ['/keys']]);
  });

  it('if its token brings its key in the header', async () => {
    const own = aKey('ES384');
    const token = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'ES384', typ: 'JWT', jwk: own.jwk as never })
      .sign(own.privateKey);
    await refused(token, 'signature');
  });

  it('and does not make the engine fetch the keys again for each unknown kid', async () => {
    for (let count = 0; count < 20; count += 1)
      await refused(await door.jwt({}, { header: { kid: `k${count}` } }), 'no key');
    expect(door.published.requests).toHaveLength(1);
  });

  it('with 429 after many wrong tokens from one address, while good ones are still answered', async () => {
    await door.close();
    door = await openCdsDoor({ maxWrongKeys: 3 });
    const statuses = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await door.view({}, 'a.b.c')).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await door.view()).status).toBe(200);
  });

  it('before its body is read, if the caller is unknown; and if the body is too large', async () => {
    const huge = JSON.stringify({ ...aCall(), prefetch: { much: 'x'.repeat(1_100_000) } });
    const path = `/cds-services/${PATIENT_VIEW}`;
    expect((await door.ask(path, { token: 'a.b.c', body: huge })).status).toBe(401);
    expect((await door.ask(path, { token: await door.jwt(), body: huge })).status).toBe(413);
    expect(door.queries).toEqual([]);
  });

  it('and its token is not in the log', async () => {
    const token = await door.jwt({ aud: 'https://other.example.org' });
    await door.view({}, token);
    expect(door.logged.join('\n')).toContain('CDS Hooks');
    expect(door.logged.join('\n')).not.toContain(token.split('.')[2]);
  });
});
