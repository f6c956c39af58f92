import { describe, expect, test } from '@jest/globals';
import type { SitesSnapshot } from '../src/ports/sites.ts';
import { startupMessage } from '../src/startup-message.ts';
import { makeFakeReasoner } from './fakes/reasoner.ts';
import { makeFakeSpeech } from './fakes/speech.ts';
import { aSite } from './support/chart-facts.ts';

type Shown = { readonly engine?: string; readonly sandbox?: { readonly baseUrl: string } };

function greetingOf(
  addresses: Readonly<Record<string, string>>,
  { engine = 'openai:gpt-5.4', sandbox }: Shown = {},
): string {
  const sites = Object.entries(addresses).map(([name, baseUrl]) => {
    const site = aSite();
    const ehr = { baseUrl, auth: { type: 'none' }, maxConcurrentWrites: 2, headers: {} } as const;
    return [name, { ...site, name, settings: { ...site.settings, ehr } }] as const;
  });
  const snapshot: SitesSnapshot = { sites: new Map(sites), problems: [], stale: new Set(), unavailable: new Set() };
  return startupMessage({
    version: '1.2.3',
    publicUrl: 'http://127.0.0.1:3000',
    reasoner: { ...makeFakeReasoner(), engine },
    speech: makeFakeSpeech(),
    sites: snapshot,
    sandbox,
    databaseIs: 'embedded PostgreSQL',
    databaseNote: undefined,
    operatorKeyPlace: undefined,
  });
}

describe('the greeting', () => {
  test('names the sites whose EHR is reached by plain http, beside them', () => {
    const text = greetingOf({ mercy: 'http://ehr.example.org/fhir', 'st-mary': 'https://ehr.example.org/fhir' });
    expect(text).toMatch(
      /Sites +mercy \(shadow\), st-mary \(shadow\)\n +by plain http, in the open: mercy \(ehr\.baseUrl\)\n/,
    );
  });

  test('names many sites in several lines that fit', () => {
    const names = Array.from({ length: 12 }, (_, index) => `hospital-${index}`);
    const lines = greetingOf(Object.fromEntries(names.map((name) => [name, 'https://ehr.example.org/fhir']))).split(
      '\n',
    );
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    for (const name of names) expect(lines.filter((line) => line.includes(`${name} (shadow)`))).toHaveLength(1);
  });

  test('says what the rules are not, how a model is set, and whose runs wait for one', () => {
    const text = greetingOf({ mercy: 'https://ehr.example.org/fhir' }, { engine: 'builtin:rules@1' });
    expect(text).toMatch(/Reasoner +builtin:rules@1: rules .*no language model; not a medical device\n/);
    expect(text).toMatch(/\n +for a model set OPENAI_API_KEY or OPENAI_BASE_URL/);
    expect(text).toMatch(/\n +whose runs wait for another reasoner \(engines in site\.yaml\):\n +mercy\n/);
  });

  test('says of a model its name alone, and that nobody waits by saying nothing', () => {
    const text = greetingOf({ mercy: 'https://ehr.example.org/fhir' });
    expect(text).toMatch(/Reasoner +openai:gpt-5\.4\n +Speech/);
    expect(text).not.toContain('runs wait');
  });

  test('says nothing of it where all is well', () => {
    expect(greetingOf({ mercy: 'http://127.0.0.1:8103/fhir' })).not.toContain('plain http');
    expect(greetingOf({})).not.toContain('plain http');
  });

  test('says where the sandbox is and what to do next, and nothing of it where there is none', () => {
    const text = greetingOf({}, { sandbox: { baseUrl: 'http://127.0.0.1:3001/fhir/R4' } });
    expect(text).toMatch(/Sandbox +http:\/\/127\.0\.0\.1:3001\/fhir\/R4: made-up patients/);
    expect(text).toContain('npm run cli -- sandbox finish en-chest-pressure');
    expect(text).toContain('npm run cli -- sandbox show en-chest-pressure');
    expect(greetingOf({})).not.toContain('sandbox');
  });
});
