import { describe, expect, it } from '@jest/globals';
import { parseSource } from '../../../src/mapping/mapping.ts';
import { readSiteSettings } from '../../../src/outbound/files/site-settings.ts';

const EHR = 'ehr: { baseUrl: https://ehr.example.org/fhir/ }';

function read(launch: string, ehr = EHR) {
  const file = 'mappings/mercy/site.yaml';
  const { root } = parseSource({ file, text: `${ehr}\nlaunch: ${launch}\n` });
  if (root?.kind !== 'map') throw new Error('the test has a mistake in its YAML');
  const environment = { MERCY_LAUNCH_SECRET: 'swordfish' };
  return readSiteSettings({ name: 'mercy', file, trees: [root], secrets: { environment, files: new Map() } });
}

function messagesOf(launch: string): readonly string[] {
  return read(launch).problems.map(({ place, message }) => `${place.line}:${place.column}: ${message}`);
}

describe('The settings of a launch', () => {
  it('need only the client, and let nothing but the EHR of the site launch', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how settings name secrets
    expect(read('{ clientId: cw, clientSecret: "${MERCY_LAUNCH_SECRET}" }').settings?.launch).toEqual({
      clientId: 'cw',
      client: { kind: 'secret', clientSecret: 'swordfish' },
      issuers: ['https://ehr.example.org/fhir'],
      scopes: ['launch', 'openid', 'fhirUser'],
      newReviewers: false,
      frameOrigins: [],
      idTokenAlgorithms: ['RS256', 'RS384', 'ES256', 'ES384'],
    });
  });

  it('keep an issuer letter by letter, because it is compared so', () => {
    const launch = '{ clientId: cw, privateKey: k, kid: one, issuers: [https://EHR.example.org/fhir/] }';
    expect(read(launch).settings?.launch).toMatchObject({
      client: { kind: 'key', privateKey: 'k', kid: 'one' },
      issuers: ['https://EHR.example.org/fhir/'],
    });
  });

  it('are absent if the site does not have them', () => {
    expect(read('').settings).not.toHaveProperty('launch');
  });

  it.each([
    ['no secret and no key', '{ clientId: c }', '2:21: launch needs one of clientSecret and privateKey'],
    ['both a secret and a key', '{ clientId: c, clientSecret: s, privateKey: k }', '2:21: launch needs one of'],
    ['the name of a key without a key', '{ clientId: c, clientSecret: s, kid: k }', '2:46: launch.kid is the name of'],
    [
      'an issuer over plain http',
      '{ clientId: c, clientSecret: s, issuers: [http://e.example.org] }',
      '2:50: launch.issuers are https',
    ],
    [
      'an issuer with a user',
      '{ clientId: c, clientSecret: s, issuers: [https://a@e.example.org] }',
      '2:51: launch.issuers[0] must not hold a user',
    ],
    [
      'scopes without a name',
      '{ clientId: c, clientSecret: s, scopes: [launch, openid] }',
      '2:49: launch.scopes lacks fhirUser',
    ],
    [
      'scopes in one text',
      '{ clientId: c, clientSecret: s, scopes: ["openid fhirUser"] }',
      '2:50: launch.scopes[0] is one scope',
    ],
    [
      'a frame that is a page',
      '{ clientId: c, clientSecret: s, frameOrigins: [https://e.example.org/x] }',
      '2:56: launch.frameOrigins[0] is the origin',
    ],
    [
      'a signature that needs the secret',
      '{ clientId: c, clientSecret: s, idTokenAlgorithms: [HS256] }',
      '2:61: launch.idTokenAlgorithms[0] is one of',
    ],
    [
      'no signature',
      '{ clientId: c, clientSecret: s, idTokenAlgorithms: [] }',
      '2:60: launch.idTokenAlgorithms is empty',
    ],
    [
      'a word for true',
      '{ clientId: c, clientSecret: s, newReviewers: "yes" }',
      '2:55: launch.newReviewers is true or false',
    ],
  ])('are refused if they have %s', (_, launch, message) => {
    expect(messagesOf(launch)).toEqual([expect.stringContaining(message)]);
  });
});
