import { describe, expect, it } from '@jest/globals';
import type { SitesSnapshot } from '../src/ports/sites.ts';
import { startupMessage } from '../src/startup-message.ts';
import { makeFakeReasoner } from './fakes/reasoner.ts';
import { makeFakeSpeech } from './fakes/speech.ts';
import { aSite } from './support/chart-facts.ts';

type Shown = {
  readonly engine?: string;
  readonly extra?: Parameters<typeof startupMessage>[0]['extra'];
  readonly command?: string;
};

function messageOf(
  addresses: Readonly<Record<string, string>>,
  { engine = 'openai:gpt-5.4', extra = { rows: [] }, command = 'npm run cli --' }: Shown = {},
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
    verifier: undefined,
    sites: snapshot,
    extra,
    command,
    databaseIs: 'embedded PostgreSQL',
    databaseNote: undefined,
    operatorKeyPlace: undefined,
  });
}

describe('the startup message', () => {
  it('the startup message names the sites whose EHR is reached by plain http', () => {
    const text = messageOf({ mercy: 'http://ehr.example.org/fhir', 'st-mary': 'https://ehr.example.org/fhir' });
    expect(text).toMatch(
      /Sites +mercy \(shadow\), st-mary \(shadow\)\n +by plain http, in the open: mercy \(ehr\.baseUrl\)\n/,
    );
  });

  it('the startup message breaks a long list of sites into lines of at most 100 characters', () => {
    const names = Array.from({ length: 12 }, (_, index) => `hospital-${index}`);
    const lines = messageOf(Object.fromEntries(names.map((name) => [name, 'https://ehr.example.org/fhir']))).split(
      '\n',
    );
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    for (const name of names) expect(lines.filter((line) => line.includes(`${name} (shadow)`))).toHaveLength(1);
  });

  it('the startup message says that rules are no medical device, how to set a model, and which sites wait for a model', () => {
    const text = messageOf({ mercy: 'https://ehr.example.org/fhir' }, { engine: 'builtin:rules@1' });
    expect(text).toMatch(/Reasoner +builtin:rules@1: rules .*no language model; not a medical device\n/);
    expect(text).toMatch(/\n +for a model set OPENAI_API_KEY or OPENAI_BASE_URL/);
    expect(text).toMatch(/\n +whose runs wait for another reasoner \(engines in site\.yaml\):\n +mercy\n/);
  });

  it('the startup message shows only the name of a model if no site waits for another reasoner', () => {
    const text = messageOf({ mercy: 'https://ehr.example.org/fhir' });
    expect(text).toMatch(/Reasoner +openai:gpt-5\.4\n +Speech/);
    expect(text).not.toContain('runs wait');
  });

  it('the startup message says nothing about plain http if no EHR is reached by it', () => {
    expect(messageOf({ mercy: 'http://127.0.0.1:8103/fhir' })).not.toContain('plain http');
    expect(messageOf({})).not.toContain('plain http');
  });

  it('the startup message shows the rows and next commands of an extension, and nothing of an extension that is off', () => {
    const extra = {
      rows: [['Sandbox', 'http://127.0.0.1:3001/fhir/R4: made-up patients']],
      next: { title: 'Next:', commands: ['sandbox finish en-chest-pressure', 'sandbox show en-chest-pressure'] },
    } as const;
    const text = messageOf({}, { extra });
    expect(text).toMatch(/Sandbox +http:\/\/127\.0\.0\.1:3001\/fhir\/R4: made-up patients/);
    expect(text).toContain('npm run cli -- sandbox finish en-chest-pressure');
    expect(text).toContain('npm run cli -- sandbox show en-chest-pressure');
    expect(messageOf({})).not.toContain('sandbox');
  });

  it('the startup message names the command line as the person runs it', () => {
    const text = messageOf({}, { command: 'chartwright' });
    expect(text).toContain('First API key   chartwright keys create');
    expect(text).not.toContain('npm run cli');
  });
});
