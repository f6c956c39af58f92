import { describe, expect, it } from '@jest/globals';
import type { SiteSettings } from '../../../src/domain/site/site.ts';
import { makeCheckEngines } from '../../../src/flows/health/check-engines.ts';
import type { WatchAnswers } from '../../../src/flows/health/watch-answers.ts';
import { aSite } from '../../support/chart-facts.ts';

type Sites = Readonly<Record<string, Partial<SiteSettings>>>;

type Answers = ReturnType<WatchAnswers['current']>;

async function healthOf(
  engines: { readonly reasoner: string; readonly speech?: string; readonly answers?: Answers },
  sites: Sites = {},
) {
  const loaded = Object.entries(sites).map(([name, settings]) => {
    const site = aSite();
    return [name, { ...site, name, settings: { ...site.settings, ...settings } }] as const;
  });
  const snapshot = { sites: new Map(loaded), problems: [], stale: new Set<string>(), unavailable: new Set<string>() };
  const checks = makeCheckEngines({
    reasoner: { engine: engines.reasoner },
    speech: { engine: engines.speech },
    answers: { current: () => engines.answers ?? {} },
    sites: { current: () => snapshot },
    builtinSite: 'sandbox',
  });
  const [reasoner, speech] = await Promise.all(checks.map((check) => check()));
  return { reasoner, speech };
}

const VENDORS = { engines: { allow: ['vendor'] } } as const;

describe('the health of the reasoner and the speech recognition', () => {
  it('is ok with both vendors and names them', async () => {
    const health = await healthOf({ reasoner: 'openai:gpt-5.4', speech: 'deepgram:nova-3' }, { mercy: VENDORS });
    expect(health).toEqual({
      reasoner: { name: 'reasoner', status: 'ok', detail: 'openai:gpt-5.4 is configured.' },
      speech: { name: 'speech', status: 'ok', detail: 'deepgram:nova-3 is configured.' },
    });
  });

  it('is ok with the rules and says that they are no medical device', async () => {
    const { reasoner } = await healthOf({ reasoner: 'builtin:rules@1' });
    expect(reasoner?.status).toBe('ok');
    expect(reasoner?.detail).toMatch(/^builtin:rules@1: rules .*no language model.*not a medical device/);
    expect(reasoner?.detail).toContain('OPENAI_API_KEY or OPENAI_BASE_URL');
  });

  it('is degraded if sites wait for a model, and names them; a site that is off does not count', async () => {
    const sites = {
      mercy: VENDORS,
      trial: { engines: { allow: ['builtin'] } },
      old: { ...VENDORS, mode: 'off' },
    } as const;
    const { reasoner } = await healthOf({ reasoner: 'builtin:rules@1' }, sites);
    expect(reasoner?.status).toBe('degraded');
    expect(reasoner?.detail).toMatch(/Runs wait for another one \(engines in site\.yaml\): mercy\.$/);
  });

  it('stays ok when another model answers than before, and says when that changed', async () => {
    const last = 'gpt-5.4-2026-05-01 fp_2';
    const change = { from: 'gpt-5.4-2026-03-05 fp_1', to: last, at: new Date('2026-05-02T08:00:00Z') };
    const first = await healthOf({ reasoner: 'openai:gpt-5.4', answers: { last } }, { mercy: VENDORS });
    expect(first.reasoner).toEqual({
      name: 'reasoner',
      status: 'ok',
      detail: 'openai:gpt-5.4 is configured. The last answer is of gpt-5.4-2026-05-01 fp_2.',
    });
    const then = await healthOf({ reasoner: 'openai:gpt-5.4', answers: { last, change } }, { mercy: VENDORS });
    expect(then.reasoner?.status).toBe('ok');
    expect(then.reasoner?.detail).toMatch(
      /changed at 2026-05-02T08:00:00\.000Z from gpt-5\.4-2026-03-05 fp_1 to gpt-5\.4-2026-05-01 fp_2\.$/,
    );
  });

  it('is degraded without speech recognition and names the setting', async () => {
    const { speech } = await healthOf({ reasoner: 'openai:gpt-5.4' });
    expect(speech).toMatchObject({ status: 'degraded', detail: expect.stringContaining('DEEPGRAM_API_KEY') });
  });
});
