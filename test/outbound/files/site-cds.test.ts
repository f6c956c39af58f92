import { describe, expect, it } from '@jest/globals';
import { parseSource } from '../../../src/mapping/mapping.ts';
import { readSiteSettings } from '../../../src/outbound/files/site-settings.ts';

function read(cds: string) {
  const file = 'mappings/mercy/site.yaml';
  const text = `ehr: { baseUrl: https://ehr.example.org/fhir }\ncds: ${cds}\n`;
  const { root } = parseSource({ file, text });
  if (root?.kind !== 'map') throw new Error('the test has a mistake in its YAML');
  return readSiteSettings({ name: 'mercy', file, trees: [root], secrets: { environment: {}, files: new Map() } });
}

describe('The settings of CDS Hooks', () => {
  it('are the issuer of the tokens, the address of its keys, and where the EHR calls', () => {
    const cds = {
      issuer: 'the EHR',
      jwksUri: 'https://ehr.example.org/keys',
      audience: 'https://cw.example.org/cds-services',
    };
    expect(read(JSON.stringify(cds)).settings?.cds).toEqual(cds);
    expect(read('').settings).not.toHaveProperty('cds');
  });

  it('may name keys on this machine over plain http', () => {
    expect(read('{ issuer: i, jwksUri: "http://127.0.0.1:3001/keys" }').problems).toEqual([]);
  });

  it.each([
    ['no issuer', '{ jwksUri: "https://e.example.org/k" }', 'cds.issuer'],
    ['no keys', '{ issuer: i }', 'cds.jwksUri'],
    ['keys over plain http', '{ issuer: i, jwksUri: "http://e.example.org/k" }', 'cds.jwksUri is https'],
    ['an unknown member', '{ issuer: i, jwksUri: "https://e.example.org/k", keys: 1 }', 'keys'],
  ])('are refused with %s', (_, cds, message) => {
    expect(read(cds).problems.map((problem) => problem.message)).toEqual([expect.stringContaining(message)]);
  });
});
