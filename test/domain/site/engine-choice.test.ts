import { describe, expect, it } from '@jest/globals';
import type { AnsweringModel } from '../../../src/domain/answering-model.ts';
import { answerRefusal, engineRefusal, whyRunsWait } from '../../../src/domain/site/engine-choice.ts';

const RULES = 'builtin:rules@1';
const MODEL = 'openai:gpt-5.4';

describe('the engines of a site', () => {
  it.each([
    [{ allow: ['vendor'] }, MODEL],
    [{ allow: ['builtin'] }, RULES],
    [{ allow: ['vendor', 'builtin'] }, RULES],
    [{ allow: ['vendor'], reasoner: MODEL }, MODEL],
    [{ allow: ['vendor'], reasoner: 'gpt-5.4' }, MODEL],
    [{ allow: ['builtin'], reasoner: 'rules@1' }, RULES],
  ] as const)('with engines %j the site allows %s', (engines, engine) => {
    expect(engineRefusal(engine, engines)).toBeUndefined();
  });

  it('a site that does not allow the rules gets advice on how to configure a model or allow them', () => {
    expect(engineRefusal(RULES, { allow: ['vendor'] })).toBe(
      'The site does not allow builtin:rules@1 (engines.allow in site.yaml). Set OPENAI_API_KEY or OPENAI_BASE_URL; for a trial without a model set engines: { allow: [builtin] }',
    );
  });

  it('a site that allows only the rules refuses a model', () => {
    expect(engineRefusal(MODEL, { allow: ['builtin'] })).toMatch(/does not allow openai:gpt-5\.4.*allow: \[vendor\]/);
  });

  it.each([MODEL, RULES])('a site that requires another model refuses %s', (engine) => {
    const refusal = engineRefusal(engine, { allow: ['vendor', 'builtin'], reasoner: 'gpt-6' });
    expect(refusal).toContain('requires gpt-6');
    expect(refusal).toContain(engine);
  });

  it.each([
    ['openai:gpt-5.4@2026-03-05', MODEL],
    ['gpt-5.4@2026-03-05', MODEL],
    ['openai:gpt-5.4@2026-03-05', 'openai:gpt-5.4@2026-03-05'],
  ])('a site that requires %s may ask %s, because only the answer tells the version', (reasoner, engine) => {
    expect(engineRefusal(engine, { allow: ['vendor'], reasoner })).toBeUndefined();
  });

  it.each([
    ['openai:gpt-5.4-mini@2026-03-05', MODEL],
    ['openai:gpt-5.4@2026-03-05', 'openai:gpt-5.4@2026-05-01'],
    ['builtin:rules@2', RULES],
    ['openai:@cf/meta/llama', 'openai:'],
  ])('a site that requires %s refuses %s before it is asked', (reasoner, engine) => {
    expect(engineRefusal(engine, { allow: ['vendor', 'builtin'], reasoner })).toContain('requires');
  });

  it('the runs of a site that is off do not wait', () => {
    const engines = { allow: ['vendor'] } as const;
    expect(whyRunsWait(RULES, { mode: 'off', engines })).toBeUndefined();
    expect(whyRunsWait(RULES, { mode: 'shadow', engines })).toContain('engines.allow');
  });
});

describe('the version of a model that a site requires', () => {
  const refusalOf = (reasoner: string | undefined, answeredBy: AnsweringModel | undefined, engine = MODEL) =>
    answerRefusal({ engine, answeredBy }, { allow: ['vendor'], ...(reasoner !== undefined && { reasoner }) });

  it.each([
    ['openai:gpt-5.4@2026-03-05', { model: 'gpt-5.4-2026-03-05' }],
    ['gpt-5.4@2026-03-05', { model: 'gpt-5.4@2026-03-05' }],
    ['gpt-5.4@gpt-5.4-2026-03-05', { model: 'gpt-5.4-2026-03-05' }],
    ['gpt-5.4@q4', { model: 'gpt-5.4:q4' }],
    ['gpt-5.4@fp_1', { model: 'gpt-5.4', fingerprint: 'fp_1' }],
  ])('%s is that of the answer %j', (reasoner, answeredBy) => {
    expect(refusalOf(reasoner, answeredBy)).toBeUndefined();
  });

  it.each([
    [{ model: 'gpt-5.4-2026-05-01' }, 'gpt-5.4-2026-05-01 answered'],
    [{ model: 'gpt-5.4-mini-2026-03-05' }, 'gpt-5.4-mini-2026-03-05 answered'],
    [{ model: 'gpt-5.4', fingerprint: 'fp_2' }, 'gpt-5.4 answered'],
    [undefined, 'the vendor does not say which version answered'],
  ])('is not that of the answer %j', (answeredBy, why) => {
    expect(refusalOf('openai:gpt-5.4@2026-03-05', answeredBy)).toBe(
      `The site requires openai:gpt-5.4@2026-03-05 (engines.reasoner in site.yaml), but ${why}`,
    );
  });

  it('is believed of a vendor that was asked for it and does not say what answered', () => {
    const pin = 'openai:gpt-5.4@2026-03-05';
    expect(refusalOf(pin, undefined, pin)).toBeUndefined();
    expect(refusalOf(pin, { model: 'gpt-5.4-2026-05-01' }, pin)).toContain('gpt-5.4-2026-05-01 answered');
  });

  it('does not matter to a site that requires none', () => {
    expect(refusalOf(undefined, { model: 'gpt-6' })).toBeUndefined();
    expect(refusalOf('openai:gpt-5.4', { model: 'gpt-5.4-2026-05-01' })).toBeUndefined();
  });
});
